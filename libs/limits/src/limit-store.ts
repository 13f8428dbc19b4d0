import { Redis } from 'ioredis';
import type { Pool } from 'pg';
import { RateLimiterPostgres, RateLimiterRedis, type RateLimiterStoreAbstract } from 'rate-limiter-flexible';

/** A limiter waits no longer than this for its store, since a caller waits as long. */
const STORE_TIMEOUT_MS = 2_000;

/** Table of the counters on Postgres (prisma/schema.prisma, `LimitCounter`). */
const TABLE = 'limit_counter';

export interface LimitStoreOptions {
  /** Null counts in Postgres. */
  readonly redisUrl: string | null;
  readonly pool: Pool;
}

/** Counters that all gateways and workers share. */
export interface LimitStore {
  /** A limiter of `points` per window of `durationSec`; limiters of the same name share their counters. */
  limiter(name: string, points: number, durationSec: number): RateLimiterStoreAbstract;
  close(): void;
}

/** Counters live where the queue lives: in Redis, or in Postgres when there is none. */
export function openLimitStore({ redisUrl, pool }: LimitStoreOptions): LimitStore {
  return redisUrl === null ? postgresStore(pool) : redisStore(redisUrl);
}

function redisStore(url: string): LimitStore {
  const storeClient = new Redis(url, { maxRetriesPerRequest: 1, commandTimeout: STORE_TIMEOUT_MS });
  storeClient.on('error', () => undefined); // every failed command is reported to its caller
  return {
    limiter: (name, points, duration) =>
      new RateLimiterRedis({ storeClient, keyPrefix: `hostprobe:${name}`, points, duration }),
    close: () => {
      storeClient.disconnect();
    },
  };
}

function postgresStore(storeClient: Pool): LimitStore {
  return {
    limiter: (name, points, duration) =>
      new RateLimiterPostgres({
        storeClient,
        storeType: 'pool',
        keyPrefix: name,
        tableName: TABLE,
        tableCreated: true,
        points,
        duration,
      }),
    close: () => undefined,
  };
}
