// Sets up and tears down what a bench or proof needs: storage, gateways and workers as in a deployment, hosts, a chain.
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { SERVER_CORE, startNode, stopNode } from '../measuring/cores.mjs';
import { built, openDatabase, portOf, program } from './built.mjs';

const require = createRequire(import.meta.url);
const { parseEther } = require('viem');
const { generatePrivateKey, privateKeyToAddress } = require('viem/accounts');
const { chainClient, startChain } = built('apps/standalone/src/embedded/embedded-chain');
const { startFacilitator } = built('apps/standalone/src/embedded/embedded-facilitator');
const { startPostgres } = built('apps/standalone/src/embedded/embedded-postgres');
const { startQueue } = built('apps/standalone/src/embedded/embedded-queue');
const { freePort } = built('apps/standalone/src/embedded/free-port');
const { installUsdc, mintUsdc } = built('apps/standalone/src/embedded/usdc-contract');
const { MEMORY_SETTINGS } = built('apps/standalone/src/service-process');
const { migrate, RunRepository } = built('libs/storage/src/index');
const { createProducer, orderOf, queueConnection } = built('libs/queue/src/index');
const { HostName } = built('libs/hosts/src/index');

const NETWORK = 'eip155:8453';

/** Runs `work` with its own directory; functions given to `stage.later` run at the end, in reverse order. */
export async function onStage(work) {
  const dir = mkdtempSync(join(tmpdir(), 'hostprobe-bench-'));
  const closers = [];
  const takeDown = async () => {
    for (const close of closers.reverse()) await Promise.resolve(close()).catch(() => undefined);
    rmSync(dir, { recursive: true, force: true });
  };
  let down;
  const clear = () => (down ??= takeDown());
  const interrupted = () => void clear().then(() => process.exit(130));
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  try {
    return await work({ dir, later: (close) => closers.push(close) });
  } finally {
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
    await clear();
  }
}

/** A migrated database, by default with the settings of `npm start`. */
export async function putPostgres(stage, settings = {}) {
  const postgres = await startPostgres({ dir: join(stage.dir, 'postgres'), settings });
  stage.later(() => postgres.process.stop());
  await migrate(postgres.url);
  const database = openDatabase(postgres.url);
  stage.later(() => database.close());
  return { url: postgres.url, database };
}

/** @throws on a machine without redis-server; the rows that need it use it as their queue */
export async function putRedis(stage) {
  const redis = await startQueue({ dir: join(stage.dir, 'redis'), path: process.env.PATH });
  if (redis === null) throw new Error('this row needs redis-server on the PATH');
  stage.later(() => redis.process.stop());
  return redis.url;
}

/**
 * A gateway on the server's core; resolves when it listens and has answered a request with a handler. From then on,
 * Node.js 20 tracks async contexts for every request, as in every gateway in use.
 */
export async function putGateway(stage, env, options = {}) {
  const port = await freePort();
  const { child } = await startNode(program('gateway'), {
    core: SERVER_CORE,
    ...options,
    env: { ...MEMORY_SETTINGS, PORT: String(port), LOG_LEVEL: 'error', ...env },
  });
  stage.later(() => stopNode(child));
  const url = `http://127.0.0.1:${port}`;
  await (await fetch(`${url}/health/live`)).text();
  return { url, pid: child.pid, child };
}

/** A worker; resolves when it is consuming. */
export async function putWorker(stage, env, options = {}) {
  const { child } = await startNode(program('worker'), {
    ...options,
    env: { ...MEMORY_SETTINGS, LOG_LEVEL: 'error', ...env },
  });
  stage.later(() => stopNode(child));
  return { pid: child.pid, child };
}

/** @param redisUrl null uses the Postgres queue */
export function putOrders(stage, database, redisUrl) {
  const producer = createProducer(queueConnection(redisUrl, database.url), 'live', () => undefined);
  stage.later(() => producer.close());
  const runs = new RunRepository(database);

  /** Orders a probe of a host, or joins the running one; resolves to its run. */
  async function order(domain, deadlineMs = 60_000) {
    const asked = orderOf({ kind: 'host', host: HostName.parse(domain).host });
    const { run, fresh } = await runs.open(asked, new Date(Date.now() + deadlineMs));
    if (fresh) await producer.add({ runId: run.id });
    return run;
  }

  /** Probes every host once, with all orders in the queue together. */
  async function probeAll(domains, checkMs = 50) {
    for (const domain of domains) await order(domain);
    while ((await runs.waiting('live')) > 0) await delay(checkMs);
  }

  return { runs, producer, order, probeAll };
}

/** Starts bench/<path>.mjs with the given input; resolves to its first message. */
export async function putProgram(stage, path, input, options = {}) {
  const script = fileURLToPath(new URL(`../${path}.mjs`, import.meta.url));
  const { child, message } = await startNode(script, { core: SERVER_CORE, ...options, input });
  stage.later(() => stopNode(child));
  return { ...message, pid: child.pid, child };
}

/** The headers that a server sets itself, without those of every Node.js server. */
export function ownHeaders(response) {
  const added = ['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding'];
  return Object.fromEntries([...response.headers].filter(([name]) => !added.includes(name)));
}

const PROCESS = fileURLToPath(new URL('./tls-hosts-process.mjs', import.meta.url));

/** @param delayMs delay of each answer */
export async function putTlsHosts(stage, { count, delayMs = 0 }, options = {}) {
  const { child, message } = await startNode(PROCESS, { args: [String(count), String(delayMs)], ...options });
  stage.later(() => stopNode(child));
  return {
    names: message.hosts.map(({ name }) => name),
    hosts: message.hosts,
    /** Other names of the same hosts, under which every path redirects to the first name. */
    movedNames: message.hosts.map(({ name }) => `moved-${name}`),
    connectTo: message.hosts
      .flatMap(({ name, port }) => [name, `moved-${name}`].map((one) => `${one}:443=127.0.0.1:${port}`))
      .join(','),
    caFile: putAuthority(stage, message.ca),
    pid: child.pid,
    /** `METHOD URL` of every request since the previous call. */
    async requests() {
      child.send('requests');
      return (await once(child, 'message'))[0];
    },
  };
}

/** The path of a file with the authorities that probes and alerts trust. */
export function putAuthority({ dir }, ...certificates) {
  const caFile = join(mkdtempSync(join(dir, 'authority-')), 'ca.pem');
  writeFileSync(caFile, certificates.join('\n'));
  return caFile;
}

/** Variables for a gateway and a worker to probe the hosts as often as needed; limits have their own tests. */
export const probingAt = ({ connectTo, caFile }) => ({
  PROBE_CONNECT_TO: connectTo,
  PROBE_CA_FILE: caFile,
  TARGET_PROBES_PER_15_MIN: '10000',
  TARGET_REQUESTS_PER_MIN: '1000000',
});

/** Gives `buyer` 1,000 USDC, and each of the `senders` gas for its transactions. */
export async function putChain(stage, { usdc, chainId }, { buyer, senders }) {
  const chain = await startChain({ dir: join(stage.dir, 'chain'), chainId });
  stage.later(() => chain.process.stop());
  const client = chainClient(chain.rpcUrl, chainId);
  await installUsdc(client, usdc);
  await mintUsdc(client, buyer, 1_000_000_000n);
  for (const address of senders) await client.setBalance({ address, value: parseEther('100') });
  return chain.rpcUrl;
}

/** A plain HTTP server; returns its origin. */
export async function putServer(stage, answer) {
  const server = createServer(answer);
  stage.later(() => server.close());
  return `http://127.0.0.1:${await portOf(server)}`;
}

/**
 * A facilitator that accepts every payment at once, because the service is measured. @returns the variables for a
 * gateway to sell through it
 */
export async function putSelling(stage) {
  const payer = privateKeyToAddress(generatePrivateKey());
  const kinds = [{ x402Version: 2, scheme: 'exact', network: NETWORK }];
  const facilitator = await startFacilitator({
    getSupported: async () => ({ kinds, extensions: [], signers: {} }),
    verify: async () => ({ isValid: true, payer }),
    settle: async () => ({ success: true, transaction: `0x${'ab'.repeat(32)}`, network: NETWORK, payer }),
  });
  stage.later(() => facilitator.stop());
  return { X402_PAY_TO: privateKeyToAddress(generatePrivateKey()), X402_FACILITATOR_URL: facilitator.url };
}
