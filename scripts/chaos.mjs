// Sells probes to many buyers while it kills gateways and workers: `npm run chaos -- [--calls N] [--seed N]`.
import { randomInt } from 'node:crypto';
import { numbersAsked, runSpecs } from './commands.mjs';

const { calls, seed } = numbersAsked('chaos', { calls: 1_000, seed: randomInt(1, 1e6) });
await import('./build-if-stale.mjs');
process.stdout.write(`chaos  ${calls} calls, seed ${seed}\n`);
process.exitCode = runSpecs('kills', 'apps/gateway/test/chaos', { KILLS: 'yes', CHAOS_CALLS: calls, CHAOS_SEED: seed });
