// Compares a purchase with the guard and one with plain @x402/fetch: `npm run bench -- guard`.
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { drawnIssuer } from '../compat/issuer.mjs';
import { guard } from '../dist/packages/guard/src/index.js';
import { at, finding, median, timed } from './measuring/figures.mjs';
import { onStage, putServer } from './stage/stage.mjs';

const PURCHASES = 1_000;
const WARM_UP = 100;
const TERMS = {
  scheme: 'exact',
  network: 'eip155:8453',
  amount: '20000',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  payTo: '0x8ba1f109551bD432803012645Ac136ddd64DBA72',
  maxTimeoutSeconds: 60,
  extra: { name: 'USD Coin', version: '2' },
};
const account = privateKeyToAccount(generatePrivateKey());

/** A shop that accepts every payment. */
async function putShop(stage) {
  const origin = await putServer(stage, (request, response) => {
    if (request.headers['payment-signature']) return response.end('{}');
    const required = { x402Version: 2, resource: { url: `${origin}/quote` }, accepts: [TERMS] };
    return response.writeHead(402, { 'payment-required': btoa(JSON.stringify(required)) }).end('{}');
  });
  return origin;
}

/** An issuer that counts its requests. */
async function putIssuer(stage, shop) {
  const counted = { url: '', asked: 0 };
  const { network, asset, payTo, amount } = TERMS;
  const seen = { p: 'x402', n: network, a: asset, to: payTo, amt: amount, r: `${shop}/quote`, m: 'GET', s: 'exact' };
  let issuer;
  counted.url = await putServer(stage, (request, response) => {
    counted.asked += 1;
    const isKeys = request.url === '/.well-known/hostprobe-keys.json';
    response.end(isKeys ? JSON.stringify(issuer.keys) : issuer.states(shop, [seen]));
  });
  issuer = drawnIssuer(counted.url);
  return counted;
}

const clientOf = (signer) => new x402Client().register('eip155:*', new ExactEvmScheme(signer));

const purchase = (pay, url) =>
  timed(async () => {
    const answer = await pay(url, {});
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`the shop answered ${answer.status}`);
  });

export const measure = () =>
  onStage(async (stage) => {
    const shop = await putShop(stage);
    const issuer = await putIssuer(stage, shop);
    const guarded = guard({ issuer: issuer.url, maxUsd: 1 });
    const client = clientOf(guarded.signer(account)).onBeforePaymentCreation(guarded.hook);
    const withGuard = guarded.fetch((below) => wrapFetchWithPayment(below, client));
    const bare = wrapFetchWithPayment(fetch, clientOf(account));
    const url = `${shop}/quote`;
    const times = { bare: [], cached: [], first: [] };
    let requests = 0;
    for (let index = 0; index < PURCHASES; index += 1) {
      const before = issuer.asked;
      const taken = [await purchase(bare, url), await purchase(withGuard, url)];
      if (index > 0 && issuer.asked !== before) throw new Error('a statement that is kept was asked for again');
      guarded.forget(shop);
      const asked = issuer.asked;
      const first = await purchase(withGuard, url);
      if (index < WARM_UP) continue;
      requests = Math.max(requests, issuer.asked - asked);
      times.bare.push(taken[0]);
      times.cached.push(taken[1]);
      times.first.push(first);
    }
    const [bareMs, cachedMs, firstMs] = [times.bare, times.cached, times.first].map(median);
    return [
      finding('the guard, with a statement it has, median', cachedMs - bareMs, 'ms', {
        reference: `bare @x402/fetch, ${bareMs.toFixed(1)} ms`,
        target: { atMost: 1 },
        detail: { bareMs, cachedMs, firstMs, bareP99Ms: at(times.bare, 0.99), cachedP99Ms: at(times.cached, 0.99) },
      }),
      finding('the guard, without: requests to the issuer, most', requests, '', {
        reference: `${(firstMs - bareMs).toFixed(2)} ms at the median`,
        target: { atMost: 1 },
      }),
    ];
  });
