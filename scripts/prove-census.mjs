// npm run prove:census -- <hosts> [--workers n] [--queue redis | postgres] [--kills n | --refreshes] [--depth first | full]: a census of
// a simulated internet in a network namespace, with resolver, guard and budgets as in production, and what it costs. What is killed, each
// time at random, is a worker, the gateway, Redis or Postgres, and it is started again. `--refreshes` buys some before it and beside it.
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { at } from '../bench/measuring/medians.mjs';
import { processorMs, startNode, stopNode, watchMemory } from '../bench/measuring/cores.mjs';
import { built } from '../bench/stage/built.mjs';
import { onStage } from '../bench/stage/stage.mjs';

const SELF = fileURLToPath(import.meta.url);
const INTERNET = fileURLToPath(new URL('./prove-census/internet.mjs', import.meta.url));
const CLI = fileURLToPath(new URL('../bin/hostprobe.mjs', import.meta.url));
const DAY = '2026-11-23';
const SLOTS = 112;
const say = (what, figure) => console.log(`${what.padEnd(52)} ${figure}`);

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    workers: { type: 'string', default: '1' },
    queue: { type: 'string', default: 'redis' },
    kills: { type: 'string', default: '0' },
    refreshes: { type: 'boolean', default: false },
    depth: { type: 'string', default: 'first' },
    inside: { type: 'boolean', default: false },
  },
});
const HOSTS = Number(positionals[0] ?? 10_000);
const [WORKERS, KILLS] = [Number(values.workers), Number(values.kills)];

function run(command, ...args) {
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
}

/** Every address is here, and names are asked of 127.0.0.1. */
function putNetwork(dir) {
  run('ip', 'link', 'set', 'lo', 'up');
  run('ip', 'route', 'add', 'local', '0.0.0.0/0', 'dev', 'lo');
  writeFileSync(join(dir, 'resolv.conf'), 'nameserver 127.0.0.1\n');
  run('mount', '--bind', join(dir, 'resolv.conf'), '/etc/resolv.conf');
}

/** Workers, and what all of them took, those that were killed as well. */
async function putWorkers(stage, env) {
  const { putWorker } = await import('../bench/stage/services.mjs');
  const taken = { processorMs: 0, mb: 0 };
  const living = new Set();
  const put = async () => {
    const worker = await started(() => putWorker(stage, env));
    const memory = watchMemory(worker.pid, 1_000);
    stage.later(memory);
    living.add({ ...worker, memory });
  };
  const end = async (worker, signal) => {
    living.delete(worker);
    taken.processorMs += processorMs(worker.pid);
    taken.mb = Math.max(taken.mb, worker.memory());
    await stopNode(worker.child, signal);
  };
  for (let number = 0; number < WORKERS; number += 1) await put();
  return {
    taken,
    kill: async () => {
      await end(anyOf([...living]), 'SIGKILL');
      await put();
    },
    stop: () => Promise.all([...living].map((worker) => end(worker, 'SIGTERM'))),
  };
}

/** A gateway beside the census, which has to answer again after each kill. */
async function putKilledGateway(stage, env) {
  const { putGateway } = await import('../bench/stage/services.mjs');
  let gateway = await putGateway(stage, env);
  return async () => {
    await stopNode(gateway.child, 'SIGKILL');
    gateway = await started(() => putGateway(stage, env));
  };
}

/** Redis with the settings of docker-compose.yml, on one port however often it is killed. */
async function putKilledRedis(stage) {
  const { silenceOf } = built('apps/standalone/src/embedded/embedded-queue');
  const url = 'redis://127.0.0.1:6379';
  const settings = ['--maxmemory-policy', 'noeviction', '--appendonly', 'yes', '--dir', stage.dir];
  let child;
  const put = async () => {
    child = spawn('redis-server', settings, { stdio: 'ignore' });
    while ((await silenceOf(url)) !== null) await delay(50);
  };
  await put();
  stage.later(() => stopNode(child));
  return {
    url,
    kill: async () => {
      await stopNode(child, 'SIGKILL');
      await put();
    },
  };
}

/** A way to kill the database of the stage: its server starts again with the same words, so on the same port. */
function putKilledPostgres(stage, { pool }) {
  const cluster = join(stage.dir, 'postgres', 'cluster');
  const { uid, gid } = statSync(cluster);
  let child;
  stage.later(() => child && stopNode(child, 'SIGINT'));
  return async () => {
    const [pid] = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n');
    const [command, ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
    process.kill(Number(pid), 'SIGKILL');
    const answers = () => pool.query('SELECT 1').then(Boolean, () => false);
    for (let ended = true; ended || !(await answers()); await delay(50)) {
      // A server whose last one still has children ends at once.
      if (ended) child = spawn(command, args, { cwd: cluster, uid, gid, detached: true, stdio: 'ignore' });
      ended = child.exitCode !== null;
    }
  };
}

/** Kills one of the parts at random, again and again, until it was done often enough or the census is over. */
function killParts(parts) {
  const killed = Object.fromEntries(Object.keys(parts).map((part) => [part, 0]));
  const count = () => Object.values(killed).reduce((sum, times) => sum + times, 0);
  let over = false;
  const killing = (async () => {
    while (count() < KILLS) {
      await delay(1_000 + Math.random() * 4_000);
      if (over) throw new Error(`the census was over after ${count()} kills: take more hosts`);
      const part = anyOf(Object.keys(parts));
      await parts[part]();
      killed[part] += 1;
    }
  })();
  killing.catch(() => undefined); // told at the end
  return async () => {
    over = true;
    await killing;
    return killed;
  };
}

/** A process that did not come up is started again, as `restart: unless-stopped` does. */
async function started(start, times = 10) {
  for (let left = times; left > 1; left -= 1) {
    try {
      return await start();
    } catch (error) {
      console.log(error.message);
    }
  }
  return start();
}

const anyOf = (all) => all[Math.floor(Math.random() * all.length)];

/** The command as an operator starts it. @returns what it said last */
async function census(env, list, out) {
  const args = [CLI, 'census', list, '--day', DAY, '--depth', values.depth, '--out', out];
  const command = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  let said = '';
  command.stderr.on('data', (text) => {
    said += text;
    process.stdout.write(text);
  });
  const [code] = await once(command, 'exit');
  if (code !== 0) throw new Error(`the census ended with code ${code}: ${said}`);
}

async function prove(stage) {
  putNetwork(stage.dir);
  const { putPostgres } = await import('../bench/stage/storage.mjs');
  const internet = await startNode(INTERNET);
  stage.later(() => stopNode(internet.child));
  const authority = join(stage.dir, 'internet.pem');
  writeFileSync(authority, internet.message.ca);
  const { url, database } = await putPostgres(stage);
  const redis = values.queue === 'redis' ? await putKilledRedis(stage) : undefined;
  const shared = {
    DATABASE_URL: url,
    ...(redis && { REDIS_URL: redis.url }),
    SECRETS_KEY: randomBytes(32).toString('hex'),
    PROBER_CONTACT: 'mailto:census@example.com',
    PUBLIC_BASE_URL: 'https://probe.example.com',
  };
  const env = { ...shared, NODE_ENV: 'production', CENSUS_SLOTS: String(SLOTS), NODE_EXTRA_CA_CERTS: authority };
  const workers = await putWorkers(stage, env);
  const parts = {
    workers: workers.kill,
    ...(KILLS > 0 && { gateways: await putKilledGateway(stage, env) }),
    ...(redis && { Redis: redis.kill }),
    Postgres: putKilledPostgres(stage, database),
  };
  const { putRefreshes } = await import('./prove-census/refreshes.mjs');
  const refreshes = values.refreshes ? await putRefreshes(stage, shared) : undefined;
  const { rankedNames } = await import('./prove-census/names.mjs');
  const [list, out] = [join(stage.dir, 'list.csv'), join(stage.dir, 'release')];
  await pipeline(Readable.from(rankedNames(HOSTS)), createWriteStream(list));

  const size = async () =>
    Number((await database.pool.query('SELECT pg_database_size(current_database()) AS bytes')).rows[0].bytes);
  const before = await size();
  const started = performance.now();
  const endKills = killParts(parts);
  const endRefreshes = refreshes?.beside();
  await census(shared, list, out);
  const killed = await endKills();
  const times = await endRefreshes?.();
  const seconds = (performance.now() - started) / 1_000;
  await workers.stop();
  internet.child.send('counts');
  const [counts] = await once(internet.child, 'message');
  await tell({
    seconds,
    before,
    after: await size(),
    counts,
    taken: workers.taken,
    killed,
    times,
    out,
    internetMs: processorMs(internet.child.pid),
  });
}

async function tell({ seconds, before, after, counts, taken, killed, times, out, internetMs }) {
  const rows = await rowsOf(out);
  const each = (amount) => (amount / HOSTS).toFixed(2);
  say('hosts, workers, queue', `${HOSTS}, ${WORKERS}, ${values.queue}`);
  say('seconds, hosts a second', `${seconds.toFixed(0)}, ${(HOSTS / seconds).toFixed(1)}`);
  say('processor of the workers, a host', `${each(taken.processorMs)} ms`);
  say('processor of the internet, a host', `${each(internetMs)} ms`);
  say('memory of a worker at most', `${taken.mb.toFixed(0)} MB`);
  say('database, a host', `${each(after - before)} bytes`);
  say('dataset, a host', `${each(folderBytes(out))} bytes`);
  say('requests, a host that was asked; most of one', `${(counts.requests / counts.hosts).toFixed(2)}; ${counts.most}`);
  say(
    'killed',
    Object.entries(killed)
      .map(([part, times]) => `${part} ${times}`)
      .join(', '),
  );
  if (times) {
    const [calm, beside] = [times.calm, times.beside].map((all) => [at(all, 0.5), at(all, 0.95)]);
    const told = ([half, most]) => `${half.toFixed(0)} ms (p95 ${most.toFixed(0)})`;
    say('paid refreshes: calm; beside it; how many', `${told(calm)}; ${told(beside)}; ${times.beside.length}`);
    say('beside it over calm, median', `${(beside[0] / calm[0]).toFixed(2)} x`);
  }
  say('rows of hosts, different ones', `${rows.length}, ${new Set(rows).size}`);
  if (rows.length !== HOSTS || new Set(rows).size !== HOSTS) throw new Error('a host has no row, or more than one');
}

async function rowsOf(out) {
  const require = createRequire(import.meta.url);
  const { parquetReadObjects, asyncBufferFromFile } = await import(pathToFileURL(require.resolve('hyparquet')).href);
  const file = await asyncBufferFromFile(join(out, 'probes', `day=${DAY}`, 'part-0.parquet'));
  return (await parquetReadObjects({ file, columns: ['domain'] })).map(({ domain }) => domain);
}

function folderBytes(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath ?? entry.path, entry.name)).size, 0);
}

/** Why nothing can be proved on this machine. */
function forbidden() {
  if (process.platform !== 'linux' || process.getuid() !== 0) return 'it takes Linux and root';
  const { status, error } = spawnSync('unshare', ['-n', '-m', 'true']);
  return error || status !== 0 ? 'this system allows no namespaces here' : undefined;
}

if (values.inside) await onStage(prove);
else {
  const reason = KILLS > 0 && values.refreshes ? 'a refresh fails when its worker is killed' : forbidden();
  if (reason) console.log(`nothing was proved: ${reason}`);
  else {
    await import('./build-if-stale.mjs');
    const args = ['-n', '-m', process.execPath, SELF, ...process.argv.slice(2), '--inside'];
    process.exitCode = spawnSync('unshare', args, { stdio: 'inherit' }).status ?? 1;
  }
}
