// npm run prove:alerts -- [--kills n] [--alerts n]: kills workers and gateways around the moments at which an alert could be lost,
// and measures how long alerts take beside hostile receivers. Exits with 1 when one is lost or p99 is two seconds.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const options = { kills: { type: 'string', default: '200' }, alerts: { type: 'string', default: '1000' } };
const asked = read(process.argv.slice(2));
if (!asked || ![asked.kills, asked.alerts].every((text) => /^[1-9]\d{0,5}$/.test(text))) {
  process.stderr.write('usage: npm run prove:alerts -- [--kills n] [--alerts n]\n');
  process.exit(2);
}
await import('./build-if-stale.mjs');
const { pace } = await import('./prove-alerts/pace.mjs'); // needs the build
const inPace = await pace(Number(asked.alerts));
const { status } = spawnSync('npx', ['jest', 'apps/worker/test/alert.kills', '--selectProjects', 'kills'], {
  stdio: 'inherit',
  env: { ...process.env, KILLS: 'yes', ALERT_KILLS: asked.kills },
});
process.exitCode = inPace && status === 0 ? 0 : 1;

function read(args) {
  try {
    return parseArgs({ args, options }).values;
  } catch {
    return undefined;
  }
}
