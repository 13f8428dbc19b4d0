import type { Reply } from './evidence';

/** A valid payment option on Base and functions to serve it; tests change one field at a time. */
export const PAYEE = '0x8ba1f109551bD432803012645Ac136ddd64DBA72';
export const BASE_USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';

export type Members = Readonly<Record<string, unknown>>;

export const acceptV2 = (more: Members = {}): Members => ({
  scheme: 'exact',
  network: 'eip155:8453',
  amount: '20000',
  asset: BASE_USDC,
  payTo: PAYEE,
  maxTimeoutSeconds: 60,
  extra: { name: 'USD Coin', version: '2' },
  ...more,
});

export const acceptV1 = (more: Members = {}): Members => ({
  scheme: 'exact',
  network: 'base',
  maxAmountRequired: '20000',
  resource: 'https://shop.example.com/api/report',
  description: 'A report',
  asset: BASE_USDC,
  payTo: PAYEE,
  maxTimeoutSeconds: 60,
  extra: { name: 'USD Coin', version: '2' },
  ...more,
});

export const challengeV2 = (accepts: readonly Members[] = [acceptV2()], more: Members = {}): Members => ({
  x402Version: 2,
  resource: { url: 'https://shop.example.com/api/report' },
  accepts,
  ...more,
});

export const challengeV1 = (accepts: readonly Members[] = [acceptV1()], more: Members = {}): Members => ({
  x402Version: 1,
  error: 'X-PAYMENT header is required',
  accepts,
  ...more,
});

export const base64 = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value), 'utf8').toString('base64');

export const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value), 'utf8').toString('base64url');

/** A 402 with the V2 header and the given body. */
export const paywalled = (challenge: unknown = challengeV2(), body: unknown = {}): Reply => ({
  status: 402,
  headers: { 'content-type': 'application/json', 'payment-required': base64(challenge) },
  body: JSON.stringify(body),
  phase: 'callability',
});

/** A 402 with a challenge only in the JSON body. */
export const paywalledInBody = (challenge: unknown = challengeV1()): Reply => ({
  status: 402,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(challenge),
  phase: 'callability',
});

export const TEMPO_REQUEST: Members = {
  amount: '20000',
  currency: '0x20C000000000000000000000b9537d11c60E8b50',
  recipient: PAYEE,
  methodDetails: { chainId: 4217 },
};

/** One `Payment` challenge as a header line; undefined parameters are left out. */
export function paymentAuth(
  request: unknown = TEMPO_REQUEST,
  more: Readonly<Record<string, string | undefined>> = {},
): string {
  const params: Readonly<Record<string, string | undefined>> = {
    id: 'ch_1',
    realm: 'shop.example.com',
    method: 'tempo',
    intent: 'charge',
    request: base64url(request),
    ...more,
  };
  const stated = Object.entries(params).filter(([, value]) => value !== undefined);
  return `Payment ${stated.map(([name, value]) => `${name}="${value ?? ''}"`).join(', ')}`;
}

/** A 402 with the given `WWW-Authenticate` lines. */
export const authenticates = (...lines: readonly string[]): Reply => ({
  status: 402,
  headers: { 'www-authenticate': lines.length > 0 ? lines : [paymentAuth()], 'cache-control': 'no-store' },
  phase: 'callability',
});
