// npm run prove:alerts -- [--kills N] [--alerts N]: kills workers and gateways at moments when an alert could get lost,
// and measures delivery times with hostile receivers present. Exits with 1 if an alert is lost or p99 reaches two
// seconds.
import { numbersAsked, runSpecs } from './commands.mjs';

const { kills, alerts } = numbersAsked('prove:alerts', { kills: 200, alerts: 1_000 });
await import('./build-if-stale.mjs');
const { pace } = await import('./prove-alerts/pace.mjs'); // This import needs the build.
const inPace = await pace(Number(alerts));
const code = runSpecs('kills', 'apps/worker/test/alert.kills', { KILLS: 'yes', ALERT_KILLS: kills });
process.exitCode = inPace ? code : 1;
