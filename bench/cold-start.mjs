// The duration of `npm start` with an existing build, from the command to "ready": `npm run bench -- cold-start`. First
// with an empty data directory, which creates a database cluster, a chain and its USDC, then again with the same one.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { stopNode } from './measuring/cores.mjs';
import { finding, median } from './measuring/figures.mjs';
import { built } from './stage/built.mjs';
import { onStage } from './stage/stage.mjs';

const { freePort } = built('apps/standalone/src/embedded/free-port');
const STARTS = 3;

/** Starts and stops the service, and returns how long it and each of its processes took to be ready. */
async function start(stage, dataDir) {
  const started = performance.now();
  const child = spawn('npm', ['start', '--silent'], {
    env: { ...process.env, DATA_DIR: dataDir, PORT: String(await freePort()), LOG_LEVEL: 'error' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  stage.later(() => stopNode(child));
  const steps = await stepsOf(child.stdout);
  const ms = performance.now() - started;
  await stopNode(child);
  const said = Object.values(steps).reduce((sum, step) => sum + step, 0);
  return { ms, steps: { 'npm and Node.js': ms - said, ...steps } };
}

/** Parses the output about the processes up to the gateway, which is last; returns the milliseconds of each. */
function stepsOf(output) {
  const steps = {};
  let before = 0;
  const lines = createInterface(output);
  return new Promise((resolve, reject) => {
    lines.on('close', () => reject(new Error('npm start ended early')));
    lines.on('line', (line) => {
      const [, name, ms] = /^(\S+(?: \S+)?)  .* (\d+) ms$/.exec(line) ?? [];
      if (name === undefined) return;
      steps[name] = Number(ms) - before;
      before = Number(ms);
      if (name === 'gateway') resolve(steps);
    });
  });
}

export function measure() {
  return onStage(async (stage) => {
    const [first, again] = [[], []];
    for (let round = 0; round < STARTS; round += 1) {
      const dataDir = join(stage.dir, `data-${round}`);
      first.push(await start(stage, dataDir));
      again.push(await start(stage, dataDir));
    }
    const seconds = (starts) => median(starts.map(({ ms }) => ms)) / 1_000;
    const shares = Object.keys(first[0].steps).map((name) => {
      const ms = (starts) => median(starts.map(({ steps }) => steps[name] ?? 0));
      return finding(`  ${name}`, ms(first), 'ms', { reference: `again ${ms(again).toFixed(0)} ms` });
    });
    return [
      finding('cold start of npm start (built), empty data directory', seconds(first), 's', {
        target: { atMost: 6 },
        reference: `again on the same data ${seconds(again).toFixed(1)} s`,
        detail: {
          againSeconds: seconds(again),
          slowest: Math.max(...first.map(({ ms }) => ms)) / 1_000,
        },
      }),
      ...shares,
    ];
  });
}
