import type { Chain } from '@app/networks';
import { encodePaymentRequiredHeader } from '@x402/core/http';
import { randomUUID } from 'node:crypto';
import type { Address } from 'viem';
import type { DemoAnswer } from './demo-site';

export interface PricedRoute {
  readonly url: string;
  readonly description: string;
  readonly amountAtomic: bigint;
  readonly network: Chain;
  readonly payTo: Address;
}

const CHALLENGE_LIFETIME_MS = 300_000;

/**
 * The response without a payment of a route that is sold over x402 version 2. The challenge is in both header and
 * body, because most clients read only one of them.
 */
export function x402Challenge(route: PricedRoute): DemoAnswer {
  const { usdc, id } = route.network;
  const challenge = {
    x402Version: 2 as const,
    error: 'Payment required',
    resource: { url: route.url, description: route.description, mimeType: 'application/json' },
    accepts: [
      {
        scheme: 'exact',
        network: id,
        amount: String(route.amountAtomic),
        asset: usdc.address,
        payTo: route.payTo,
        maxTimeoutSeconds: 60,
        extra: { name: usdc.name, version: usdc.version },
      },
    ],
  };
  return {
    status: 402,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'payment-required': encodePaymentRequiredHeader(challenge),
    },
    body: JSON.stringify(challenge),
  };
}

/** The same response with a second challenge, of the HTTP authentication scheme "Payment" (https://paymentauth.org). */
export function dualChallenge(route: PricedRoute): DemoAnswer {
  const answer = x402Challenge(route);
  const request = {
    amount: String(route.amountAtomic),
    currency: route.network.usdc.address,
    methodDetails: { chainId: route.network.chainId, credentialTypes: ['authorization'] },
    recipient: route.payTo,
  };
  const parameters = {
    id: randomUUID(),
    realm: new URL(route.url).hostname,
    method: 'evm',
    intent: 'charge',
    request: Buffer.from(JSON.stringify(request)).toString('base64url'),
    expires: new Date(Date.now() + CHALLENGE_LIFETIME_MS).toISOString(),
  };
  const listed = Object.entries(parameters).map(([name, value]) => `${name}="${value}"`);
  return { ...answer, headers: { ...answer.headers, 'www-authenticate': `Payment ${listed.join(', ')}` } };
}
