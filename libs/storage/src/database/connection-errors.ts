import { BucketUnavailableError } from './evidence-bucket';

/**
 * SQLSTATEs of a server that cannot do its work now, rather than of a statement that is wrong: class 08 (connection),
 * class 53 (no connections, disk or memory left), 40001 and 40P01 (it gave way to another transaction), 57014 (it did not do it
 * in time), 57P01 to 57P03 (it stops, crashed or starts) and 25006 (it only reads, as a standby does;
 * https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
const CONNECTION_ERROR_STATES = /^(?:08...|53...|40001|40P01|57014|57P0[123]|25006)$/;

/** The same as Prisma says it, as its adapter does, and faults of the socket to the server, as Node.js names them. */
const CONNECTION_ERROR_NAMES: ReadonlySet<unknown> = new Set([
  ...['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2034', 'P2037'],
  ...['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections', 'TransactionWriteConflict'],
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'],
]);

/** What `pg` says, without a code, of a connection that broke, never came about or is silent. */
const CONNECTION_ERROR_WORDS =
  /^(?:Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client (?:was closed|has encountered a connection))/;

/** Prisma's messages about a transaction that got no connection or took too long. Its code P2028 also covers misuse. */
const CONNECTION_ERROR_TRANSACTIONS = /Unable to start a transaction|on an expired transaction/;

/** Whether an error says that Postgres or the bucket is out of reach: the same may be tried again later. */
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

/** Prisma 7 keeps the driver's error in `meta`; one that ends a commit comes as it left the driver's adapter. */
interface PrismaError {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly meta?: { readonly driverAdapterError?: { readonly cause?: unknown } };
  readonly cause?: unknown;
}
