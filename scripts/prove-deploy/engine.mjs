// A Docker engine in the namespaces of this process.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, cpSync, existsSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { IMAGES, SYSTEM_NAMES } from './base-images.mjs';
import { run, runBeside } from './tools.mjs';

const CONFIG = 'config';
const START_MS = 60_000;

/** Environment variables for the Docker command line to use the engine of the folder. */
export const engineAt = (dir) => ({
  ...process.env,
  DOCKER_HOST: `unix://${join(dir, 'engine.sock')}`,
  DOCKER_CONFIG: join(dir, CONFIG),
  DOCKER_BUILDKIT: '1',
});

/** The Docker command line with the engine of the folder. */
export const docker = (dir, args, options) => runBeside('docker', args, { env: engineAt(dir), ...options });

/** Sets the name server of processes in this mount namespace and of containers. */
export function setNameServer(dir, address) {
  writeFileSync(join(dir, 'resolv.conf'), `nameserver ${address}\n`);
}

/** @returns a function that stops the engine */
export async function startEngine(dir, tools) {
  const plugins = join(dir, CONFIG, 'cli-plugins');
  mkdirSync(plugins, { recursive: true });
  cpSync(join(tools.root, 'usr/libexec/docker/cli-plugins'), plugins, { recursive: true });
  setNameServer(dir, '10.0.2.3');
  run('mount', ['--bind', join(dir, 'resolv.conf'), '/etc/resolv.conf']);
  run('ip', ['link', 'set', 'lo', 'up']);
  for (const stale of ['engine.pid', 'engine.sock', 'run']) rmSync(join(dir, stale), { recursive: true, force: true });
  const log = openSync(join(dir, 'engine.log'), 'w');
  const engine = spawn(
    'dockerd',
    [
      ...['--storage-driver', 'overlay2', '--oom-score-adjust', '0', '--cgroup-parent', 'hostprobe-proof'],
      ...['--data-root', join(dir, 'data'), '--exec-root', join(dir, 'run'), '--pidfile', join(dir, 'engine.pid')],
      ...['-H', `unix://${join(dir, 'engine.sock')}`],
    ],
    { stdio: ['ignore', log, log] },
  );
  closeSync(log);
  const ended = once(engine, 'exit');
  const until = Date.now() + START_MS;
  while (!existsSync(join(dir, 'engine.sock')) || !(await answers(dir))) {
    if (engine.exitCode !== null || Date.now() > until)
      throw new Error(`the engine did not start: ${join(dir, 'engine.log')}`);
    await delay(200);
  }
  await clear(dir);
  return async () => {
    await clear(dir);
    engine.kill('SIGTERM');
    await ended;
  };
}

/** Removes the containers of a proof, but keeps the images. */
async function clear(dir) {
  const containers = (await docker(dir, ['ps', '-aq'])).split('\n').filter(Boolean);
  if (containers.length > 0) await docker(dir, ['rm', '-f', '-v', ...containers]);
  await docker(dir, ['network', 'prune', '-f']);
  const volumes = (await docker(dir, ['volume', 'ls', '-q'])).split('\n').filter(Boolean);
  if (volumes.length > 0) await docker(dir, ['volume', 'rm', ...volumes]);
}

/** The last log lines of each container that is not healthy. */
export async function lastWords(dir) {
  const all = (await docker(dir, ['ps', '-a', '--format', '{{.Names}}\t{{.Status}}'])).split('\n').filter(Boolean);
  const unwell = all.map((line) => line.split('\t')).filter(([, status]) => !/\(healthy\)|^Exited \(0\)/.test(status));
  return Promise.all(
    unwell.map(async ([name, status]) => `${name} ${status}\n${await docker(dir, ['logs', '--tail', '8', name])}`),
  );
}

async function answers(dir) {
  try {
    await docker(dir, ['info']);
    return true;
  } catch {
    return false;
  }
}

/** Builds the replacements for official images. */
export async function buildBases(dir) {
  for (const name of SYSTEM_NAMES) {
    const known = await docker(dir, ['images', '-q', `system:${name}`]);
    const pack = 'tar -C "$1" -c . | docker import - "$2"';
    if (known === '')
      run('sh', ['-c', pack, '-', join(dir, 'systems', name), `system:${name}`], { env: engineAt(dir) });
  }
  for (const { tag, context } of IMAGES) await docker(dir, ['build', '-q', '-t', tag, join(dir, 'contexts', context)]);
}
