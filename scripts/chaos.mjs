// Sells to many buyers while gateways and workers are killed: `npm run chaos -- [--calls N] [--seed N]`.
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';

const options = { calls: { type: 'string', default: '1000' }, seed: { type: 'string', default: `${randomInt(1e6)}` } };
const asked = read(process.argv.slice(2));
if (!asked || ![asked.calls, asked.seed].every((text) => /^\d{1,9}$/.test(text)) || asked.calls === '0') {
  process.stderr.write('usage: npm run chaos -- [--calls N] [--seed N]\n');
  process.exit(2);
}
const { calls, seed } = asked;
await import('./build-if-stale.mjs');
process.stdout.write(`chaos  ${calls} calls, seed ${seed}\n`);
const { status } = spawnSync('npx', ['jest', 'apps/gateway/test/chaos', '--selectProjects', 'kills'], {
  stdio: 'inherit',
  env: { ...process.env, KILLS: 'yes', CHAOS_CALLS: calls, CHAOS_SEED: seed },
});
process.exit(status ?? 1);

function read(args) {
  try {
    return parseArgs({ args, options }).values;
  } catch {
    return undefined;
  }
}
