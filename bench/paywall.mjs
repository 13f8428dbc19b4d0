// The time that the paywall itself adds to a sale: `npm run bench -- paywall`. Buyers pay over HTTP on a local chain;
// in turn, the plain SDK verifies and settles equal payments. The difference, without the work, is the paywall.
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { at, finding, median, timed } from './measuring/figures.mjs';
import { built } from './stage/built.mjs';
import { onStage, putChain, putPostgres, putServer } from './stage/stage.mjs';

const require = createRequire(import.meta.url);
const { x402Client } = require('@x402/core/client');
const { x402ResourceServer } = require('@x402/core/server');
const { ExactEvmScheme: BuyerScheme } = require('@x402/evm/exact/client');
const { ExactEvmScheme: SellerScheme } = require('@x402/evm/exact/server');
const { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } = require('viem/accounts');
const { openCheckout } = built('apps/gateway/src/checkout/open-checkout');
const { closeConnections, openConnections, startConnections } = built('apps/gateway/src/platform/connections');
const { GatewayMetrics } = built('apps/gateway/src/platform/metrics/gateway-metrics');
const { loadConfig } = built('libs/config/src/index');
const { createLogger } = built('libs/platform/src/index');
const { CHAINS } = built('libs/networks/src/index');
const { createLocalFacilitator, readPaymentHeader, requirementFor } = built('libs/payments/src/index');

const WARM_UP = 20;
const SALES = 200;
const NETWORK = 'eip155:8453';

const OFFERED = {
  sku: 'protocol_refresh',
  priceAtomic: 5_000n,
  description: 'Live probe of one protocol of a host',
  formerPrices: [],
  signed: true,
  bodyHash: '',
  resource: 'http://bench.example.com/api/v1/hosts/shop.example.com/protocols/llms/refresh',
  method: 'GET',
  route: { path: '/api/v1/hosts/:domain/protocols/:protocol/refresh', answer: {} },
};

/**
 * The work of a sale: a report as long as a host's, after a while; `took` is the duration of the last one in
 * milliseconds.
 */
function someWork() {
  const body = JSON.stringify({ report: 'x'.repeat(8_000) });
  const job = {
    took: 0,
    admit: () => Promise.resolve(),
    work: async () => {
      job.took = await timed(() => delay(5));
      return { content: { body }, charge: true };
    },
  };
  return job;
}

/** The paywall behind a plain HTTP server, settling with `key`; resolves to its URL and terms. */
async function putPaywall(stage, { rpcUrl, key, job }) {
  const { url } = await putPostgres(stage);
  const config = loadConfig({
    DATABASE_URL: url,
    X402_PAY_TO: privateKeyToAddress(generatePrivateKey()),
    X402_FACILITATOR_KEY: key,
    RPC_URL_8453: rpcUrl,
  });
  const connections = openConnections(config, createLogger('bench', 'silent'));
  stage.later(() => closeConnections(connections));
  await startConnections(connections);
  const signed = new Set([OFFERED.sku]);
  const { paywall, reconciler } = openCheckout({ ...connections, metrics: new GatewayMetrics(), signed });
  reconciler.start();
  stage.later(() => reconciler.stop());
  const origin = await putServer(stage, (request, response) => {
    paywall.answer(OFFERED, readPaymentHeader(request.headers['payment-signature'], 2), job).then(
      ({ body }) => response.writeHead(body === undefined ? 402 : 200).end(body ?? 'the payment was refused'),
      (error) => response.writeHead(500).end(String(error)),
    );
  });
  return { url: `${origin}/`, terms: config.payments };
}

/** The SDK as used by its middleware, with a facilitator like the service's. */
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

async function answerOf(url, header) {
  const answer = await fetch(url, { headers: { 'payment-signature': header } });
  const body = await answer.text();
  if (answer.status !== 200) throw new Error(body);
}

export function measure() {
  return onStage(async (stage) => {
    const [paywallKey, sdkKey] = [generatePrivateKey(), generatePrivateKey()];
    const buyer = privateKeyToAccount(generatePrivateKey());
    const rpcUrl = await putChain(stage, CHAINS[NETWORK], {
      buyer: buyer.address,
      senders: [paywallKey, sdkKey].map((key) => privateKeyToAddress(key)),
    });
    const job = someWork();
    const { url, terms } = await putPaywall(stage, { rpcUrl, key: paywallKey, job });
    const sdk = await bareSdk(rpcUrl, CHAINS[NETWORK].chainId, sdkKey);
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
      finding('a sale without its work, over the bare SDK, median', median(sales) - median(bare), 'ms', {
        target: { atMost: 5 },
        reference: `SDK verify and settle ${median(bare).toFixed(1)} ms`,
        detail: { saleMs: median(sales), bareMs: median(bare), saleP99Ms: at(sales, 0.99), bareP99Ms: at(bare, 0.99) },
      }),
      finding('  a paid answer once more, median', median(replays), 'ms'),
    ];
  });
}
