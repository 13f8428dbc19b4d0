// Started by prove-deploy.mjs in namespaces: `inside.mjs <folder>`. The parent provides network access on request.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { built } from '../../bench/stage/built.mjs';
import { buildBases, docker, lastWords, setNameServer, startEngine } from './engine.mjs';
import { backUpAndRestore, buyThroughEach, renewEach, restartEach, runImage, setUp, tryFences } from './steps.mjs';
import { putTools } from './tools.mjs';
import { NAME_SERVER, putWorld } from './world.mjs';

const { createAuthority } = built('apps/standalone/src/embedded/certificates');
const [dir] = process.argv.slice(2);
const rows = [];
const closers = [];
const began = performance.now();

/** Runs a step and records its row; an exception ends the proof. */
async function step(what, work) {
  const started = performance.now();
  const told = (await work()) ?? {};
  const row = { seconds: (performance.now() - started) / 1_000, ...told, what };
  rows.push(row);
  process.stdout.write(`${lineOf(row)}\n`);
  for (const failure of new Set(told.failures)) process.stdout.write(`    ${failure}\n`);
}

const lineOf = ({ what, seconds, failed, note = '' }) =>
  `${what.padEnd(58)} ${seconds.toFixed(1).padStart(6)} s  ${failed === undefined ? '      -' : `${failed} failed`.padStart(9)}  ${note}`.trimEnd();

async function buildImage(tag, source) {
  await docker(dir, ['build', '-q', '-t', tag, source]);
  const sizeOf = (image) => docker(dir, ['images', '--format', '{{.Size}}', image]);
  return { note: `${await sizeOf(tag)}, of which its base is ${await sizeOf('node:24-bookworm-slim')}` };
}

async function main() {
  const tools = putTools(dir);
  const authority = await createAuthority('hostprobe proof');
  writeFileSync(join(dir, 'contexts/node/world.pem'), authority.cert);
  await step('an engine in namespaces', async () => void closers.push(await startEngine(dir, tools)));
  process.send('network');
  await delay(1_000);
  await step('stand-ins for the official images', () => buildBases(dir));
  await step('the image of this release', () => buildImage('hostprobe:latest', '.'));
  process.send('cut');
  setNameServer(dir, NAME_SERVER);
  const world = await putWorld(dir, authority, (close) => closers.push(close));
  const trial = { dir, world, step };
  for (const part of [setUp, buyThroughEach, restartEach, renewEach, tryFences, runImage, backUpAndRestore])
    await part(trial);
}

let fault;
try {
  await main();
} catch (error) {
  fault = error;
  if (closers.length > 0) for (const words of await lastWords(dir)) process.stdout.write(`${words}\n`);
}
for (const close of closers.reverse()) await Promise.resolve(close()).catch(() => undefined);
process.stdout.write(`\n${rows.map(lineOf).join('\n')}\n`);
const failed = rows.reduce((sum, row) => sum + (row.failed ?? 0), 0);
const minutes = ((performance.now() - began) / 60_000).toFixed(1);
if (fault) process.stdout.write(`\nNOT PROVED: ${fault.stack} ${fault.cause ?? ''}\n`);
else process.stdout.write(`\n${failed === 0 ? 'proved' : `NOT PROVED: ${failed} failures`} in ${minutes} minutes\n`);
process.exit(fault || failed > 0 ? 1 : 0);
