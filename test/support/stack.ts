import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { migrate } from '@app/storage';
import { startMoney } from './money';

/** The real backends that global-setup started. */
export interface Stack {
  readonly databaseUrl: string;
  /** Null on a machine without redis-server. */
  readonly redisUrl: string | null;
  readonly rpcUrl: string;
  readonly facilitatorUrl: string;
}

export function stack(): Stack {
  return JSON.parse(process.env['HOSTPROBE_E2E'] ?? '') as Stack;
}

/**
 * Gives the tests of this file their own chain and facilitator, because the shared ones are used by other files at the
 * same time, which would lose money when this one reverts blocks.
 * @returns stops both
 */
export async function useOwnChain(): Promise<() => Promise<void>> {
  const { rpcUrl, facilitatorUrl, stop } = await startMoney(mkdtempSync(join(tmpdir(), 'hostprobe-chain-')));
  process.env['HOSTPROBE_E2E'] = JSON.stringify({ ...stack(), rpcUrl, facilitatorUrl });
  return stop;
}

/** The available queue backends; global-setup prints a message if Redis is missing. */
export function backends(): readonly ('redis' | 'postgres')[] {
  return stack().redisUrl === null ? ['postgres'] : ['redis', 'postgres'];
}

/** On a busy machine, opening a connection may take seconds. */
const CONNECT_TIMEOUT_SEC = 60;

/** The template database of the tests, so that migrations run once. */
const MIGRATED = 'migrated';

/** An empty, migrated database for one test file or one service. */
export function freshDatabase(): Promise<string> {
  return createDatabase(stack().databaseUrl, `test_${randomBytes(6).toString('hex')}`, MIGRATED);
}

/** Creates the template database. */
export async function migrateOnce(databaseUrl: string): Promise<void> {
  await migrate(await createDatabase(databaseUrl, MIGRATED));
}

/** @returns its URL */
async function createDatabase(databaseUrl: string, name: string, from = 'template1'): Promise<string> {
  const client = new Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: CONNECT_TIMEOUT_SEC * 1_000,
  });
  await client.connect();
  await client.query(`CREATE DATABASE ${name} TEMPLATE ${from}`);
  await client.end();
  const url = new URL(databaseUrl);
  url.pathname = `/${name}`;
  url.searchParams.set('connect_timeout', String(CONNECT_TIMEOUT_SEC));
  return url.href;
}

/**
 * The number of databases in the test run's Redis: more than services are started in one run. Database 0 counts those
 * in use.
 */
export const REDIS_DATABASES = 1_024;

/** An empty Redis database that no other service of the run uses, in any test process. */
export async function freshRedis(): Promise<string | null> {
  const { redisUrl } = stack();
  if (redisUrl === null) return null;
  const redis = new Redis(redisUrl);
  const given = await redis.incr('databases-given-out');
  redis.disconnect();
  if (given >= REDIS_DATABASES) throw new Error(`the test run has no more than ${REDIS_DATABASES} Redis databases`);
  const url = new URL(redisUrl);
  url.pathname = `/${given}`;
  return url.href;
}
