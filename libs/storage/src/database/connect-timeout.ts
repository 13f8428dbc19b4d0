const DEFAULT_SEC = 5;

/**
 * How long to wait for a new or pooled connection, in milliseconds: `connect_timeout` of the URL, in seconds as in
 * libpq (https://www.postgresql.org/docs/current/libpq-connect.html). Unlike in libpq, 0 and invalid values mean five
 * seconds, so that nobody waits forever.
 */
export function connectTimeoutMs(databaseUrl: string): number {
  const stated = Number(new URL(databaseUrl).searchParams.get('connect_timeout'));
  return (stated > 0 && Number.isFinite(stated) ? stated : DEFAULT_SEC) * 1_000;
}
