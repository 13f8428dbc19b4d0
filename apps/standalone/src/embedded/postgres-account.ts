import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';

/** The account that runs the embedded PostgreSQL, which refuses to run as root; undefined means our own account. */
export type PostgresAccount = { readonly uid: number; readonly gid: number } | undefined;

/** Accounts that exist on every Unix-like system or that a PostgreSQL package created. We never create an account. */
const CANDIDATES = ['postgres', 'nobody'];

/**
 * The account for a cluster: our own, unless we are root. For root it is the owner of an existing cluster, or else
 * the first of `postgres` and `nobody` that exists.
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
