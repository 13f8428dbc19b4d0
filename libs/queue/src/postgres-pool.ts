import { runMigrations } from 'bullmq';
import { Pool } from 'pg';

/** Jobs of a Postgres queue live in a schema of their own, which BullMQ migrates itself. */
const QUEUE_SCHEMA = 'bullmq';
/** Connections of a process for all that its queues ask; each queue it takes jobs from listens on one more. */
const CONNECTIONS = 4;
/** A line that went dead is found after this long, in milliseconds. */
const KEEP_ALIVE_MS = 10_000;

interface SharedPool {
  readonly pool: Pool;
  shares: number;
  migrated: Promise<void> | undefined;
}

/** One for each database: Postgres has room for some hundred connections of all processes. */
const pools = new Map<string, SharedPool>();

/** Whether a queue of this process still has open connections. Connections that BullMQ closes itself may outlive their queue. */
export function holdsConnections(): boolean {
  return pools.size > 0;
}

/** A pool for BullMQ to use as its own, so that everything it attaches, such as error listeners, ends with it. */
export class PoolShare {
  private readonly shared: SharedPool;
  private ended: Promise<void> | undefined;

  constructor(private readonly url: string) {
    this.shared = pools.get(url) ?? { pool: openPool(url), shares: 0, migrated: undefined };
    this.shared.shares += 1;
    pools.set(url, this.shared);
  }

  /** With the last share the pool ends: what BullMQ still asks on its own, such as a queue that was just opened, fails. Asked twice, it ends once. */
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
  // Without listeners a connection that breaks would end the process: the pool replaces an idle one, and one that is in use
  // fails its next statement.
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
