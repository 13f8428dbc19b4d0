// Buys one URL with @x402/fetch, if hostprobe's statement about the host confirms the payment.
// npm install @hostprobe/guard @x402/fetch @x402/evm viem
// HOSTPROBE_URL=<a hostprobe service> WALLET_KEY=0x... node x402-fetch.mjs https://shop.example.com/
import { guard, isPaymentRefused } from '@hostprobe/guard';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { privateKeyToAccount } from 'viem/accounts';

const { HOSTPROBE_URL, WALLET_KEY } = process.env;
const guarded = guard({ issuer: HOSTPROBE_URL, maxUsd: 0.05 });
const client = new x402Client()
  .onBeforePaymentCreation(guarded.hook)
  .register('eip155:*', new ExactEvmScheme(guarded.signer(privateKeyToAccount(WALLET_KEY))));
const pay = guarded.fetch((below) => wrapFetchWithPayment(below, client));

try {
  const response = await pay(process.argv[2]);
  console.log(response.status, await response.text());
} catch (error) {
  if (!isPaymentRefused(error)) throw error;
  console.log('not paid:', error.code);
}
