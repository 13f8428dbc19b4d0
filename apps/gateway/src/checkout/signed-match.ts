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

/** The reason that has a code alone. */
export const refused = (code: string): RejectionReason => ({ code, error: `The payment was refused: ${code}.` });

type SignedMatch =
  | Extract<MatchReading, { ok: true }>
  | ({ readonly ok: false } & RejectionReason)
  /** Only a node knows whether it is signed, and none answered. */
  | { readonly ok: false; readonly unread: unknown };

interface Deps {
  readonly terms: SellingTerms;
  readonly signatures: Pick<SignatureCheck, 'isSigned'>;
  readonly now: () => Date;
}

/**
 * Whether a payment may have a row: it is meant for this offer, lasts long enough, and its payer signed it. What anybody
 * can make up is refused here, so it leaves nothing behind and no facilitator is asked about it (behaviour 9.14).
 * @param neededMs what verifying, working and settling may take from here
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
