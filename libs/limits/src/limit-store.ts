import { Redis } from 'ioredis';
import type { Pool } from 'pg';
import { RateLimiterPostgres, RateLimiterRedis, type RateLimiterStoreAbstract } from 'rate-limiter-flexible';

/** A limiter of callers waits no longer than this for its store, since a caller waits as long. */
export const STORE_TIMEOUT_MS = 2_000;

/** Table of the counters on Postgres (prisma/schema.prisma, `LimitCounter`). */
const TABLE = 'limit_counter';

export interface LimitStoreOptions {
  /** Null counts in Postgres. */
  readonly redisUrl: string | null;
  readonly pool: Pool;
}

/** Short texts that all processes share, each for a while after it was set. */
export interface SharedTexts {
  get(key: string): Promise<string | undefined>;
  set(key: string, text: string): Promise<void>;
}

/** Counters that all gateways and workers share. */
export interface Counters {
  /** A limiter of `points` per window of `durationSec`; limiters of the same name share their counters. */
  limiter(name: string, points: number, durationSec: number): RateLimiterStoreAbstract;
}

/** What all gateways and workers share about callers and targets. */
export interface LimitStore extends Counters {
  texts(name: string, durationSec: number): SharedTexts;
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
