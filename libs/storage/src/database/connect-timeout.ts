const DEFAULT_SEC = 5;

/**
 * Longest wait for a connection, a new one or one that others use, in milliseconds: `connect_timeout` of the URL, which
 * counts seconds, as libpq reads it (https://www.postgresql.org/docs/current/libpq-connect.html). Unlike there, 0 and what
 * is no number mean five seconds: no caller waits for ever.
 */
export function connectTimeoutMs(databaseUrl: string): number {
  const stated = Number(new URL(databaseUrl).searchParams.get('connect_timeout'));
  return (stated > 0 && Number.isFinite(stated) ? stated : DEFAULT_SEC) * 1_000;
}
