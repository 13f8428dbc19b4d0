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
/** The server ends a statement itself while it can; a connection on which it does not is given up so much later. */
const SILENCE_MS = 500;
/** Statements of a transaction that may be at their bound: Prisma rolls back one that takes longer. */
const SLOW_STATEMENTS = 3;
/** Longer than an audit takes. */
const DAY_MS = 86_400_000;
/**
 * Begins SQL whose plan each connection keeps: that of a sale is made in four statements, and planning them took 1.3 ms. The
 * rest has no name, since the lists in it make more texts than a connection should keep plans of.
 */
export const KEEP_PLAN = Prisma.raw('/* keep plan */');
const statementNameGenerator = ({ sql }: { readonly sql: string }): string =>
  sql.startsWith(KEEP_PLAN.sql) ? createHash('sha1').update(sql).digest('base64url') : '';
/** How long the server may take to let go of the connections, in milliseconds. */
const CLOSE_MS = 1_500;

export interface DatabaseOptions {
  readonly maxConnections?: number;
  readonly secretsKeys?: readonly string[];
  /** Null for work that may take long, such as an audit. */
  readonly statementMs?: number | null;
  /** What takes the bytes of evidence; without one they are in Postgres. */
  readonly evidence?: BucketConfig | null;
}

/** What writes: the client itself, or a transaction of it. */
export type Transaction = Prisma.TransactionClient;

/**
 * One connection pool per process, for Prisma and beside it (docs/adr/0010-prisma-and-sql.md). The first statement through Prisma
 * reads its query compiler, 80 ms and 20 to 30 MB with the small one (prisma/schema.prisma).
 */
export class Database {
  readonly pool: Pool;
  readonly prisma: PrismaClient;
  /** What the processes share and what seals the rest at rest; needs `secretsKeys`. */
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
    // Without listeners a connection that breaks would end the process. The pool replaces an idle one; one that is in use
    // fails its next statement.
    this.pool.on('error', () => undefined).on('connect', (client) => client.on('error', () => undefined));
    // Prisma returns a connection to the pool even when the rollback failed: the next user would write into that transaction.
    this.pool.on('release', (_error, client) => {
      if (client.getTransactionStatus() !== 'I') void client.end();
    });
    this.secrets = new ServerSecretRepository(this.pool, options.secretsKeys ?? []);
    this.bucket = options.evidence ? new EvidenceBucket(options.evidence) : undefined;
    // Its messages stand in logs, and minimal ones quote no source code.
    const transactionOptions =
      statementMs === null
        ? { maxWait: DAY_MS, timeout: DAY_MS }
        : { maxWait: statementMs, timeout: SLOW_STATEMENTS * statementMs };
    const adapter = new PrismaPg(this.pool, { statementNameGenerator });
    this.prisma = new PrismaClient({ adapter, errorFormat: 'minimal', transactionOptions });
  }

  /** Runs `work` in a transaction; any error rolls back and is rethrown. Waits for a connection as long as a statement may take. */
  inTransaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.prisma.$transaction(work);
  }

  /**
   * Rows of a statement without Prisma: what a process asks before it is ready, which is long before Prisma would be, and
   * the one read for which it is too slow.
   * @param name of the statement that each connection prepares once
   */
  async rawQuery({ text, values }: Prisma.Sql, name?: string): Promise<readonly unknown[]> {
    const { rows } = await this.pool.query<Record<string, unknown>>({ ...defined({ name }), text, values });
    return rows;
  }

  /** @throws when the server does not answer */
  async answers(): Promise<void> {
    await this.rawQuery(Prisma.sql`SELECT 1`);
  }

  /** Runs `work` on a connection whose statements may take as long as they need, for deletes that go through a table. */
  async withoutStatementTimeout<T>(work: (database: Database) => Promise<T>): Promise<T> {
    const unlimited = new Database(this.url, { ...this.options, maxConnections: 1, statementMs: null });
    try {
      return await work(unlimited);
    } finally {
      await unlimited.close();
    }
  }

  /**
   * Runs `work` unless another process is at it, and returns false then. The lock belongs to a connection, so it ends
   * with this process however it ends.
   * @param lock a number that only this kind of work uses.
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
        // A connection that cannot unlock is closed instead, which unlocks as well.
        await client.query('SELECT pg_advisory_unlock($1)', [lock]).catch((error: unknown) => {
          broken = asError(error);
        });
      }
      return true;
    } finally {
      client.release(broken);
    }
  }

  /** Lets go of the server; of one that does not answer after a while, so that a process can end. */
  async close(): Promise<void> {
    await within(CLOSE_MS, this.end(), () => undefined);
  }

  private async end(): Promise<void> {
    await this.bucket?.close();
    await this.prisma.$disconnect();
    if (!this.pool.ended) await this.pool.end();
  }
}

/** Whether a row was not made because its key is taken. */
export function isTaken(error: unknown): boolean {
  return error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002';
}

/**
 * The URL of sessions whose time zone is UTC. Prisma's adapter writes times without a zone and reads them as those of UTC: at
 * a server with another zone all of its times would be hours wrong.
 */
function inUtc(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  url.searchParams.set('options', `${url.searchParams.get('options') ?? ''} -c TimeZone=UTC`.trim());
  return url.href;
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
