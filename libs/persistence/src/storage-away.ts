/**
 * SQLSTATEs of a server that cannot be talked to now, rather than of a statement that is wrong: class 08 (connection),
 * too many connections, and 57P01 to 57P03 (it stops, crashed or starts;
 * https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
const AWAY_STATES = /^(?:08...|53300|57P0[123])$/;

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
