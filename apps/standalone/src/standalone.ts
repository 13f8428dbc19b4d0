import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { defined } from '@app/platform';
import { gatewayAddress, type GatewayAddress } from './addresses';
import { lockDataDir, refuseHeldDataDir } from './data-lock';
import type { DemoHosts, ShownSite } from './demo/demo-hosts';
import { keptSecret, privateDirectory, writePrivateFile } from './embedded/private-file';
import { startParentDeathWatch } from './parent-death-watch';
import type { Money } from './money';
import type { RunningFile } from './running-file';
import type { Screen } from './screen';
import { RestartingProcess } from './restarting-process';
import type { Settings } from './settings';
import { StartedProcesses } from './started-processes';
import { startStorage, type Storage } from './storage';

/** Seconds between the two checks of a claim, short enough to try a claim in a minute. */
const DEMO_CONFIRM_SEC = '30';

/** The whole service, running. */
export interface Standalone {
  readonly gatewayUrl: string;
  readonly money: Money;
  readonly demoSites: readonly ShownSite[];
  /** Settles with a sentence when a part ends by itself. */
  readonly brokenBy: Promise<string>;
  readonly stop: () => Promise<void>;
}

/**
 * Starts every part and prints one line for each: storage and money in parallel, then demo hosts, then worker and
 * gateway in parallel. If one part cannot be started, the others are stopped, and the error says which one failed
 * and why.
 */
export async function startStandalone(settings: Settings, screen: Screen, signal: AbortSignal): Promise<Standalone> {
  refuseHeldDataDir(settings.dataDir); // another start also uses the port
  const address = await gatewayAddress(settings);
  const lock = lockDataDir(settings.dataDir);
  const runningFile = join(settings.dataDir, 'running.json');
  rmSync(runningFile, { force: true }); // left by a start that was killed together with its death watch
  const deathWatch = startParentDeathWatch([runningFile]);
  const deps = new StartedProcesses(deathWatch, signal);
  const stop = async () => {
    rmSync(runningFile, { force: true });
    await deps.stopAll();
    lock.release();
  };
  try {
    const { storage, money, hosts } = await startParts(settings, address, deps, screen);
    const describe = (): RunningFile => ({
      gateway: address.localUrl,
      database: storage.databaseUrl,
      redis: storage.redisUrl,
      rpc: money.rpcUrl ?? settings.env[settings.network.rpcVariable] ?? null,
      facilitator: money.facilitatorUrl,
      payTo: money.payTo,
      demoWallet: money.wallet,
      demoHosts: hosts && { connectTo: hosts.connectTo, caFile: hosts.caFile },
      pids: {
        standalone: process.pid,
        ...defined({ deathWatch: deathWatch.pid }),
        ...deps.pids,
      },
    });
    const write = (): void => {
      writePrivateFile(runningFile, `${JSON.stringify(describe(), null, 2)}\n`);
    };
    write();
    deps.onReplaced = write;
    const demoSites = hosts?.sites ?? [];
    return { gatewayUrl: address.localUrl, money, demoSites, brokenBy: deps.brokenBy, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startParts(
  settings: Settings,
  address: GatewayAddress,
  deps: StartedProcesses,
  screen: Screen,
): Promise<{ storage: Storage; money: Money; hosts: DemoHosts | null }> {
  // The database starts in its own process. Meanwhile, we load the modules for money and demo hosts.
  const storing = startStorage(settings, deps, screen);
  const paying = Promise.all([
    import('./money.js').then(({ startMoney }) => startMoney(settings, deps, screen)),
    settings.demo ? import('./demo/demo-hosts.js') : null,
  ]);
  const [storage, [money, demo]] = await bothOf(storing, paying);
  const hosts = demo && (await ownDemoHosts(demo, settings, money, deps, screen));
  const logDir = join(settings.dataDir, 'logs');
  privateDirectory(logDir);
  const env = serviceEnvironment(settings, address, storage, money, hosts);
  const workerEnv = { ...env, METRICS_PORT: workerMetricsPort(settings) };
  const starting = { logDir, onSpawn: deps.watch };
  const listener = { say: screen.say, onRestart: deps.replaceProcess };
  const onEnd = async (): Promise<void> => (await import('./dead-worker.js')).forgetWorkers(storage.databaseUrl);
  const workerListener = { ...listener, onEnd };
  const worker = RestartingProcess.start({ name: 'worker', env: workerEnv, ...starting }, workerListener).then(
    (process) => {
      deps.addProcess(process);
      screen.part('worker', `ready, log: ${join(logDir, 'worker.log')}`);
    },
  );
  const gateway = RestartingProcess.start({ name: 'gateway', env, ...starting }, listener);
  // The gateway is added last and so stopped first: the worker then finishes what the gateway has sold.
  await bothOf(
    worker,
    Promise.allSettled([worker, gateway]).then(async () => {
      deps.addProcess(await gateway);
    }),
  );
  await untilServing(address.localUrl);
  screen.part('gateway', `ready, ${address.localUrl}`);
  return { storage, money, hosts };
}

/** Waits for two processes that start in parallel. If one fails, the other one has been added and can be stopped. */
async function bothOf<A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([first, second]);
  return [await first, await second];
}

async function ownDemoHosts(
  { startDemoHosts }: typeof import('./demo/demo-hosts.js'),
  settings: Settings,
  money: Money,
  deps: StartedProcesses,
  screen: Screen,
): Promise<DemoHosts> {
  const hosts = await startDemoHosts({ network: settings.network, payTo: money.payTo }, settings.dataDir);
  deps.add(hosts.stop);
  const some = hosts.sites.slice(0, 3).map(({ name }) => name.replace('.example.com', ''));
  screen.part('demo hosts', `${hosts.sites.length} demo sites: ${some.join(', ')}, … (.example.com)`);
  return hosts;
}

/** The caller's variables, and those of the embedded parts. */
function serviceEnvironment(
  settings: Settings,
  address: GatewayAddress,
  storage: Storage,
  money: Money,
  hosts: DemoHosts | null,
): NodeJS.ProcessEnv {
  return {
    PUBLIC_BASE_URL: address.localUrl,
    FACILITATOR_TRUST: 'on',
    ...settings.env,
    PORT: String(address.port),
    HOST: settings.host,
    DATABASE_URL: storage.databaseUrl,
    REDIS_URL: storage.redisUrl ?? '',
    X402_NETWORK: settings.network.id,
    X402_PAY_TO: money.payTo,
    X402_FACILITATOR_URL: money.facilitatorUrl ?? '',
    OFFER_SIGNING_KEY: settings.env['OFFER_SIGNING_KEY'] || offerSigningKey(settings),
    SECRETS_KEY: settings.env['SECRETS_KEY'] || keptSecret(join(settings.dataDir, 'keys', 'secrets.key')),
    ...defined({ [settings.network.rpcVariable]: money.rpcUrl ?? undefined }),
    ...(hosts === null ? {} : probeVariables(settings, hosts)),
  };
}

/** The gateway uses METRICS_PORT, and the worker on the same machine the port after it. */
function workerMetricsPort({ env }: Settings): string {
  const { METRICS_PORT: port } = env;
  return port ? String(Number(port) + (port === '0' ? 0 : 1)) : '';
}

/** The key that signs receipts is stored, so that receipts stay valid after a restart. */
function offerSigningKey({ dataDir }: Settings): string {
  return `0x${keptSecret(join(dataDir, 'keys', 'offer-signing.key'))}`;
}

function probeVariables({ env }: Settings, hosts: DemoHosts): NodeJS.ProcessEnv {
  const { PROBE_CONNECT_TO: connectTo, PROBE_CA_FILE: caFile } = env;
  if (caFile) writeFileSync(hosts.caFile, `\n${readFileSync(caFile, 'utf8')}`, { flag: 'a' });
  return {
    PROBE_CONNECT_TO: [hosts.connectTo, ...(connectTo ? [connectTo] : [])].join(','),
    PROBE_CA_FILE: hosts.caFile,
    CLAIM_RESOLVERS: env['CLAIM_RESOLVERS'] || hosts.resolver,
    CLAIM_CONFIRM_SEC: env['CLAIM_CONFIRM_SEC'] || DEMO_CONFIRM_SEC,
  };
}

const SERVING_WITHIN_MS = 30_000;

/** Waits until the gateway answers and sees a worker. An external facilitator may be down. */
async function untilServing(gatewayUrl: string): Promise<void> {
  const until = Date.now() + SERVING_WITHIN_MS;
  while (!(await serves(gatewayUrl))) {
    if (Date.now() > until) throw new Error(`the gateway at ${gatewayUrl} did not become ready in time; see its log`);
    await sleep(100);
  }
}

async function serves(gatewayUrl: string): Promise<boolean> {
  try {
    const answer = await fetch(`${gatewayUrl}/health/ready`, { signal: AbortSignal.timeout(2_000) });
    const { parts } = (await answer.json()) as { readonly parts?: { readonly worker?: unknown } };
    return answer.ok && parts?.worker === 'up';
  } catch {
    return false;
  }
}
