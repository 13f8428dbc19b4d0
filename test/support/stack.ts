import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { migrate } from '@app/persistence';

/** The real parts that global-setup started. */
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

/** The queue backends there are on this machine; global-setup says aloud when Redis is not. */
export function backends(): readonly ('redis' | 'postgres')[] {
  return stack().redisUrl === null ? ['postgres'] : ['redis', 'postgres'];
}

/** An empty, migrated database of its own for one test file or one service. */
export async function freshDatabase(): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const client = new Client({ connectionString: stack().databaseUrl });
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  const url = new URL(stack().databaseUrl);
  url.pathname = `/${name}`;
  await migrate(url.href);
  return url.href;
}

let nextRedisDatabase = (Number(process.env['JEST_WORKER_ID'] ?? '1') - 1) * 8;

/** An empty Redis database that no other service of this file uses. */
export async function freshRedis(): Promise<string | null> {
  const { redisUrl } = stack();
  if (redisUrl === null) return null;
  const url = new URL(redisUrl);
  url.pathname = `/${nextRedisDatabase++ % 16}`;
  // Earlier test files used the same few databases: their counters and jobs must not reach this one.
  const redis = new Redis(url.href);
  await redis.flushdb();
  redis.disconnect();
  return url.href;
}
