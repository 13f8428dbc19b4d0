// npm run prove:deploy: runs the image and docker-compose.yml on its own Docker engine in namespaces, with base images
// built from Debian and npm, and reports the results. Needs Linux, root, Debian's apt and 12 GB. Everything is in one
// folder that is deleted at the end; with PROVE_DEPLOY_DIR, downloads and images are kept for the next run.
import { fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FREE_GB = 12;
const INSIDE = fileURLToPath(new URL('./prove-deploy/inside.mjs', import.meta.url));
const say = (line) => process.stdout.write(`${line}\n`);

/** Why the proof cannot run on this machine. */
function forbidden(dir) {
  if (process.platform !== 'linux' || process.getuid() !== 0) return 'it needs Linux and root';
  const lacks = ['apt-get', 'dpkg', 'unshare', 'ip', 'nft', 'git', 'tar'].filter(
    (command) => spawnSync('sh', ['-c', `command -v ${command}`]).status !== 0,
  );
  if (lacks.length > 0) return `missing programs: ${lacks.join(', ')}`;
  const { status } = spawnSync('unshare', ['-n', '-m', '-p', '--fork', '--mount-proc', 'true']);
  if (status !== 0) return 'this system does not allow namespaces';
  const { bavail, bsize } = statfsSync(dir);
  return bavail * bsize < FREE_GB * 1e9 ? `${dir} has less than ${FREE_GB} GB free` : undefined;
}

/** Runs the proof in its own namespaces; it has network access only while it asks for it. */
async function prove(dir, tools) {
  const inside = fork(INSIDE, [dir], {
    execPath: 'unshare',
    execArgv: ['-n', '-m', '-p', '--fork', '--kill-child', '--mount-proc', process.execPath],
    env: { ...process.env, ...tools.env },
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => inside.kill('SIGKILL'));
  let way;
  inside.on('message', (wanted) => {
    if (wanted === 'network') {
      const args = ['--configure', '--mtu=1400', '--disable-host-loopback', '--netns-type=path'];
      way = spawn(tools.find('slirp4netns'), [...args, `/proc/${inside.pid}/ns/net`, 'tap0'], { env: tools.env });
    } else way?.kill();
  });
  const [code] = await once(inside, 'exit');
  way?.kill();
  return code ?? 1;
}

/** Removes leftover control groups of ended containers. */
const removeGroups = () =>
  spawnSync('sh', ['-c', 'find /sys/fs/cgroup/*/hostprobe-proof -depth -type d -exec rmdir {} ";" 2>/dev/null']);

const kept = process.env.PROVE_DEPLOY_DIR;
if (kept) mkdirSync(kept, { recursive: true });
const reason = forbidden(kept ?? tmpdir());
if (reason) {
  say(`nothing was proved: ${reason}`);
  process.exitCode = 1;
} else {
  await import('./build-if-stale.mjs');
  const { putTools } = await import('./prove-deploy/tools.mjs');
  const { putImages } = await import('./prove-deploy/base-images.mjs');
  const dir = kept ?? mkdtempSync(join(tmpdir(), 'hostprobe-deploy-'));
  try {
    const tools = putTools(dir);
    await putImages(dir, tools);
    process.exitCode = await prove(dir, tools);
  } finally {
    removeGroups();
    if (!kept) rmSync(dir, { recursive: true, force: true });
  }
}
