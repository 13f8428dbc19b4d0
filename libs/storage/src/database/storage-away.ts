import { BucketAwayError } from './evidence-bucket';

/**
 * SQLSTATEs of a server that cannot do its work now, rather than of a statement that is wrong: class 08 (connection),
 * class 53 (no connections, disk or memory left), 57014 (it did not do it in time), 57P01 to 57P03 (it stops, crashed or
 * starts) and 25006 (it only reads, as a standby does; https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
const AWAY_STATES = /^(?:08...|53...|57014|57P0[123]|25006)$/;

/** Faults of the socket to it, as Node.js names them. */
const AWAY_SOCKETS: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** What `pg` says, without a code, of a connection that broke, never came about or is silent. */
const AWAY_WORDS =
  /^(?:Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client (?:was closed|has encountered a connection))/;

/** What Prisma's adapter makes of the same; of the others it passes the SQLSTATE on (`originalCode`). */
const AWAY_KINDS: ReadonlySet<unknown> = new Set([
  'DatabaseNotReachable',
  'ConnectionClosed',
  'SocketTimeout',
  'TooManyConnections',
]);

/** Whether an error says that Postgres or the bucket is out of reach: the same may be tried again later. */
export function isStorageAway(error: unknown): boolean {
  if (error instanceof BucketAwayError) return true;
  const { code, message, meta } = Object(error) as { code?: unknown; message?: unknown; meta?: PrismaMeta };
  if (typeof message === 'string' && AWAY_WORDS.test(message)) return true;
  const { kind, originalCode = code } = meta?.driverAdapterError?.cause ?? {};
  if (AWAY_KINDS.has(kind)) return true;
  return typeof originalCode === 'string' && (AWAY_STATES.test(originalCode) || AWAY_SOCKETS.has(originalCode));
}

/** What Prisma 7 says of the driver's error that it wraps. */
interface PrismaMeta {
  readonly driverAdapterError?: { readonly cause?: { readonly kind?: unknown; readonly originalCode?: unknown } };
}
