// The steps of an operator's life with the deployment, in order.
import { cpSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { docker, engineAt } from './engine.mjs';
import { backToReady, buySome, GATEWAYS, makeBuyer, PRICE, underLoad } from './load.mjs';
import { stackOf, writeVariables } from './stack.mjs';
import { run, runBeside } from './tools.mjs';
import { HOSTS_AT, hostNamed } from './world.mjs';

const LOAD_ALONE_MS = 5_000;

/** Limits high enough for a proof. The balancer in front of the gateways is the machine itself. */
const GENEROUS = {
  TARGET_PROBES_PER_15_MIN: '10000',
  TARGET_REQUESTS_PER_MIN: '1000000',
  TARGET_CONCURRENCY: '100',
  RATE_LIMIT_REQUESTS_PER_MIN: '1000000',
  RATE_LIMIT_CHECKS_PER_MIN: '1000000',
  TRUSTED_PROXIES: '10.78.0.1',
};
const ANSWERS = { PROBER_CONTACT: 'mailto:owner@probe-target.org' };

/** Sets up the deployment from nothing, as its operator would. */
export async function setUp(trial) {
  const { dir, world, step } = trial;
  const source = join(dir, 'hostprobe');
  rmSync(source, { recursive: true, force: true });
  mkdirSync(join(source, 'scripts'), { recursive: true });
  for (const file of ['docker-compose.yml', 'scripts/setup-compose']) cpSync(file, join(source, file));
  writeVariables(join(source, '.env'), GENEROUS);
  Object.assign(trial, { buy: makeBuyer(world.buyerKey), sold: 0, stack: stackOf(dir, source, join(source, '.env')) });
  await step('scripts/setup-compose, from nothing to healthy', () =>
    runBeside(join(source, 'scripts/setup-compose'), [], { env: { ...engineAt(dir), ...ANSWERS, ...world.env } }),
  );
  await step('migrated again: nothing to do', () => trial.stack.compose(['run', '--rm', '-T', 'migrate']));
}

const failing = (failures, note) => ({ failed: failures.length, failures, note });

/** Checks that the ledger has every sale, and that the report of a bought host is free to read. */
async function served({ stack, sold }, when) {
  const settled = Number(await stack.query("SELECT count(*) FROM payment_attempt WHERE state = 'settled'"));
  const report = await (await fetch(`${GATEWAYS[0]}/api/v1/hosts/${hostNamed(0)}`)).json();
  const failures = settled === sold ? [] : [`${settled} of ${sold} sales ${when} are in the ledger`];
  return failing(
    report.probedAt ? failures : [...failures, 'the free report is gone'],
    `${settled} sales in the ledger`,
  );
}

export async function buyThroughEach(trial) {
  await trial.step('refreshes bought through both gateways', () => buySome(trial, 10));
}

/** Checks that the money received equals the sales exactly. */
async function settle({ world, sold }) {
  const takings = await world.takings();
  const note = `${sold} answers, ${takings} atomic USDC`;
  return failing(takings === PRICE * BigInt(sold) ? [] : [`took ${takings} for ${sold} answers of ${PRICE}`], note);
}

async function memoryOf(stack) {
  const all = await stack.memory();
  return `MiB: ${all.map(({ name, mib }) => `${name.replace(/^hostprobe-/, '')} ${mib}`).join(', ')}`;
}

export async function restartEach(trial) {
  const { stack, step } = trial;
  await step('paid load alone', () =>
    underLoad(trial, async () => {
      await new Promise((done) => setTimeout(done, LOAD_ALONE_MS));
      return memoryOf(stack);
    }),
  );
  for (const service of ['redis', 'postgres', 'worker', 'gateway']) {
    for (const [index, id] of (await stack.containers(service)).entries()) {
      const work = async (load) => {
        await stack.restart(id);
        await backToReady(load);
      };
      await step(`${service} ${index + 1} restarted under paid load`, () => underLoad(trial, work));
    }
  }
  await step('every payment got its answer', () => settle(trial));
}

/**
 * Upgrades to the next release: migration first, then every process one after the other, as described in
 * docs/operations.
 */
export async function renewEach(trial) {
  const { stack, dir, step } = trial;
  await docker(dir, ['build', '-q', '-t', 'hostprobe:next', 'scripts/prove-deploy/next']);
  writeFileSync(join(dir, 'hostprobe/.env'), 'HOSTPROBE_IMAGE=hostprobe:next\n', { flag: 'a' });
  await step('migrated for the next release under paid load', () =>
    underLoad(trial, async () => {
      const said = await stack.compose(['run', '--rm', '-T', 'migrate']);
      if (!said.includes('99991231235959_proof')) throw new Error(`the migration said ${said}`);
    }),
  );
  for (const service of ['worker', 'gateway']) {
    await step(`${service}s renewed one after the other under paid load`, () =>
      underLoad(trial, async (load) => {
        for (const id of await stack.containers(service)) {
          await docker(dir, ['stop', id]);
          await docker(dir, ['rm', id]);
          await stack.up('--no-deps', '--no-recreate', service);
          await backToReady(load);
        }
        const images = (
          await docker(dir, ['ps', '--filter', `name=hostprobe-${service}`, '--format', '{{.Image}}'])
        ).split('\n');
        return [...new Set(images)].join(', ');
      }),
    );
  }
  await step('every payment got its answer', () => settle(trial));
  await step('earlier purchases are served', () => served(trial, 'before the upgrade'));
}

const CONNECT = `const net = require('node:net');
Promise.all(process.argv.slice(1).map((target) => new Promise((done) => {
  const [host, port] = target.split(' ');
  const socket = net.connect({ host, port: Number(port), timeout: 2000 });
  const end = (reached) => (socket.destroy(), done(reached ? target : ''));
  socket.on('connect', () => end(true)).on('error', () => end(false)).on('timeout', () => end(false));
}))).then((reached) => console.log(reached.filter(Boolean).join('\\n')));`;
const OPEN = [`${HOSTS_AT} 80`, `${HOSTS_AT} 443`, 'postgres 5432', 'redis 6379'];
const SHUT = ['10.99.0.1 8402', '10.99.0.1 8545', '10.77.0.1 3000', '10.78.0.1 3000', `${HOSTS_AT} 8545`];

/** Checks that a worker reaches the web and its databases, but nothing else, with the rules of docs/egress.md. */
export async function tryFences(trial) {
  const { dir, stack, step } = trial;
  const [, rules] = /```nft\n([^`]+)```/.exec(readFileSync('docs/egress.md', 'utf8'));
  const [worker] = await stack.containers('worker');
  const reach = async () =>
    (await docker(dir, ['exec', worker, 'node', '-e', CONNECT, ...OPEN, ...SHUT])).split('\n').filter(Boolean);
  await step('network policy tested from a worker', async () => {
    const before = (await reach()).length;
    run('nft', ['-f', '-'], { input: rules });
    const reached = await reach();
    const leaks = SHUT.filter((target) => reached.includes(target)).map((target) => `${target} is reachable`);
    const missing = OPEN.filter((target) => !reached.includes(target)).map((target) => `${target} is not reachable`);
    return failing(
      [...leaks, ...missing],
      `${before} of ${OPEN.length + SHUT.length} targets reached without, ${reached.length} with`,
    );
  });
  await step('refreshes bought behind the network policy', () => buySome(trial, 4));
}

/** Runs the command in docs/operations that only uses the image. */
export async function runImage({ dir, step }) {
  const [, command] = /`(docker run --rm "\$HOSTPROBE_IMAGE" [^`]+)`/.exec(
    readFileSync('docs/operations/README.md', 'utf8'),
  );
  await step('a probe with the image alone', async () => {
    const own = command.replace('example.com', hostNamed(1));
    const said = await runBeside('sh', ['-c', own], { env: { ...engineAt(dir), HOSTPROBE_IMAGE: 'hostprobe' } });
    return failing(said.includes(hostNamed(1)) ? [] : [`it said ${said.slice(0, 300)}`]);
  });
}

/** Dumps the database, removes everything, and restores it on an empty machine. */
export async function backUpAndRestore(trial) {
  const { stack, dir, step } = trial;
  const backup = join(dir, 'backup.dump');
  const within = async (script) => {
    const [postgres] = await stack.containers('postgres');
    return runBeside('sh', ['-c', script, '-', postgres, backup], { env: engineAt(dir) });
  };
  await step('a backup', async () => {
    await within('docker exec "$1" pg_dump -U hostprobe --format=custom hostprobe > "$2"');
    return { note: `${Math.round(statSync(backup).size / 1_024)} KiB` };
  });
  await step('taken down with all data', () => stack.down());
  await step('an empty Postgres', () => stack.up('postgres'));
  await step('the backup restored', () =>
    within('docker exec -i "$1" pg_restore -U hostprobe --no-owner --exit-on-error --dbname=hostprobe < "$2"'),
  );
  await step('started on it, to healthy', () => stack.up());
  await step('earlier purchases are served', () => served(trial, 'before the backup'));
  await buyThroughEach(trial);
  await step('every payment got its answer', () => settle(trial));
  await step('taken down', () => stack.down());
  const left = await docker(dir, ['volume', 'ls', '-q']);
  if (left !== '') throw new Error(`taking it down left ${left}`);
}
