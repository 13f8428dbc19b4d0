import { createHash } from 'node:crypto';

type Hex = `0x${string}`;

/** The variables that say how money is taken; each is checked by itself already. */
export interface PaymentVariables {
  readonly X402_NETWORK: 'eip155:8453' | 'eip155:84532';
  readonly X402_PAY_TO?: string;
  readonly X402_FACILITATOR_URL?: string;
  readonly X402_FACILITATOR_KEY?: string;
  readonly X402_FACILITATOR_AUTH?: string;
  readonly CDP_API_KEY_ID?: string;
  readonly CDP_API_KEY_SECRET?: string;
  readonly OFFER_SIGNING_KEY?: string;
  readonly RPC_URL_8453: readonly string[];
  readonly RPC_URL_84532: readonly string[];
}

/** Who checks payments and carries them out. */
export type FacilitatorConfig =
  | { readonly kind: 'remote'; readonly url: string; readonly auth: FacilitatorAuthConfig }
  /** This process, with an account of its own that pays the gas. */
  | { readonly kind: 'in_process'; readonly privateKey: Hex };

/** How calls to a remote facilitator are authorised. */
export type FacilitatorAuthConfig =
  | { readonly kind: 'none' }
  /** The same `Authorization` header on every call. */
  | { readonly kind: 'header'; readonly authorization: string }
  /** A token per call, signed with a key of the Coinbase Developer Platform. */
  | { readonly kind: 'cdp'; readonly keyId: string; readonly secret: string };

/** Where the money goes. */
export interface SellerConfig {
  readonly network: PaymentVariables['X402_NETWORK'];
  readonly payTo: Hex;
}

/** How money is taken. Null until payTo and a facilitator are configured: then paid routes answer 503. */
export interface PaymentsConfig extends SellerConfig {
  readonly facilitator: FacilitatorConfig;
  /** Signs offers and receipts; null leaves them unsigned. */
  readonly offerSigningKey: Hex | null;
}

export function sellerOf(env: PaymentVariables): SellerConfig | null {
  return env.X402_PAY_TO === undefined ? null : { network: env.X402_NETWORK, payTo: env.X402_PAY_TO as Hex };
}

export function paymentsOf(env: PaymentVariables): PaymentsConfig | null {
  const [seller, facilitator] = [sellerOf(env), facilitatorOf(env)];
  if (seller === null || facilitator === null) return null;
  return {
    ...seller,
    facilitator,
    offerSigningKey: (env.OFFER_SIGNING_KEY as Hex | undefined) ?? null,
  };
}

/** What is wrong with the payment variables together, each sentence naming a variable and never its value. */
export function paymentFaults(env: PaymentVariables): readonly string[] {
  const { X402_FACILITATOR_URL: url, X402_FACILITATOR_KEY: key, X402_FACILITATOR_AUTH: auth } = env;
  const { CDP_API_KEY_ID: cdpId, CDP_API_KEY_SECRET: cdpSecret } = env;
  const rpcName = env.X402_NETWORK === 'eip155:8453' ? 'RPC_URL_8453' : 'RPC_URL_84532';
  const faults: (string | false)[] = [
    url !== undefined &&
      key !== undefined &&
      'X402_FACILITATOR_KEY runs a facilitator here, X402_FACILITATOR_URL uses one elsewhere: set one of them',
    key !== undefined && env[rpcName].length === 0 && `X402_FACILITATOR_KEY needs ${rpcName} to settle through`,
    (cdpId === undefined) !== (cdpSecret === undefined) && 'CDP_API_KEY_ID and CDP_API_KEY_SECRET belong together',
    auth !== undefined && cdpId !== undefined && 'X402_FACILITATOR_AUTH and CDP_API_KEY_ID exclude each other',
    url === undefined &&
      (auth !== undefined || cdpId !== undefined) &&
      'X402_FACILITATOR_AUTH and CDP_API_KEY_ID authorise calls to X402_FACILITATOR_URL, which is not set',
    ...(['X402_FACILITATOR_KEY', 'OFFER_SIGNING_KEY'] as const).map(
      (name) =>
        isDevelopmentKey(env[name]) &&
        !env[rpcName].every(isLoopback) &&
        `${name} is a development key that everybody knows; it is refused unless ${rpcName} is on this machine`,
    ),
  ];
  return faults.filter((fault) => fault !== false);
}

function facilitatorOf(env: PaymentVariables): FacilitatorConfig | null {
  const { X402_FACILITATOR_URL: url, X402_FACILITATOR_KEY: key } = env;
  if (key !== undefined) return { kind: 'in_process', privateKey: key as Hex };
  return url === undefined ? null : { kind: 'remote', url, auth: authOf(env) };
}

function authOf(env: PaymentVariables): FacilitatorAuthConfig {
  const { X402_FACILITATOR_AUTH: authorization, CDP_API_KEY_ID: keyId, CDP_API_KEY_SECRET: secret } = env;
  if (keyId !== undefined && secret !== undefined) return { kind: 'cdp', keyId, secret };
  return authorization === undefined ? { kind: 'none' } : { kind: 'header', authorization };
}

/**
 * SHA-256 of the private keys of the accounts that anvil and hardhat start with (mnemonic "test test … junk"): money
 * that reaches them is gone within the block.
 */
const DEVELOPMENT_KEYS: ReadonlySet<string> = new Set([
  '59891c96881dfbcf7d2ddc270b7813e666694fbbffe8ddd2736bf91c1b0e85d4',
  'bca4c2c0761d850f0c403a699280f70f86ab6659a611ada431019203cd66098f',
  '193ae84c4c9567c25105535802f463f3f8dc420b0ce9a5b57c7931c764e623d6',
  'e25a680eff8baac7b15129a830ecc40211017919d5d32fce8c6b409af753e50f',
  '6718ba8966161cc843e01e8d19f018859e1bcba7f0e8f2c108578b497ac408b7',
  'ac29b3735d1b57180dea890d6321cd27e593723cbe9e227eed8a3fa35945122c',
  '93e372c67f7238faf2dfdc029246b299e88d71937680cbb895fedeb2a262ed19',
  '59ad99d565557cc0968550ed2f5ea5ff5fd1d279324a25d324a531053c9c16a3',
  '2d1831e800ec18fe3e29da2e4357db936efce5b9792d76683d465582f0910db0',
  '25061aad2bb0917814989eb38f95608a744ecb8173fdce329486e8b83086e5f0',
]);

function isDevelopmentKey(key: string | undefined): boolean {
  if (key === undefined) return false;
  return DEVELOPMENT_KEYS.has(
    createHash('sha256')
      .update(Buffer.from(key.slice(2), 'hex'))
      .digest('hex'),
  );
}

function isLoopback(url: string): boolean {
  try {
    return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(new URL(url).hostname);
  } catch {
    return true; // refused by its own rule
  }
}
