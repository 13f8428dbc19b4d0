// What the paywall itself adds to a sale: `npm run bench -- paywall [--json] [--sales N]`. Buyers pay over HTTP on a local
// chain; in turn the bare SDK verifies and settles payments of the same kind. What is left after work and SDK is ours.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const require = createRequire(import.meta.url);
const fromBuild = (path) => require(`../dist/${path}.js`);
const { x402Client } = require('@x402/core/client');
const { x402ResourceServer } = require('@x402/core/server');
const { ExactEvmScheme: BuyerScheme } = require('@x402/evm/exact/client');
const { ExactEvmScheme: SellerScheme } = require('@x402/evm/exact/server');
const { parseEther } = require('viem');
const { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } = require('viem/accounts');
const { GatewayMetrics } = fromBuild('apps/gateway/src/metrics/gateway-metrics');
const { createPaymentParts } = fromBuild('apps/gateway/src/paywall/paywall.factory');
const { chainClient, startChain } = fromBuild('apps/standalone/src/embedded/embedded-chain');
const { startPostgres } = fromBuild('apps/standalone/src/embedded/embedded-postgres');
const { installUsdc, mintUsdc } = fromBuild('apps/standalone/src/embedded/usdc-contract');
const { loadConfig } = fromBuild('libs/config/src/index');
const { createLogger } = fromBuild('libs/observability/src/index');
const { createLocalFacilitator, NETWORKS, offer, readProof, requirementFor } = fromBuild('libs/payments/src/index');
const { Database, migrate, Notices } = fromBuild('libs/persistence/src/index');

/** Issue of the service: the paywall's own cost at the median, in milliseconds. */
const TARGET_MS = 10;
const WARM_UP = 20;
const { usdc, chainId, id: network } = NETWORKS['eip155:8453'];

const { json, sales } = parseArgs({
  args: process.argv.slice(3),
  options: { json: { type: 'boolean', default: false }, sales: { type: 'string', default: '200' } },
}).values;

const dir = mkdtempSync(join(tmpdir(), 'hostprobe-bench-'));
const postgres = await startPostgres({ dir: join(dir, 'postgres') });
const chain = await startChain({ dir: join(dir, 'chain'), chainId });
const [ours, bareKey, payTo] = [generatePrivateKey(), generatePrivateKey(), privateKeyToAddress(generatePrivateKey())];
const buyer = privateKeyToAccount(generatePrivateKey());
const client = chainClient(chain.rpcUrl, chainId);
await installUsdc(client, usdc);
await mintUsdc(client, buyer.address, 1_000_000_000n);
for (const key of [ours, bareKey]) {
  await client.setBalance({ address: privateKeyToAddress(key), value: parseEther('100') });
}
await migrate(postgres.url);

const config = loadConfig({
  DATABASE_URL: postgres.url,
  X402_PAY_TO: payTo,
  X402_FACILITATOR_KEY: ours,
  RPC_URL_8453: chain.rpcUrl,
});
const database = new Database(postgres.url);
const notices = new Notices(postgres.url);
await notices.start();
const { paywall } = createPaymentParts(config, database, notices, {
  logger: createLogger('bench', 'silent'),
  metrics: new GatewayMetrics(),
});

/** The SDK as its middleware uses it, with a facilitator like ours. */
const local = createLocalFacilitator({
  rpcUrl: chain.rpcUrl,
  chainId,
  privateKey: bareKey,
  confirmationTimeoutMs: 20_000,
  pollingIntervalMs: 250,
});
const sdk = new x402ResourceServer(local).register(network, new SellerScheme());
await sdk.initialize();

const offered = offer('protocol_refresh', {
  resource: 'http://bench.example.com/api/v1/hosts/shop.example.com/protocols/llms/refresh',
  method: 'GET',
  route: { path: '/api/v1/hosts/:domain/protocols/:protocol/refresh', answer: {} },
});
const requirement = requirementFor(offered, config.payments);
const wallet = new x402Client().register('eip155:*', new BuyerScheme(buyer));
const sign = () =>
  wallet.createPaymentPayload({
    x402Version: 2,
    resource: { url: offered.resource, description: offered.description, mimeType: 'application/json' },
    accepts: [requirement],
  });

/** Milliseconds of the work of the sale under way: a report as long as that of a host. */
let workMs = 0;
const report = JSON.stringify({ report: 'x'.repeat(8_000) });
const job = {
  admit: () => Promise.resolve(),
  work: async () => {
    const started = performance.now();
    await new Promise((resolve) => setTimeout(resolve, 5));
    workMs = performance.now() - started;
    return { body: report, charge: true };
  },
};
const server = createServer((request, response) => {
  paywall.sell(offered, readProof(request.headers['payment-signature']), job).then(
    ({ body }) => response.writeHead(200).end(body),
    (error) => response.writeHead(500).end(String(error)),
  );
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${server.address().port}/`;

async function paid() {
  const header = Buffer.from(JSON.stringify(await sign())).toString('base64');
  const started = performance.now();
  const answer = await fetch(url, { headers: { 'payment-signature': header } });
  const body = await answer.text();
  const ms = performance.now() - started;
  if (answer.status !== 200) throw new Error(body);
  return { ms: ms - workMs, again: header };
}

async function replayed(header) {
  const started = performance.now();
  await (await fetch(url, { headers: { 'payment-signature': header } })).text();
  return performance.now() - started;
}

async function bare() {
  const payload = await sign();
  const started = performance.now();
  const { isValid } = await sdk.verifyPayment(payload, requirement);
  const { success } = await sdk.settlePayment(payload, requirement);
  if (!isValid || !success) throw new Error('the SDK could not settle');
  return performance.now() - started;
}

const rows = {
  'paid round trip, without its work': [],
  'bare SDK verify and settle': [],
  'replay of a paid answer': [],
};
const [round, plain, replay] = Object.values(rows);
for (let sale = -WARM_UP; sale < Number(sales); sale += 1) {
  const [one, other] = [await paid(), await bare()];
  const again = await replayed(one.again);
  if (sale < 0) continue;
  round.push(one.ms);
  plain.push(other);
  replay.push(again);
}

const at = (values, share) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))];
const ownMs = at(round, 0.5) - at(plain, 0.5);
const table = Object.fromEntries(
  Object.entries(rows).map(([name, values]) => [
    name,
    { p50: at(values, 0.5), p95: at(values, 0.95), p99: at(values, 0.99) },
  ]),
);
if (json) {
  process.stdout.write(
    `${JSON.stringify({ bench: 'paywall', sales: round.length, ownMs, targetMs: TARGET_MS, rows: table })}\n`,
  );
} else {
  const cell = (ms) => ms.toFixed(1).padStart(8);
  process.stdout.write(`${''.padEnd(36)}  p50 ms  p95 ms  p99 ms  (${round.length} sales)\n`);
  for (const [name, { p50, p95, p99 }] of Object.entries(table)) {
    process.stdout.write(`${name.padEnd(35)}${cell(p50)}${cell(p95)}${cell(p99)}\n`);
  }
  process.stdout.write(`the paywall's own cost at the median ${ownMs.toFixed(1)} ms, target ${TARGET_MS} ms\n`);
}
server.close();
await notices.close();
await database.close();
await chain.process.stop();
await postgres.process.stop();
rmSync(dir, { recursive: true, force: true });
process.exitCode = ownMs <= TARGET_MS ? 0 : 1;
