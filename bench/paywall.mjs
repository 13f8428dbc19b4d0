// What the paywall itself adds to a sale: `npm run bench -- paywall`. Buyers pay over HTTP on a local chain; in turn the bare
// SDK verifies and settles payments of the same kind. What is left after work and SDK is ours.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { finding } from './measuring/finding.mjs';
import { at, median } from './measuring/medians.mjs';
import { built } from './stage/built.mjs';
import { putChain } from './stage/chain.mjs';
import { onStage } from './stage/stage.mjs';
import { putPostgres } from './stage/storage.mjs';

const require = createRequire(import.meta.url);
const { x402Client } = require('@x402/core/client');
const { x402ResourceServer } = require('@x402/core/server');
const { ExactEvmScheme: BuyerScheme } = require('@x402/evm/exact/client');
const { ExactEvmScheme: SellerScheme } = require('@x402/evm/exact/server');
const { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } = require('viem/accounts');
const { GatewayMetrics } = built('apps/gateway/src/metrics/gateway-metrics');
const { createPaymentParts } = built('apps/gateway/src/paywall/paywall.factory');
const { loadConfig } = built('libs/config/src/index');
const { createLogger } = built('libs/observability/src/index');
const { createLocalFacilitator, NETWORKS, offer, readProof, requirementFor } = built('libs/payments/src/index');
const { Notices } = built('libs/persistence/src/index');

const WARM_UP = 20;
const SALES = 200;
const NETWORK = 'eip155:8453';

const OFFERED = offer('protocol_refresh', {
  resource: 'http://bench.example.com/api/v1/hosts/shop.example.com/protocols/llms/refresh',
  method: 'GET',
  route: { path: '/api/v1/hosts/:domain/protocols/:protocol/refresh', answer: {} },
});

/** A sale's work: a report as long as that of a host, after a while; `took` is what the last one took, in milliseconds. */
function someWork() {
  const body = JSON.stringify({ report: 'x'.repeat(8_000) });
  const job = {
    took: 0,
    admit: () => Promise.resolve(),
    work: async () => {
      const started = performance.now();
      await new Promise((resolve) => setTimeout(resolve, 5));
      job.took = performance.now() - started;
      return { body, charge: true };
    },
  };
  return job;
}

/** The paywall behind a bare HTTP server, settling with `key`; resolves to its URL and terms. */
async function putPaywall(stage, { rpcUrl, key, job }) {
  const { url, database } = await putPostgres(stage);
  const notices = new Notices(url);
  await notices.start();
  stage.later(() => notices.close());
  const config = loadConfig({
    DATABASE_URL: url,
    X402_PAY_TO: privateKeyToAddress(generatePrivateKey()),
    X402_FACILITATOR_KEY: key,
    RPC_URL_8453: rpcUrl,
  });
  const { paywall } = createPaymentParts(config, database, notices, {
    logger: createLogger('bench', 'silent'),
    metrics: new GatewayMetrics(),
  });
  const server = createServer((request, response) => {
    paywall.sell(OFFERED, readProof(request.headers['payment-signature']), job).then(
      ({ body }) => response.writeHead(200).end(body),
      (error) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  stage.later(() => server.close());
  return { url: `http://127.0.0.1:${server.address().port}/`, terms: config.payments };
}

/** The SDK as its middleware uses it, with a facilitator like ours. */
async function bareSdk(rpcUrl, chainId, privateKey) {
  const local = createLocalFacilitator({
    rpcUrl,
    chainId,
    privateKey,
    confirmationTimeoutMs: 20_000,
    pollingIntervalMs: 250,
  });
  const sdk = new x402ResourceServer(local).register(NETWORK, new SellerScheme());
  await sdk.initialize();
  return sdk;
}

async function timed(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

async function answerOf(url, header) {
  const answer = await fetch(url, { headers: { 'payment-signature': header } });
  const body = await answer.text();
  if (answer.status !== 200) throw new Error(body);
}

export function measure() {
  return onStage(async (stage) => {
    const [ours, theirs] = [generatePrivateKey(), generatePrivateKey()];
    const buyer = privateKeyToAccount(generatePrivateKey());
    const rpcUrl = await putChain(stage, NETWORKS[NETWORK], {
      buyer: buyer.address,
      senders: [ours, theirs].map((key) => privateKeyToAddress(key)),
    });
    const job = someWork();
    const { url, terms } = await putPaywall(stage, { rpcUrl, key: ours, job });
    const sdk = await bareSdk(rpcUrl, NETWORKS[NETWORK].chainId, theirs);
    const requirement = requirementFor(OFFERED, terms);
    const wallet = new x402Client().register('eip155:*', new BuyerScheme(buyer));
    const sign = () =>
      wallet.createPaymentPayload({
        x402Version: 2,
        resource: { url: OFFERED.resource, description: OFFERED.description, mimeType: 'application/json' },
        accepts: [requirement],
      });
    const [sales, bare, replays] = [[], [], []];
    for (let sale = -WARM_UP; sale < SALES; sale += 1) {
      const header = Buffer.from(JSON.stringify(await sign())).toString('base64');
      const sold = (await timed(() => answerOf(url, header))) - job.took;
      const payload = await sign();
      const settled = await timed(async () => {
        const { isValid } = await sdk.verifyPayment(payload, requirement);
        const { success } = await sdk.settlePayment(payload, requirement);
        if (!isValid || !success) throw new Error('the SDK could not settle');
      });
      const replayed = await timed(() => answerOf(url, header));
      if (sale < 0) continue;
      sales.push(sold);
      bare.push(settled);
      replays.push(replayed);
    }
    return [
      finding({
        what: 'a sale without its work, over the bare SDK, median',
        figure: median(sales) - median(bare),
        unit: 'ms',
        target: { atMost: 10 },
        reference: `SDK verify and settle ${median(bare).toFixed(1)} ms`,
        detail: { saleMs: median(sales), bareMs: median(bare), saleP99Ms: at(sales, 0.99), bareP99Ms: at(bare, 0.99) },
      }),
      finding({ what: '  a paid answer once more, median', figure: median(replays), unit: 'ms' }),
    ];
  });
}
