// Programs for the proof that most machines lack: Docker's engine, compose, and tools for building base images. They
// are unpacked from Debian packages into a folder; nothing is installed.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ENGINE = ['docker.io', 'containerd', 'tini', 'runc', 'iptables', 'slirp4netns', 'debootstrap'];
const LIBRARIES = ['libslirp0', 'libip4tc2', 'libip6tc2', 'libnetfilter-conntrack3', 'libnfnetlink0', 'libnftnl11'];
/** Bookworm does not have compose version 2. */
const NEWER = ['docker-compose', 'docker-buildx'];
const sourceAt = (mirror) => `Types: deb
URIs: ${mirror}
Suites: trixie
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
`;

export function run(command, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    ...options,
  });
  if (error || status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? stderr.slice(-2_000)}`);
  return stdout.trim();
}

/** The Debian mirror of this machine. */
export function debianMirror() {
  const [mirror] = run('apt-get', ['indextargets', '--format', '$(REPO_URI)', 'Label: Debian']).split('\n');
  if (!mirror) throw new Error('apt has no list of Debian: run apt-get update');
  return mirror;
}

/** The same, without blocking this process, which keeps answering and buying. */
export async function runBeside(command, args, { input, ...options } = {}) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], ...options });
  let [said, complained] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text) => (said += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (complained += text));
  child.stdin.on('error', () => undefined).end(input);
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${command} ${args.join(' ')}: ${complained.slice(-2_000)}`);
  return said.trim();
}

/** @returns `env` with the tools on the PATH, and `find`, which returns the path of one */
export function putTools(dir) {
  const root = join(dir, 'tools');
  if (!existsSync(root)) {
    const packages = join(dir, 'packages');
    mkdirSync(packages, { recursive: true });
    run('apt-get', ['download', ...ENGINE, ...LIBRARIES], { cwd: packages });
    const apt = privateList(dir);
    run('apt-get', [...apt, 'update']);
    run('apt-get', [...apt, 'download', ...NEWER], { cwd: packages });
    for (const file of readdirSync(packages)) run('dpkg', ['-x', join(packages, file), root]);
    for (const name of ['iptables', 'ip6tables', 'iptables-save', 'ip6tables-save', 'iptables-restore'])
      symlinkSync('xtables-nft-multi', join(root, 'usr/sbin', name));
  }
  const [folder] = readdirSync(join(root, 'usr/lib')).filter((name) => name.endsWith('-linux-gnu'));
  return {
    root,
    find: (name) => join(root, 'usr/bin', name),
    env: {
      ...process.env,
      PATH: `${join(root, 'usr/bin')}:${join(root, 'usr/sbin')}:${process.env.PATH}`,
      LD_LIBRARY_PATH: join(root, 'usr/lib', folder),
      XTABLES_LIBDIR: join(root, 'usr/lib', folder, 'xtables'),
      DEBOOTSTRAP_DIR: join(root, 'usr/share/debootstrap'),
    },
  };
}

/** Package lists of Debian's next release, used only for these packages. */
function privateList(dir) {
  const at = join(dir, 'apt');
  for (const folder of ['lists/partial', 'cache/archives/partial']) mkdirSync(join(at, folder), { recursive: true });
  writeFileSync(join(at, 'next.sources'), sourceAt(debianMirror()));
  const options = {
    'Dir::Etc::sourcelist': join(at, 'next.sources'),
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::State::lists': join(at, 'lists'),
    'Dir::Cache': join(at, 'cache'),
    'APT::Sandbox::User': 'root',
  };
  return Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
}
