// npm run prove:fences: loads the nftables rules of docs/egress.md in its own network namespaces, with a worker behind
// them, this machine before them and an Internet that answers on every address, and reports which targets the worker
// reached.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const SELF = fileURLToPath(import.meta.url);
const GUIDE = new URL('../docs/egress.md', import.meta.url);
const PORTS = [22, 53, 80, 443, 5432];
/** The targets that a worker may reach: two public addresses on web ports, and its name server. */
const OPEN = ['93.184.215.14 80', '93.184.215.14 443', '2606:4700::1 80', '2606:4700::1 443', '10.77.0.1 53'];
/** An address of each forbidden kind, and the machine itself. */
const CLOSED = `
  10.77.0.1 10.99.0.1 fd77::1 10.1.2.3 100.64.0.1 168.63.129.16 169.254.169.254 172.16.0.1 192.0.0.1 192.0.2.1
  192.31.196.1 192.52.193.1 192.88.99.1 192.168.1.1 192.175.48.1 198.18.0.1 198.51.100.1 203.0.113.1 93.184.215.14
  fd00::1 64:ff9b::a00:1 2001::1 2001:db8::1 2002:a00:1::1 2620:4f:8000::1 3fff::1 2606:4700::1
`
  .trim()
  .split(/\s+/);

const run = (command) => {
  const [file, ...args] = command.split(' ');
  const { status, stderr } = spawnSync(file, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command}: ${stderr}`);
};

const listen = () =>
  Promise.all(PORTS.map((port) => once(createServer((socket) => socket.end()).listen(port, '::'), 'listening')));

const reached = (target) =>
  new Promise((resolve) => {
    const [host, port] = target.split(' ');
    const socket = connect({ host, port: Number(port), timeout: 1_000 });
    const end = (answer) => (socket.destroy(), resolve(answer));
    socket
      .on('connect', () => end(true))
      .on('error', () => end(false))
      .on('timeout', () => end(false));
  });

/** Makes addresses usable at once, without duplicate address detection. */
function withoutWaiting() {
  for (const scope of ['all', 'default']) writeFileSync(`/proc/sys/net/ipv6/conf/${scope}/accept_dad`, '0');
}

/** Starts a process in its own namespace that runs commands and answers each with one line. */
async function put(role) {
  const child = spawn('unshare', ['-n', process.execPath, SELF, role], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  const answer = async () => JSON.parse((await once(lines, 'line'))[0]);
  await answer();
  return {
    pid: child.pid,
    ask: (what) => (child.stdin.write(`${JSON.stringify(what)}\n`), answer()),
    end: () => child.kill(),
  };
}

/** Code of the worker and the Internet: commands first, then servers or connections. */
async function obey(role) {
  withoutWaiting();
  console.log('true');
  for await (const line of createInterface({ input: process.stdin })) {
    const { commands = [], targets = [] } = JSON.parse(line);
    commands.forEach(run);
    if (role === 'internet' && commands.length > 0) await listen();
    const answers = await Promise.all(targets.map(reached));
    console.log(JSON.stringify(targets.filter((_, at) => answers[at])));
  }
}

async function machine() {
  withoutWaiting();
  const [worker, internet] = await Promise.all([put('worker'), put('internet')]);
  writeFileSync('/proc/sys/net/ipv4/ip_forward', '1');
  writeFileSync('/proc/sys/net/ipv6/conf/all/forwarding', '1');
  const own = (dev, address, prefix) => [
    `ip addr add ${address} dev ${dev}`,
    `ip addr add ${prefix} dev ${dev} nodad`,
    `ip link set ${dev} up`,
  ];
  [
    `ip link add prober0 type veth peer name eth0 netns ${worker.pid}`,
    `ip link add out0 type veth peer name eth0 netns ${internet.pid}`,
    'ip link set lo up',
    ...own('prober0', '10.77.0.1/24', 'fd77::1/64'),
    ...own('out0', '10.99.0.1/24', 'fd99::1/64'),
  ].forEach(run);
  await worker.ask({
    commands: [
      'ip link set lo up',
      ...own('eth0', '10.77.0.2/24', 'fd77::2/64'),
      'ip route add default via 10.77.0.1',
      'ip -6 route add default via fd77::1',
    ],
  });
  await internet.ask({
    commands: [
      'ip link set lo up',
      ...own('eth0', '10.99.0.2/24', 'fd99::2/64'),
      'ip route add 10.77.0.0/24 via 10.99.0.1',
      'ip -6 route add fd77::/64 via fd99::1',
      'ip route add local 0.0.0.0/0 dev lo',
      'ip -6 route add local ::/0 dev lo table main',
    ],
  });
  ['ip route add default via 10.99.0.2', 'ip -6 route add default via fd99::2'].forEach(run);
  await listen();
  const targets = [...new Set([...OPEN, ...CLOSED.flatMap((address) => PORTS.map((port) => `${address} ${port}`))])];
  const before = await worker.ask({ targets });
  const [, rules] = /```nft\n([^`]+)```/.exec(readFileSync(GUIDE, 'utf8'));
  for (const time of ['once', 'again']) {
    const { status, stderr } = spawnSync('nft', ['-f', '-'], { input: rules, encoding: 'utf8' });
    if (status !== 0) throw new Error(`the rules do not load ${time}: ${stderr}`);
  }
  const after = await worker.ask({ targets });
  worker.end();
  internet.end();
  const leaks = after.filter((target) => !OPEN.includes(target));
  const missing = OPEN.filter((target) => !after.includes(target));
  console.log(
    `without the rules the worker reaches ${before.length} of ${targets.length} targets, with them ${after.length}`,
  );
  for (const target of leaks) console.log(`LEAK: ${target} is reachable`);
  for (const target of missing) console.log(`BLOCKED: ${target} is not reachable`);
  if (before.length < targets.length - 10)
    console.log('the namespaces are not set up correctly: too few targets are reachable without the rules');
  return leaks.length + missing.length === 0 && before.length >= targets.length - 10 ? 0 : 1;
}

function allowed() {
  if (spawnSync('nft', ['--version']).error) return 'nft is not installed';
  const { error, status } = spawnSync('unshare', ['-rn', 'nft', 'list', 'ruleset']);
  return error || status !== 0 ? 'this system does not allow network namespaces' : undefined;
}

const [role] = process.argv.slice(2);
if (role === 'machine') process.exit(await machine());
else if (role) await obey(role);
else {
  const reason = allowed();
  if (reason) console.log(`nothing was proved: ${reason}`);
  else process.exit(spawnSync('unshare', ['-rn', process.execPath, SELF, 'machine'], { stdio: 'inherit' }).status ?? 1);
}
