import { Redis } from 'ioredis';
import type { Pool } from 'pg';
import { RateLimiterPostgres, RateLimiterRedis, type RateLimiterStoreAbstract } from 'rate-limiter-flexible';

/** How long rate limits wait for the store, because the caller waits too. */
export const STORE_TIMEOUT_MS = 2_000;

/** The Postgres table of the counters (prisma/schema.prisma, `LimitCounter`). */
const TABLE = 'limit_counter';

export interface LimitStoreOptions {
  /** If null, counters live in Postgres. */
  readonly redisUrl: string | null;
  readonly pool: Pool;
}

/** Short texts shared by all processes, each with an expiry. */
export interface SharedTexts {
  get(key: string): Promise<string | undefined>;
  set(key: string, text: string): Promise<void>;
}

/** Counters shared by all gateways and workers. */
export interface Counters {
  /** A limiter of `points` per window of `durationSec`. Limiters with the same name share their counters. */
  limiter(name: string, points: number, durationSec: number): RateLimiterStoreAbstract;
}

/** State about callers and targets that all gateways and workers share. */
export interface LimitStore extends Counters {
  texts(name: string, durationSec: number): SharedTexts;
  close(): void;
}

/** Counters use the same backend as the queue: Redis, or Postgres without Redis. */
export function openLimitStore({ redisUrl, pool }: LimitStoreOptions): LimitStore {
  return redisUrl === null ? postgresStore(pool) : redisStore(redisUrl);
}

function redisStore(url: string): LimitStore {
  const storeClient = new Redis(url, { maxRetriesPerRequest: 1, commandTimeout: STORE_TIMEOUT_MS });
  storeClient.on('error', () => undefined); // the caller of a failed command gets its error
  return {
    limiter: (name, points, duration) =>
      new RateLimiterRedis({ storeClient, keyPrefix: `hostprobe:${name}`, points, duration }),
    texts: (name, seconds) => ({
      get: async (key) => (await storeClient.get(`hostprobe:${name}:${key}`)) ?? undefined,
      set: async (key, text) => {
        await storeClient.set(`hostprobe:${name}:${key}`, text, 'EX', seconds);
      },
    }),
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
    texts: (name, seconds) => ({
      get: async (key) => {
        const { rows } = await storeClient.query<{ note: string | null }>(
          `SELECT note FROM ${TABLE} WHERE key = $1 AND expire > $2`,
          [`${name}:${key}`, Date.now()],
        );
        return rows[0]?.note ?? undefined;
      },
      set: async (key, text) => {
        await storeClient.query(
          `INSERT INTO ${TABLE} (key, points, expire, note) VALUES ($1, 0, $2, $3)
           ON CONFLICT (key) DO UPDATE SET expire = excluded.expire, note = excluded.note`,
          [`${name}:${key}`, Date.now() + seconds * 1_000, text],
        );
      },
    }),
    close: () => undefined,
  };
}
