// Runs a service under attack for half an hour: `npm run soak`, or `SOAK_MINUTES=6 npm run soak`. Exits with 1 if
// memory, the database or the duration of paid probes exceeds its limit, or a paid probe of the healthy host fails.
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import './build-if-stale.mjs';

const minutes = Number(process.env.SOAK_MINUTES ?? '30');
if (!(minutes >= 1)) {
  process.stderr.write('usage: [SOAK_MINUTES=n] npm run soak\n');
  process.exit(2);
}
// The following imports need the build.
const { residentMb } = await import('../bench/measuring/cores.mjs');
const { at, finding, median, tableOf } = await import('../bench/measuring/figures.mjs');
const { onStage } = await import('../bench/stage/stage.mjs');
const { putWorld } = await import('../bench/soak/world.mjs');

/** How often memory and database size are reported; in a run of 30 minutes, every five. */
const WINDOWS = 6;
const CALM_PROBES = 80;
const WARM_UP = 20;
const PAUSE_MS = 500;
/** The number of concurrent paid probes of hostile hosts. */
const HOSTILE_BUYERS = 3;
/** How much higher the median of a later window may be than that of the second. */
const FLAT = 1.15;
/** How much slower a paid probe of the healthy host may be during the attack, by percentile. */
const SLOWER = { 0.5: 1.5, 0.95: 2 };

const say = (line) => process.stdout.write(`soak  ${line}\n`);

/** A number stated in the threat model, for example the maximum growth of the database. */
function stated(pattern) {
  const [, number] = pattern.exec(readFileSync('docs/threat-model.md', 'utf8')) ?? [];
  if (number === undefined) throw new Error(`docs/threat-model.md does not state ${pattern}`);
  return Number(number.replaceAll(',', ''));
}

/** Buys probes of the healthy host one after the other until `enough`; returns the durations in milliseconds. */
async function buyHealthy(world, enough) {
  const times = [];
  while (!enough(times.length)) {
    times.push((await world.buy(world.healthy)).ms);
    await delay(PAUSE_MS);
  }
  return times;
}

/** The samples of one window: memory of both processes each second, and the size of the database at its end. */
async function watchWindow(world, ms) {
  const until = Date.now() + ms;
  const [gateway, worker] = [[], []];
  while (Date.now() < until) {
    gateway.push(residentMb(world.gateway.pid));
    worker.push(residentMb(world.worker.pid));
    await delay(1_000);
  }
  return { gateway, worker, databaseMb: await world.databaseMb() };
}

async function buyHostile(world, over) {
  const ends = {};
  for (let n = 0; !over(); n += 1) {
    const end = await world.buy(world.hostile[n % world.hostile.length]).then(
      () => 'answered',
      (error) => /answered (\d+)/.exec(error.message)?.[1] ?? error.message,
    );
    ends[end] = (ends[end] ?? 0) + 1;
  }
  return ends;
}

/** Runs the attack: probes of the healthy host are bought meanwhile, and memory and database are measured. */
async function storm(world) {
  const until = Date.now() + minutes * 60_000;
  const over = () => Date.now() >= until;
  await world.attack(minutes);
  const healthy = buyHealthy(world, over);
  const hostile = Promise.all(Array.from({ length: HOSTILE_BUYERS }, () => buyHostile(world, over)));
  healthy.catch(() => undefined);
  const windows = [];
  while (windows.length < WINDOWS) {
    const window = await watchWindow(world, (minutes * 60_000) / WINDOWS);
    windows.push(window);
    const [gateway, worker] = [window.gateway, window.worker].map((samples) => median(samples).toFixed(0));
    say(
      `window ${windows.length}: gateway ${gateway} MB, worker ${worker} MB, database ${window.databaseMb.toFixed(0)} MB`,
    );
  }
  const counts = await world.counts();
  return { windows, counts, stormMs: await healthy, hostile: await hostile };
}

function memoryRows(name, windows) {
  const medians = windows.map((samples) => median(samples));
  const minute = (index) => Number(((index * minutes) / WINDOWS).toFixed(1));
  const rows = medians.map((figure, index) => {
    const reference = `at most ${Math.max(...windows[index]).toFixed(0)} MB`;
    return finding(`memory of the ${name}, ${minute(index)} to ${minute(index + 1)} minutes`, figure, 'MB', {
      reference,
    });
  });
  const flat = `  the most of later ones, over that from ${minute(1)} minutes on`;
  return [...rows, finding(flat, Math.max(...medians.slice(2)) / medians[1], 'x', { target: { atMost: FLAT } })];
}

function rowsOf({ calmMs, windows, stormMs, beforeMb, steps, refused }) {
  const grown = windows.at(-1).databaseMb - beforeMb;
  const time = (what, share) =>
    finding(`paid probe of the healthy host, ${what}`, at(stormMs, share) / at(calmMs, share), 'x', {
      target: { atMost: SLOWER[share] },
      reference: `${at(calmMs, share).toFixed(0)} ms calm, ${at(stormMs, share).toFixed(0)} ms attacked`,
    });
  return [
    ...['gateway', 'worker'].flatMap((name) =>
      memoryRows(
        name,
        windows.map((window) => window[name]),
      ),
    ),
    finding('the database, in an hour at this pace', (grown * 60) / minutes, 'MB', {
      target: { atMost: stated(/strangers write ([\d,]+) MiB in an hour/) },
      reference: `grew by ${grown.toFixed(0)} MB`,
    }),
    finding('payments without a charge that are kept', refused, '', {
      target: { atMost: stated(/([\d,]+) rows that ended without a charge/) },
    }),
    time('median', 0.5),
    time('p95', 0.95),
    ...Object.entries(steps).map(([step, [half, most]]) =>
      finding(`  ${step}, median`, half, 'ms', { reference: `p95 ${most.toFixed(0)} ms` }),
    ),
  ];
}

const findings = await onStage(async (stage) => {
  const world = await putWorld(stage);
  await buyHealthy(world, (bought) => bought >= WARM_UP);
  const calmMs = await buyHealthy(world, (bought) => bought >= CALM_PROBES);
  say(`calm: ${CALM_PROBES} paid probes of the healthy host, median ${median(calmMs).toFixed(0)} ms`);
  const beforeMb = await world.databaseMb();
  const { windows, counts, stormMs, hostile } = await storm(world);
  say(`${stormMs.length} paid probes of the healthy host; of hostile ones ${JSON.stringify(hostile)}`);
  const rows = await world.rows();
  for (const [kind, times] of Object.entries({ ...counts, ...rows })) say(`${kind}: ${times}`);
  const steps = await world.saleTimes(stormMs.length);
  const refused = Number(rows['payments refused and kept']);
  return rowsOf({ calmMs, windows, stormMs, beforeMb, steps, refused });
});
process.stdout.write(tableOf(findings));
process.exitCode = findings.every(({ met }) => met !== false) ? 0 : 1;
