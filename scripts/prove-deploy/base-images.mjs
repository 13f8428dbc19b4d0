// Replacements for the official images if no registry is reachable: the same program, users, folders and signals, built
// from Debian and npm packages.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { debianMirror, run } from './tools.mjs';

const SCRIPTS = new URL('./images/', import.meta.url);
/** Only Debian testing has Postgres 18. */
const SYSTEMS = {
  bookworm: { suite: 'bookworm', script: 'bookworm', include: 'ca-certificates,gosu,redis-server' },
  testing: { suite: 'testing', script: 'sid', include: 'gosu,postgresql-18' },
};
const AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt';

async function debootstrap(dir, tools, name) {
  const root = join(dir, 'systems', name);
  if (existsSync(join(root, 'complete'))) return;
  rmSync(root, { recursive: true, force: true });
  const { suite, script, include } = SYSTEMS[name];
  const child = spawn(
    join(tools.root, 'usr/sbin/debootstrap'),
    [
      ...['--variant=minbase', `--include=${include}`, suite, root, debianMirror()],
      join(tools.env.DEBOOTSTRAP_DIR, 'scripts', script),
    ],
    { env: { ...tools.env, LD_LIBRARY_PATH: '' }, stdio: 'ignore' },
  );
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`debootstrap of ${suite} ended with ${code}; ${root}/debootstrap holds its log`);
  for (const needless of ['var/cache/apt', 'var/lib/apt/lists', 'usr/share/doc', 'usr/share/locale'])
    rmSync(join(root, needless), { recursive: true, force: true });
  writeFileSync(join(root, 'complete'), '');
}

/** npm's build of Node.js 24 including npm, under /usr/local as in the official image. */
function putNode(dir) {
  const context = join(dir, 'contexts', 'node');
  if (existsSync(join(context, 'local/bin/node'))) return;
  const unpacked = join(dir, 'unpacked');
  mkdirSync(unpacked, { recursive: true });
  const platform = `node-linux-${process.arch}`;
  const quietly = ['--no-audit', '--no-fund', '--ignore-scripts'];
  run('npm', ['install', '--prefix', unpacked, ...quietly, `${platform}@24`, 'npm@11']);
  mkdirSync(join(context, 'local/bin'), { recursive: true });
  cpSync(join(unpacked, 'node_modules', platform, 'bin/node'), join(context, 'local/bin/node'));
  cpSync(join(unpacked, 'node_modules/npm'), join(context, 'local/lib/node_modules/npm'), { recursive: true });
}

/**
 * Prepares the build contexts of the three images.
 * @returns when `contexts/` and `systems/` in the folder are complete
 */
export async function putImages(dir, tools) {
  await Promise.all(Object.keys(SYSTEMS).map((name) => debootstrap(dir, tools, name)));
  putNode(dir);
  for (const name of ['node', 'postgres', 'redis'])
    cpSync(new URL(name, SCRIPTS), join(dir, 'contexts', name), { recursive: true });
  // The certificate authorities of this machine's network, and later that of the probed hosts.
  writeFileSync(join(dir, 'contexts/node/machine.pem'), readFileSync(AUTHORITIES));
}

/** The tags of the images and their sources. */
export const IMAGES = [
  { tag: 'node:24-bookworm-slim', context: 'node' },
  { tag: 'postgres:18', context: 'postgres' },
  { tag: 'redis:7', context: 'redis' },
];
export const SYSTEM_NAMES = Object.keys(SYSTEMS);
