import { sellingChain, type SellableId } from '@app/networks';
import { isDevelopmentKey } from './development-accounts';
import type { Environment } from './environment';

type Hex = `0x${string}`;

/** The facilitator, which verifies and settles payments. */
export type FacilitatorConfig =
  | { readonly kind: 'remote'; readonly url: string; readonly auth: FacilitatorAuthConfig }
  /** This process, with its own account that pays the gas. */
  | { readonly kind: 'in_process'; readonly privateKey: Hex };

/** How calls to a remote facilitator are authorized. */
type FacilitatorAuthConfig =
  | { readonly kind: 'none' }
  /** A constant `Authorization` header. */
  | { readonly kind: 'header'; readonly authorization: string }
  /** A token per call, signed with a key of the Coinbase Developer Platform. */
  | { readonly kind: 'cdp'; readonly keyId: string; readonly secret: string };

/** The account that receives the payments. */
export interface SellerConfig {
  readonly network: SellableId;
  readonly payTo: Hex;
}

/** How payments are settled. Null until payTo and a facilitator are configured; until then, paid routes answer 503. */
export interface PaymentsConfig extends SellerConfig {
  readonly facilitator: FacilitatorConfig;
  /** Signs offers and receipts; null leaves them unsigned. */
  readonly offerSigningKey: Hex | null;
  /** Whether an answer is released before the transfer is confirmed on the chain. */
  readonly trustFacilitator: boolean;
}

export function sellerOf(env: Environment): SellerConfig | null {
  return env.X402_PAY_TO === undefined ? null : { network: env.X402_NETWORK, payTo: env.X402_PAY_TO as Hex };
}

export function paymentsOf(env: Environment): PaymentsConfig | null {
  const [seller, facilitator] = [sellerOf(env), facilitatorOf(env)];
  if (seller === null || facilitator === null) return null;
  return {
    ...seller,
    facilitator,
    offerSigningKey: (env.OFFER_SIGNING_KEY as Hex | undefined) ?? null,
    trustFacilitator: env.FACILITATOR_TRUST,
  };
}

/** Contradictions between the payment variables; each sentence names a variable and never its value. */
export function paymentFaults(env: Environment): readonly string[] {
  const { X402_FACILITATOR_URL: url, X402_FACILITATOR_KEY: key, X402_FACILITATOR_AUTH: auth } = env;
  const { CDP_API_KEY_ID: cdpId, CDP_API_KEY_SECRET: cdpSecret } = env;
  const { rpcVariable: rpcName } = sellingChain(env.X402_NETWORK);
  const faults: (string | false)[] = [
    (url !== undefined || key !== undefined) &&
      env.X402_PAY_TO === undefined &&
      'X402_PAY_TO must be a 0x address of 40 hex digits when X402_FACILITATOR_URL or X402_FACILITATOR_KEY is set',
    url !== undefined &&
      key !== undefined &&
      'set X402_FACILITATOR_KEY (a facilitator in the gateway) or X402_FACILITATOR_URL (a remote one), not both',
    key !== undefined &&
      env[rpcName].length === 0 &&
      `X402_FACILITATOR_KEY needs ${rpcName}, the node it settles through`,
    (cdpId === undefined) !== (cdpSecret === undefined) && 'CDP_API_KEY_ID and CDP_API_KEY_SECRET must be set together',
    auth !== undefined && cdpId !== undefined && 'set X402_FACILITATOR_AUTH or CDP_API_KEY_ID, not both',
    url === undefined &&
      (auth !== undefined || cdpId !== undefined) &&
      'X402_FACILITATOR_AUTH and CDP_API_KEY_ID need X402_FACILITATOR_URL, which is not set',
    ...(['X402_FACILITATOR_KEY', 'OFFER_SIGNING_KEY'] as const).map(
      (name) =>
        isDevelopmentKey(env[name]) &&
        (env.NODE_ENV === 'production' || !env[rpcName].every(isLoopback)) &&
        `${name} is a public development key; use your own key, or outside production set ${rpcName} to a node on this machine`,
    ),
  ];
  return faults.filter((fault) => fault !== false);
}

function facilitatorOf(env: Environment): FacilitatorConfig | null {
  const { X402_FACILITATOR_URL: url, X402_FACILITATOR_KEY: key } = env;
  if (key !== undefined) return { kind: 'in_process', privateKey: key as Hex };
  return url === undefined ? null : { kind: 'remote', url, auth: authOf(env) };
}

function authOf(env: Environment): FacilitatorAuthConfig {
  const { X402_FACILITATOR_AUTH: authorization, CDP_API_KEY_ID: keyId, CDP_API_KEY_SECRET: secret } = env;
  if (keyId !== undefined && secret !== undefined) return { kind: 'cdp', keyId, secret };
  return authorization === undefined ? { kind: 'none' } : { kind: 'header', authorization };
}

function isLoopback(url: string): boolean {
  try {
    return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(new URL(url).hostname);
  } catch {
    return true; // rejected by its own rule
  }
}
