import { createHash } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import { Pool } from 'pg';
import { defined, within } from '@app/platform';
import { connectTimeoutMs } from './connect-timeout';
import { EvidenceBucket, type BucketConfig } from './evidence-bucket';
import { Prisma, PrismaClient } from '../generated/client';
import { ServerSecretRepository } from './server-secret.repository';

/** Timeout of a statement in milliseconds, because a caller waits for each of them. */
const STATEMENT_MS = 5_000;
/**
 * The server normally ends a slow statement itself. If it does not, the connection is dropped after this extra time.
 */
const SILENCE_MS = 500;
/** How many statements of a transaction may be slow; Prisma rolls back a transaction that takes longer. */
const SLOW_STATEMENTS = 3;
/** Longer than any audit takes. */
const DAY_MS = 86_400_000;
/**
 * A prefix for SQL whose plan each connection should cache. A sale runs four such statements, whose planning took 1.3
 * ms. Other statements are not cached: the lists in them create more variants than a connection should store.
 */
export const KEEP_PLAN = Prisma.raw('/* keep plan */');
const statementNameGenerator = ({ sql }: { readonly sql: string }): string =>
  sql.startsWith(KEEP_PLAN.sql) ? createHash('sha1').update(sql).digest('base64url') : '';
/** How long closing the connections may take, in milliseconds. */
const CLOSE_MS = 1_500;

export interface DatabaseOptions {
  readonly maxConnections?: number;
  readonly secretsKeys?: readonly string[];
  /** Null for slow work such as an audit. */
  readonly statementMs?: number | null;
  /** The bucket for the bytes of evidence; without one, they are stored in Postgres. */
  readonly evidence?: BucketConfig | null;
}

/** The client itself or a transaction, for writes. */
export type Transaction = Prisma.TransactionClient;

/**
 * One connection pool per process, shared by Prisma and direct queries (docs/adr/0010-prisma-and-sql.md). The first
 * Prisma statement loads its query compiler, which takes 80 ms and 20 to 30 MB (the small variant, see
 * prisma/schema.prisma).
 */
export class Database {
  readonly pool: Pool;
  readonly prisma: PrismaClient;
  /** The shared secrets, and the key that encrypts other data at rest; needs `secretsKeys`. */
  readonly secrets: ServerSecretRepository;
  readonly bucket: EvidenceBucket | undefined;

  constructor(
    readonly url: string,
    private readonly options: DatabaseOptions = {},
  ) {
    const { statementMs = STATEMENT_MS } = options;
    this.pool = new Pool({
      connectionString: inUtc(url),
      max: options.maxConnections ?? 10,
      connectionTimeoutMillis: connectTimeoutMs(url),
      ...(statementMs !== null && { statement_timeout: statementMs, query_timeout: statementMs + SILENCE_MS }),
    });
    // Without listeners, a broken connection would crash the process. The pool replaces an idle one; one in use fails
    // its next statement.
    this.pool.on('error', () => undefined).on('connect', (client) => client.on('error', () => undefined));
    // Prisma returns a connection to the pool even if the rollback failed; the next user would then write into that
    // transaction.
    this.pool.on('release', (_error, client) => {
      if (client.getTransactionStatus() !== 'I') void client.end();
    });
    this.secrets = new ServerSecretRepository(this.pool, options.secretsKeys ?? []);
    this.bucket = options.evidence ? new EvidenceBucket(options.evidence) : undefined;
    // Prisma's errors are logged, and the minimal format quotes no source code.
    const transactionOptions =
      statementMs === null
        ? { maxWait: DAY_MS, timeout: DAY_MS }
        : { maxWait: statementMs, timeout: SLOW_STATEMENTS * statementMs };
    const adapter = new PrismaPg(this.pool, { statementNameGenerator });
    this.prisma = new PrismaClient({ adapter, errorFormat: 'minimal', transactionOptions });
  }

  /**
   * Runs `work` in a transaction; any error rolls back and is rethrown. Waits for a connection as long as for a
   * statement.
   */
  inTransaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.prisma.$transaction(work);
  }

  /**
   * Runs a query without Prisma: for queries before a process is ready, long before Prisma has loaded, and for the one
   * read that would be too slow.
   * @param name of the statement, which each connection prepares once
   */
  async rawQuery({ text, values }: Prisma.Sql, name?: string): Promise<readonly unknown[]> {
    const { rows } = await this.pool.query<Record<string, unknown>>({ ...defined({ name }), text, values });
    return rows;
  }

  /** @throws if the server does not answer */
  async answers(): Promise<void> {
    await this.rawQuery(Prisma.sql`SELECT 1`);
  }

  /** Runs `work` without a statement timeout, for deletes that scan a whole table. */
  async withoutStatementTimeout<T>(work: (database: Database) => Promise<T>): Promise<T> {
    const unlimited = new Database(this.url, { ...this.options, maxConnections: 1, statementMs: null });
    try {
      return await work(unlimited);
    } finally {
      await unlimited.close();
    }
  }

  /**
   * Runs `work` unless another process is already doing it; returns false then. The lock belongs to a connection, so it
   * is released even if this process crashes.
   * @param lock a number for this kind of work only
   */
  async exclusively(lock: number, work: () => Promise<void>): Promise<boolean> {
    const client = await this.pool.connect();
    let broken: Error | undefined;
    try {
      const { rows } = await client.query<{ got: boolean }>('SELECT pg_try_advisory_lock($1) AS got', [lock]);
      if (!rows[0]?.got) return false;
      try {
        await work();
      } finally {
        // If unlocking fails, the connection is closed, which also releases the lock.
        await client.query('SELECT pg_advisory_unlock($1)', [lock]).catch((error: unknown) => {
          broken = asError(error);
        });
      }
      return true;
    } finally {
      client.release(broken);
    }
  }

  /** Closes the connections, with a timeout, so that a process can exit while the server does not answer. */
  async close(): Promise<void> {
    await within(CLOSE_MS, this.end(), () => undefined);
  }

  private async end(): Promise<void> {
    await this.bucket?.close();
    await this.prisma.$disconnect();
    if (!this.pool.ended) await this.pool.end();
  }
}

/** Whether an insert failed because of a duplicate key. */
export function isTaken(error: unknown): boolean {
  return error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002';
}

/**
 * The URL with the session time zone set to UTC. Prisma's adapter writes and reads times without a zone as UTC, so a
 * server in another zone would shift them by hours.
 */
function inUtc(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  url.searchParams.set('options', `${url.searchParams.get('options') ?? ''} -c TimeZone=UTC`.trim());
  return url.href;
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
