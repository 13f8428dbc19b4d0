import fc from 'fast-check';

/**
 * A generated test tries the same cases at each run of the suite, so that what fails on one machine fails on every one.
 * `FAST_CHECK_SEED=random` draws new ones, and a number repeats those of a run that failed.
 */
const seed = process.env['FAST_CHECK_SEED'] ?? '20261122';

if (seed !== 'random') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) });
