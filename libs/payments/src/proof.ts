import { createHash } from 'node:crypto';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { z } from 'zod';
import { NETWORKS } from './networks';
import type { Offer } from './price-list';

/** Longest payment header read, in characters; every extension echoed makes about 6,000. */
export const MAX_HEADER_CHARS = 16_384;

const hex = (digits: number) => z.string().regex(new RegExp(`^0x[0-9a-fA-F]{${digits}}$`));
const decimal = z.string().regex(/^\d{1,78}$/);
const seconds = z.string().regex(/^\d{1,12}$/);

/** An EIP-3009 authorization with its signature; smart wallets sign with any number of bytes (EIP-1271). */
const exactPayload = z.object({
  signature: z.string().regex(/^0x(?:[0-9a-fA-F]{2}){1,4096}$/),
  authorization: z.object({
    from: hex(40),
    to: hex(40),
    value: decimal,
    validAfter: seconds,
    validBefore: seconds,
    nonce: hex(64),
  }),
});

const v2 = z.object({
  x402Version: z.literal(2),
  payload: exactPayload,
  resource: z
    .object({ url: z.string().max(4_096) })
    .passthrough()
    .optional(),
  accepted: z
    .object({
      scheme: z.string(),
      network: z.string(),
      amount: z.string(),
      asset: z.string(),
      payTo: z.string(),
      maxTimeoutSeconds: z.number().optional(),
    })
    .passthrough(),
  extensions: z.record(z.unknown()).optional(),
});

const v1 = z.object({ x402Version: z.literal(1), scheme: z.string(), network: z.string(), payload: exactPayload });

export type Authorization = z.infer<typeof exactPayload>['authorization'];

/** A payment as presented, checked for shape only. */
export interface PaymentProof {
  /** Version the client speaks: decides the answer's headers, nothing else. */
  readonly version: 1 | 2;
  readonly scheme: string;
  readonly network: string;
  readonly authorization: Authorization;
  readonly signature: string;
  /** The terms the client says it accepted; a version 1 client cannot say. */
  readonly accepted?: z.infer<typeof v2>['accepted'];
  /** The resource the client says it pays for. */
  readonly resource?: string;
  /** Hex SHA-256 of signature and authorization: the same nonce under another signature is another payment. */
  readonly digest: string;
}

export type ProofReading =
  | { readonly ok: true; readonly proof: PaymentProof }
  | { readonly ok: false; readonly code: ProofFault; readonly error: string };
export type ProofFault = 'payment_header_too_large' | 'payment_malformed';

const malformed = (error: string): ProofReading => ({ ok: false, code: 'payment_malformed', error });

/**
 * Reads a payment header: `PAYMENT-SIGNATURE` (version 2) or `X-PAYMENT` (version 1). The official SDK does not check
 * shapes and throws on malformed ones, so nothing reaches it that did not pass here.
 */
export function readProof(header: string): ProofReading {
  if (header.length > MAX_HEADER_CHARS) {
    return {
      ok: false,
      code: 'payment_header_too_large',
      error: `the payment header is longer than ${MAX_HEADER_CHARS} characters`,
    };
  }
  const decoded = decodeBase64Json(header);
  if (decoded === undefined) return malformed('the payment header is not base64 of JSON');
  const second = v2.safeParse(decoded);
  if (second.success) {
    const { payload, accepted, resource } = second.data;
    return {
      ok: true,
      proof: {
        version: 2,
        scheme: accepted.scheme,
        network: accepted.network,
        ...payload,
        accepted,
        ...(resource ? { resource: resource.url } : {}),
        digest: digestOf(payload),
      },
    };
  }
  const first = v1.safeParse(decoded);
  if (first.success) {
    const { scheme, network, payload } = first.data;
    return { ok: true, proof: { version: 1, scheme, network, ...payload, digest: digestOf(payload) } };
  }
  const path = second.error.issues[0]?.path.join('.') ?? '';
  return malformed(`the payment does not have the shape of x402 exact on EVM${path ? ` (at ${path})` : ''}`);
}

function decodeBase64Json(header: string): unknown {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(header.trim())) return undefined;
  try {
    return JSON.parse(Buffer.from(header.trim(), 'base64').toString('utf8'));
  } catch {
    return undefined;
  }
}

function digestOf(payload: z.infer<typeof exactPayload>): string {
  const { from, to, value, validAfter, validBefore, nonce } = payload.authorization;
  const canonical = [from, to, value, validAfter, validBefore, nonce, payload.signature].join(' ').toLowerCase();
  return createHash('sha256').update(canonical).digest('hex');
}

export type MatchReading =
  | { readonly ok: true; readonly payment: PaymentPayload }
  | { readonly ok: false; readonly code: string; readonly error: string };

/**
 * Whether a proof is meant for this offer, and the payment in the one shape that is verified and settled. What the
 * signature covers is checked by the facilitator; this refuses what could never settle, and payments for other requests.
 * Time is no matter here: a payment that was settled may be presented again after it ended ({@link validityFault}).
 */
export function matchProof(proof: PaymentProof, offer: Offer, requirement: PaymentRequirements): MatchReading {
  const fault = termsFault(proof, requirement) ?? bindingFault(proof, offer);
  if (fault) return { ok: false, ...fault };
  const { signature, authorization } = proof;
  return {
    ok: true,
    payment: {
      x402Version: 2,
      resource: { url: offer.resource, description: offer.description, mimeType: 'application/json' },
      accepted: requirement,
      payload: { signature, authorization: { ...authorization } },
    },
  };
}

/** Why a payment is refused: a stable code and a sentence for the payer. */
export interface PaymentFault {
  readonly code: string;
  readonly error: string;
}

function termsFault(proof: PaymentProof, requirement: PaymentRequirements): PaymentFault | undefined {
  const network = NETWORKS[requirement.network as keyof typeof NETWORKS];
  const offered: readonly string[] = proof.version === 1 ? [network.v1Name, network.id] : [network.id];
  const same = (a: string | undefined, b: string): boolean => a === undefined || a.toLowerCase() === b.toLowerCase();
  if (proof.scheme !== requirement.scheme)
    return { code: 'scheme_unsupported', error: `only the scheme ${requirement.scheme} is accepted` };
  if (!offered.includes(proof.network))
    return { code: 'network_unsupported', error: `only the network ${requirement.network} is accepted` };
  if (!same(proof.accepted?.asset, requirement.asset))
    return { code: 'asset_mismatch', error: 'the payment names another asset' };
  if (!same(proof.accepted?.payTo, requirement.payTo) || !same(proof.authorization.to, requirement.payTo)) {
    return { code: 'recipient_mismatch', error: 'the payment goes to another address' };
  }
  if (
    (proof.accepted && proof.accepted.amount !== requirement.amount) ||
    proof.authorization.value !== requirement.amount
  ) {
    return { code: 'amount_mismatch', error: `the payment must be of exactly ${requirement.amount} atomic units` };
  }
  return undefined;
}

/** A payment signed for one request must not buy another of the same price. */
function bindingFault(proof: PaymentProof, offer: Offer): PaymentFault | undefined {
  return proof.resource === undefined || proof.resource === offer.resource
    ? undefined
    : { code: 'resource_mismatch', error: 'the payment was made for another resource' };
}

/** Clients sign at most `maxTimeoutSeconds` ahead; more than this beyond it is an open cheque nobody needs. */
const LONGEST_AHEAD_SEC = 600;

/**
 * Whether an authorization may start something now.
 * @param neededMs what verifying, working and settling may take from here
 */
export function validityFault(
  { validAfter, validBefore }: Pick<Authorization, 'validAfter' | 'validBefore'>,
  maxTimeoutSeconds: number,
  now: Date,
  neededMs: number,
): PaymentFault | undefined {
  const leftMs = Number(validBefore) * 1_000 - now.getTime();
  if (leftMs <= 0) return { code: 'authorization_expired', error: 'the authorization has expired' };
  if (Number(validAfter) * 1_000 > now.getTime()) {
    return { code: 'authorization_not_yet_valid', error: 'the authorization is not valid yet' };
  }
  if (leftMs > (maxTimeoutSeconds + LONGEST_AHEAD_SEC) * 1_000) {
    return {
      code: 'authorization_valid_too_long',
      error: `sign the authorization for at most ${maxTimeoutSeconds} seconds`,
    };
  }
  if (leftMs < neededMs) {
    return {
      code: 'authorization_too_short',
      error: 'the authorization ends before the work could be done and settled',
    };
  }
  return undefined;
}
