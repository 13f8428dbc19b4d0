import { BucketUnavailableError } from './evidence-bucket';

/**
 * SQLSTATEs of a server that is unavailable, rather than of a wrong statement: class 08 (connection), class 53 (no
 * connections, disk or memory left), 40001 and 40P01 (conflict with another transaction), 57014 (timeout), 57P01 to
 * 57P03 (stopping, crashed or starting) and 25006 (read-only, as on a standby;
 * https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
const CONNECTION_ERROR_STATES = /^(?:08...|53...|40001|40P01|57014|57P0[123]|25006)$/;

/** The names that Prisma and its adapter use for such errors, and Node.js names of socket errors. */
const CONNECTION_ERROR_NAMES: ReadonlySet<unknown> = new Set([
  ...['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2034', 'P2037'],
  ...['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections', 'TransactionWriteConflict'],
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'],
]);

/** Messages of `pg` without a code, for a broken, failed or silent connection. */
const CONNECTION_ERROR_WORDS =
  /^(?:Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client (?:was closed|has encountered a connection))/;

/**
 * Prisma's messages about a transaction that got no connection or took too long. They are needed because code P2028
 * also covers misuse.
 */
const CONNECTION_ERROR_TRANSACTIONS = /Unable to start a transaction|on an expired transaction/;

/** Whether an error means that Postgres or the bucket is unavailable, so that a retry may help. */
export function isConnectionError(error: unknown): boolean {
  if (error instanceof BucketUnavailableError) return true;
  const { code, message, meta, cause } = Object(error) as PrismaError;
  if (
    typeof message === 'string' &&
    (CONNECTION_ERROR_WORDS.test(message) || (code === 'P2028' && CONNECTION_ERROR_TRANSACTIONS.test(message)))
  )
    return true;
  const { kind, originalCode } = Object(meta?.driverAdapterError?.cause ?? cause) as DriverFault;
  return [code, kind, originalCode].some(
    (one) => CONNECTION_ERROR_NAMES.has(one) || (typeof one === 'string' && CONNECTION_ERROR_STATES.test(one)),
  );
}

interface DriverFault {
  readonly kind?: unknown;
  readonly originalCode?: unknown;
}

/** Prisma 7 keeps the driver's error in `meta`; an error at commit arrives as the driver's adapter threw it. */
interface PrismaError {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly meta?: { readonly driverAdapterError?: { readonly cause?: unknown } };
  readonly cause?: unknown;
}
