import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';

/** Who runs the embedded PostgreSQL, which refuses to run as root; undefined is the user who started us. */
export type PostgresAccount = { readonly uid: number; readonly gid: number } | undefined;

/** Accounts that every Unix-like system knows or that a packaged PostgreSQL made. None is ever created by us. */
const CANDIDATES = ['postgres', 'nobody'];

/**
 * The account for a cluster: our own, unless we are root. Then it is the owner of an existing cluster, or else the
 * first of `postgres` and `nobody` that the system has.
 */
export function postgresAccount(clusterDir: string): PostgresAccount {
  if (process.getuid?.() !== 0) return undefined;
  if (existsSync(clusterDir)) {
    const { uid, gid } = statSync(clusterDir);
    if (uid !== 0) return { uid, gid };
  }
  for (const name of CANDIDATES) {
    const [uid, gid] = [idOf('-u', name), idOf('-g', name)];
    if (uid !== undefined && gid !== undefined) return { uid, gid };
  }
  throw new Error(
    'PostgreSQL refuses to run as root, and this machine has no account named postgres or nobody; set DATABASE_URL',
  );
}

function idOf(flag: '-u' | '-g', name: string): number | undefined {
  const { status, stdout } = spawnSync('id', [flag, name], { encoding: 'utf8' });
  return status === 0 ? Number.parseInt(stdout, 10) : undefined;
}
