import { member, text } from '@app/detectors';
import type { SignatureReader } from '@app/reports';

/** 65 bytes of an ECDSA signature; smart wallets sign otherwise, and only a chain can judge those. */
const SIGNATURE = /^0x[0-9a-fA-F]{130}$/;

/** Longest JWS read, in characters. */
const MAX_JWS = 16_384;

/** The libraries are read with the first signature: few probes meet one, and they are four fifths of a judging thread. */
const arithmetic = () => import('./signature-arithmetic.js');

/**
 * Reads signatures by arithmetic alone: it makes no request, so a key that a host names is never fetched.
 * A contract wallet's signature (EIP-1271) therefore reads as none.
 */
export const offlineSignatures: SignatureReader = {
  signerOfText: async (message, signature) => {
    if (!SIGNATURE.test(signature)) return undefined;
    const { signerOfText } = await arithmetic();
    return orUndefined(signerOfText(message, signature));
  },

  signerOfOffer: async (offer) => {
    if (!SIGNATURE.test(text(member(offer, 'signature')) ?? '')) return undefined;
    const { signerOfTypedOffer } = await arithmetic();
    return orUndefined(signerOfTypedOffer(offer));
  },

  payloadOfJws: async (jws, jwk) => {
    if (jws.length > MAX_JWS) return undefined;
    const { payloadSignedBy } = await arithmetic();
    return orUndefined(payloadSignedBy(jws, jwk));
  },
};

/** A host's signature may be broken in ways only the library finds; each of them means that it is none. */
async function orUndefined<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch {
    return undefined;
  }
}
