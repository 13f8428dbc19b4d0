import { resolve } from 'node:path';
import type { INestApplicationContext } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { loadConfig, type Config } from '@app/config';
import { createLogger } from '@app/platform';
import type { DestinationStream } from 'pino';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import type { Services } from '../../apps/gateway/src/compose';
import { createGateway } from '../../apps/gateway/src/gateway.app';
import { everyRoute } from '../../apps/gateway/src/gateway.document';
import { SERVICES } from '../../apps/gateway/src/gateway.module';
import { installationOf } from '../../apps/gateway/src/products/installation';
import { freePort } from '../../apps/standalone/src/embedded/free-port';
import { createWorker } from '../../apps/worker/src/worker.app';
import { Contract } from './contract';
import { freshDatabase, freshRedis, stack } from './stack';
import { testCaFile } from './test-host';
import { until } from './until';

/** Threads run the build, because jest's transforms do not apply to them. */
const BUILT_THREAD = resolve('dist/apps/worker/src/judging/judging-thread.js');

export interface ServiceOptions {
  /** By default Postgres. */
  readonly backend?: 'redis' | 'postgres';
  /** Test hosts, as PROBE_CONNECT_TO. */
  readonly connectTo?: readonly string[];
  /** By default that of the test hosts. */
  readonly caFile?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Log target of both processes; by default standard output. */
  readonly logTo?: DestinationStream;
  /** Entry file of the worker's detector threads; by default from the build. */
  readonly threadFile?: string;
  /** `false` for requests that no client makes: their answers are not compared with the OpenAPI document. */
  readonly contract?: false;
  /** `false` starts without a worker. */
  readonly worker?: boolean;
}

/**
 * A gateway and a worker in this process, with real databases, queue and chain. Every answer is compared with the
 * OpenAPI document.
 */
export interface Service {
  readonly baseUrl: string;
  readonly payTo: `0x${string}`;
  readonly config: Config;
  readonly gateway: NestFastifyApplication;
  /** The gateway's services. */
  readonly services: Services;
  /** The started workers, in order. */
  readonly workers: readonly INestApplicationContext[];
  /** Starts a worker, optionally with other settings. */
  startWorker(env?: Readonly<Record<string, string>>): Promise<INestApplicationContext>;
  /** Resolves when the gateway knows that there is a worker. */
  admitted(): Promise<void>;
  stop(): Promise<void>;
}

export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const port = await freePort();
  const payTo = privateKeyToAddress(generatePrivateKey());
  const redisUrl = options.backend === 'redis' ? await freshRedis() : null;
  const env = {
    NODE_ENV: 'test',
    PORT: String(port),
    DATABASE_URL: await freshDatabase(),
    ...(redisUrl === null ? {} : { REDIS_URL: redisUrl }),
    X402_NETWORK: 'eip155:8453',
    X402_PAY_TO: payTo,
    X402_FACILITATOR_URL: stack().facilitatorUrl,
    RPC_URL_8453: stack().rpcUrl,
    PROBE_CONNECT_TO: (options.connectTo ?? []).join(','),
    ...(options.connectTo && { PROBE_CA_FILE: options.caFile ?? (await testCaFile()) }),
    // One test host stands for many; tests of the budgets set their own limits.
    TARGET_PROBES_PER_15_MIN: '10000',
    TARGET_REQUESTS_PER_MIN: '1000000',
    RATE_LIMIT_REFUSED_PAYMENTS_PER_MIN: '1000000',
    FREE_PROBES_PER_SITE_DAY: '1000000',
    LOG_LEVEL: process.env['E2E_LOG'] ?? 'error',
    ...options.env,
  };
  const config = loadConfig(env);
  const logger = createLogger('e2e', config.logLevel, options.logTo);
  const workers: INestApplicationContext[] = [];
  const startWorker = async (other = {}): Promise<INestApplicationContext> => {
    const worker = await createWorker(loadConfig({ ...env, ...other }), logger, options.threadFile ?? BUILT_THREAD);
    workers.push(worker);
    return worker;
  };
  if (options.worker !== false) await startWorker();
  const gateway = await createGateway(config, logger);
  if (options.contract !== false) {
    new Contract(everyRoute(installationOf(config))).watch(gateway.getHttpAdapter().getInstance());
  }
  await gateway.listen(port, '127.0.0.1');
  return {
    baseUrl: config.http.publicBaseUrl,
    payTo,
    config,
    gateway,
    services: gateway.get<Services>(SERVICES),
    workers,
    startWorker,
    async admitted() {
      const refresh = `http://127.0.0.1:${port}/api/v1/hosts/example.com/refresh`;
      await until('a gateway that knows of a worker', async () => (await fetch(refresh)).status !== 503);
    },
    async stop() {
      await gateway.close();
      await Promise.all(workers.map((worker) => worker.close()));
    },
  };
}
