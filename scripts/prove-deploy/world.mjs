// The environment of the deployment in the engine's namespace: a name server, hosts to probe on a public address, a
// chain with USDC and a facilitator that settles on it.
import { fork } from 'node:child_process';
import dgram from 'node:dgram';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { built } from '../../bench/stage/built.mjs';
import { putChain } from '../../bench/stage/stage.mjs';
import { run } from './tools.mjs';

const require = createRequire(import.meta.url);
const { generatePrivateKey, privateKeyToAddress } = require('viem/accounts');
const dnsPacket = require('dns-packet');
const { chainClient } = built('apps/standalone/src/embedded/embedded-chain');
const { startFacilitator } = built('apps/standalone/src/embedded/embedded-facilitator');
const { usdcBalance } = built('apps/standalone/src/embedded/usdc-contract');
const { CHAINS } = built('libs/networks/src/index');
const { createLocalFacilitator } = built('libs/payments/src/index');

const NETWORK = CHAINS['eip155:8453'];
export const HOSTS_AT = '93.184.215.14';
const CABLE = { machine: '192.0.2.1', hosts: '192.0.2.2' };
const SERVICES_AT = '10.99.0.1';
export const NAME_SERVER = '10.77.0.1';
const ZONE = 'probe-target.org';
export const hostNamed = (number) => `h${number}.${ZONE}`;

/** An address for chain and facilitator that no interface of the engine has. */
function putAddress() {
  run('ip', ['link', 'add', 'world0', 'type', 'bridge']);
  run('ip', ['addr', 'add', `${SERVICES_AT}/32`, 'dev', 'world0']);
  run('ip', ['link', 'set', 'world0', 'up']);
}

/** Connects the hosts through their own virtual cable, like the Internet, so that packets to them are forwarded. */
async function putHosts(certificate, later) {
  const program = fileURLToPath(new URL('./hosts.mjs', import.meta.url));
  const hosts = fork(program, [HOSTS_AT, CABLE.hosts, CABLE.machine], {
    execPath: 'unshare',
    execArgv: ['-n', process.execPath],
  });
  later(() => hosts.kill());
  await once(hosts, 'message');
  run('ip', ['link', 'add', 'hosts0', 'type', 'veth', 'peer', 'name', 'machine0', 'netns', String(hosts.pid)]);
  run('ip', ['addr', 'add', `${CABLE.machine}/30`, 'dev', 'hosts0']);
  run('ip', ['link', 'set', 'hosts0', 'up']);
  hosts.send(certificate);
  await once(hosts, 'message');
  run('ip', ['route', 'add', `${HOSTS_AT}/32`, 'via', CABLE.hosts]);
}

/** Serves the DNS zone on every address, including those of later networks. */
function putNames() {
  const server = dgram.createSocket('udp4');
  server.on('message', (message, from) => {
    const query = dnsPacket.decode(message);
    const [{ name, type }] = query.questions;
    const known = name.toLowerCase().endsWith(ZONE);
    const answers = known && type === 'A' ? [{ name, type, ttl: 30, data: HOSTS_AT }] : [];
    const flags = dnsPacket.RECURSION_DESIRED | dnsPacket.RECURSION_AVAILABLE | (known ? 0 : 3);
    server.send(dnsPacket.encode({ ...query, type: 'response', flags, answers }), from.port, from.address);
  });
  return new Promise((done) => server.bind(53, '0.0.0.0', done));
}

const listen = (server, port, host) => new Promise((done) => server.listen(port, host, done));

/** Forwards a port of this machine on an address that containers can reach. */
function forward(port, to) {
  const server = createServer((one) => {
    const other = connect(Number(new URL(to).port), '127.0.0.1');
    one.pipe(other).pipe(one);
    one.on('error', () => other.destroy());
    other.on('error', () => one.destroy());
  });
  return listen(server, port, SERVICES_AT);
}

/**
 * @param authority signs the certificate of the hosts @returns the variables for selling, the buyer's key and a
 * function for the seller's income
 */
export async function putWorld(dir, authority, later) {
  await putNames();
  putAddress();
  await putHosts(await authority.issue([`*.${ZONE}`]), later);
  const [buyerKey, settling, payTo] = [
    generatePrivateKey(),
    generatePrivateKey(),
    privateKeyToAddress(generatePrivateKey()),
  ];
  const rpcUrl = await putChain({ dir: join(dir, 'world'), later }, NETWORK, {
    buyer: privateKeyToAddress(buyerKey),
    senders: [privateKeyToAddress(settling)],
  });
  const facilitator = await startFacilitator(
    createLocalFacilitator({
      rpcUrl,
      chainId: NETWORK.chainId,
      privateKey: settling,
      confirmationTimeoutMs: 20_000,
      pollingIntervalMs: 25,
    }),
  );
  await forward(8545, rpcUrl);
  await forward(8402, facilitator.url);
  return {
    buyerKey,
    env: {
      X402_PAY_TO: payTo,
      X402_FACILITATOR_URL: `http://${SERVICES_AT}:8402`,
      RPC_URL_8453: `http://${SERVICES_AT}:8545`,
    },
    /** The seller's income in atomic USDC. */
    takings: () => usdcBalance(chainClient(rpcUrl, NETWORK.chainId), NETWORK.usdc, payTo),
  };
}
