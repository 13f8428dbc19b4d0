// A buyer with the official client, and a facilitator that takes every payment at once: what is measured is the service.
import { createRequire } from 'node:module';
import { built } from './built.mjs';

const require = createRequire(import.meta.url);
const { x402Client } = require('@x402/core/client');
const { decodePaymentRequiredHeader, encodePaymentSignatureHeader } = require('@x402/core/http');
const { ExactEvmScheme } = require('@x402/evm/exact/client');
const { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } = require('viem/accounts');
const { startFacilitator } = built('apps/standalone/src/embedded/embedded-facilitator');

const NETWORK = 'eip155:8453';
const TRANSACTION = `0x${'ab'.repeat(32)}`;

/** Starts the facilitator; returns the variables under which a gateway sells through it. */
export async function putSelling(stage) {
  const payer = privateKeyToAddress(generatePrivateKey());
  const facilitator = await startFacilitator({
    getSupported: async () => ({
      kinds: [{ x402Version: 2, scheme: 'exact', network: NETWORK }],
      extensions: [],
      signers: {},
    }),
    verify: async () => ({ isValid: true, payer }),
    settle: async () => ({ success: true, transaction: TRANSACTION, network: NETWORK, payer }),
  });
  stage.later(() => facilitator.stop());
  return { X402_PAY_TO: privateKeyToAddress(generatePrivateKey()), X402_FACILITATOR_URL: facilitator.url };
}

/**
 * Buys with payments signed beforehand: `time(request)` is the milliseconds from the paid request to its answer.
 * @param key of a purse with money, where money moves
 */
export function makeBuyer(key = generatePrivateKey()) {
  const client = new x402Client().register('eip155:*', new ExactEvmScheme(privateKeyToAccount(key)));
  client.setSpendControls(false);
  return async function time(url, init = {}) {
    const challenge = await fetch(url, init);
    await challenge.arrayBuffer();
    if (challenge.status !== 402) throw new Error(`${url} asked for no payment: ${challenge.status}`);
    const required = decodePaymentRequiredHeader(challenge.headers.get('payment-required'));
    const payment = encodePaymentSignatureHeader(await client.createPaymentPayload(required));
    const started = performance.now();
    const answer = await fetch(url, { ...init, headers: { ...init.headers, 'payment-signature': payment } });
    const body = await answer.text();
    const ms = performance.now() - started;
    if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}: ${body}`);
    return { ms, body };
  };
}
