import { runMigrations } from 'bullmq';
import { Pool } from 'pg';

/** The jobs of a Postgres queue have their own schema, which BullMQ migrates itself. */
const QUEUE_SCHEMA = 'bullmq';
/** Connections per process for all its queues. Each consumed queue needs one more for LISTEN. */
const CONNECTIONS = 4;
/** How soon a dead connection is detected, in milliseconds. */
const KEEP_ALIVE_MS = 10_000;

interface SharedPool {
  readonly pool: Pool;
  shares: number;
  migrated: Promise<void> | undefined;
}

/** One pool per database, because Postgres only allows some hundred connections in total. */
const pools = new Map<string, SharedPool>();

/** Whether a queue of this process still has open connections. BullMQ may close connections after their queue. */
export function holdsConnections(): boolean {
  return pools.size > 0;
}

/** A pool that BullMQ can treat as its own. Everything it attaches, such as error listeners, is removed with it. */
export class PoolShare {
  private readonly shared: SharedPool;
  private ended: Promise<void> | undefined;

  constructor(private readonly url: string) {
    this.shared = pools.get(url) ?? { pool: openPool(url), shares: 0, migrated: undefined };
    this.shared.shares += 1;
    pools.set(url, this.shared);
  }

  /**
   * The last share closes the pool. After that, BullMQ's own queries fail, for example those of a queue that was just
   * opened. Calling it twice is safe.
   */
  end(): Promise<void> {
    return (this.ended ??= this.giveBack());
  }

  private async giveBack(): Promise<void> {
    this.shared.shares -= 1;
    if (this.shared.shares > 0) return;
    pools.delete(this.url);
    await this.shared.pool.end();
  }

  get options() {
    return this.shared.pool.options;
  }

  /** Reserves a connection for a queue that listens; the returned function releases it. */
  listening(): () => void {
    this.options.max += 1;
    return () => {
      this.options.max -= 1;
    };
  }

  readonly connect = async () => {
    const { shared } = this;
    shared.migrated ??= migrate(shared.pool).catch((error: unknown) => {
      shared.migrated = undefined;
      throw error;
    });
    await shared.migrated;
    return shared.pool.connect();
  };

  readonly query = (text: string, values?: unknown[]) => this.shared.pool.query(text, values);

  on(): this {
    return this;
  }
}

function openPool(connectionString: string): Pool {
  const pool = new Pool({
    connectionString,
    max: CONNECTIONS,
    options: `-c search_path=${QUEUE_SCHEMA}`,
    allowExitOnIdle: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  });
  // Without listeners, a broken connection would crash the process. The pool replaces an idle one; one in use fails its
  // next statement.
  return pool.on('error', () => undefined).on('connect', (client) => client.on('error', () => undefined));
}

async function migrate(pool: Pool): Promise<void> {
  const client = await pool.connect();
  try {
    await runMigrations(client, QUEUE_SCHEMA);
  } finally {
    client.release();
  }
}
