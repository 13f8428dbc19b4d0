import {
  matchPayload,
  validityFault,
  type MatchReading,
  type Offer,
  type ReadPayload,
  type SellingTerms,
  type SignatureCheck,
} from '@app/payments';

/** Why a payment is rejected, with a code of this service or of the facilitator. */
export type RejectionReason = { readonly code: string; readonly error: string };

/** A rejection that is described by its code alone. */
export const refused = (code: string): RejectionReason => ({ code, error: `The payment was refused: ${code}.` });

type SignedMatch =
  | Extract<MatchReading, { ok: true }>
  | ({ readonly ok: false } & RejectionReason)
  /** Only a node can check the signature, and none answered. */
  | { readonly ok: false; readonly unread: unknown };

interface Deps {
  readonly terms: SellingTerms;
  readonly signatures: Pick<SignatureCheck, 'isSigned'>;
  readonly now: () => Date;
}

/**
 * Whether a payment may get a row: it matches this offer, stays valid long enough, and is signed by its payer. Anything
 * that a stranger could make up is refused here, so that it leaves no row and does not reach a facilitator (behaviour
 * 9.14).
 * @param neededMs how long verification, work and settlement may take from now on
 */
export async function matchSigned(
  payload: ReadPayload,
  offer: Offer,
  { terms, signatures, now }: Deps,
  neededMs: number,
): Promise<SignedMatch> {
  const match = matchPayload(payload, offer, terms, now());
  if (!match.ok) return match;
  const fault = validityFault(payload.authorization, match.requirement.maxTimeoutSeconds, now(), neededMs);
  if (fault) return { ok: false, ...fault };
  try {
    const isSigned = await signatures.isSigned(payload, match.requirement);
    return isSigned ? match : { ok: false, ...refused('invalid_exact_evm_signature') };
  } catch (error) {
    return { ok: false, unread: error };
  }
}
