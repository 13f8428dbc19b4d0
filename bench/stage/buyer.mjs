// Buyers with the official client.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { x402Client } = require('@x402/core/client');
const { decodePaymentRequiredHeader, encodePaymentSignatureHeader } = require('@x402/core/http');
const { ExactEvmScheme } = require('@x402/evm/exact/client');
const { generatePrivateKey, privateKeyToAccount } = require('viem/accounts');

/** Signs payments for a challenge, with the given key or with a new one that owns nothing. */
export function makeSigner(key = generatePrivateKey()) {
  const client = new x402Client().register('eip155:*', new ExactEvmScheme(privateKeyToAccount(key)));
  client.setSpendControls(false);
  return (challenge) =>
    client.createPaymentPayload(decodePaymentRequiredHeader(challenge.headers.get('payment-required')));
}

/** The headers of a paid request. */
export const paidBy = (payment) => ({ 'payment-signature': encodePaymentSignatureHeader(payment) });

/**
 * Buys with payments signed in advance: `time(request)` is the milliseconds from the paid request to its answer.
 * @param key of a wallet with money, if money is transferred
 */
export function makeBuyer(key) {
  const sign = makeSigner(key);
  return async function time(url, init = {}) {
    const challenge = await fetch(url, init);
    await challenge.arrayBuffer();
    if (challenge.status !== 402) throw new Error(`${url} asked for no payment: ${challenge.status}`);
    const headers = { ...init.headers, ...paidBy(await sign(challenge)) };
    const started = performance.now();
    const answer = await fetch(url, { ...init, headers });
    const body = await answer.text();
    const ms = performance.now() - started;
    if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}: ${body}`);
    return { ms, body };
  };
}
