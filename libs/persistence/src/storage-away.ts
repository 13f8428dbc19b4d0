/**
 * SQLSTATEs of a server that cannot do its work now, rather than of a statement that is wrong: class 08 (connection),
 * class 53 (no connections, disk or memory left), 57P01 to 57P03 (it stops, crashed or starts) and 25006 (it only reads,
 * as a standby does; https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
const AWAY_STATES = /^(?:08...|53...|57P0[123]|25006)$/;

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

/** What `pg` says, without a code, of a connection that broke or never came about. */
const AWAY_WORDS =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Client (?:was closed|has encountered a connection))/;

/** Whether an error of a statement says that Postgres is out of reach: the same may be tried again later. */
export function isStorageAway(error: unknown): boolean {
  const { code, message } = Object(error) as { readonly code?: unknown; readonly message?: unknown };
  if (typeof message === 'string' && AWAY_WORDS.test(message)) return true;
  return typeof code === 'string' && (AWAY_STATES.test(code) || AWAY_SOCKETS.has(code));
}
