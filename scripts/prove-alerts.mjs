// npm run prove:alerts -- [--kills N] [--alerts N]: kills workers and gateways around the moments at which an alert could be lost,
// and measures how long alerts take beside hostile receivers. Exits with 1 when one is lost or p99 is two seconds.
import { numbersAsked, runSpecs } from './commands.mjs';

const { kills, alerts } = numbersAsked('prove:alerts', { kills: 200, alerts: 1_000 });
await import('./build-if-stale.mjs');
const { pace } = await import('./prove-alerts/pace.mjs'); // needs the build
const inPace = await pace(Number(alerts));
const code = runSpecs('kills', 'apps/worker/test/alert.kills', { KILLS: 'yes', ALERT_KILLS: kills });
process.exitCode = inPace ? code : 1;
