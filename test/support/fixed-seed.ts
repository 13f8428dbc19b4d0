import fc from 'fast-check';

/**
 * Property tests use the same cases in each run, so that failures can be reproduced on any machine.
 *
 * `FAST_CHECK_SEED=random` uses new ones, and a number repeats the cases of a failed run.
 */
const seed = process.env['FAST_CHECK_SEED'] ?? '20261122';

if (seed !== 'random') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) });
