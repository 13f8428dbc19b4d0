import { member, text } from '@app/detectors';
import type { SignatureReader } from '@app/reports';

/** A 65-byte ECDSA signature. Smart wallets use other formats, which only a chain can verify. */
const SIGNATURE = /^0x[0-9a-fA-F]{130}$/;

/** The longest accepted JWS, in characters. */
const MAX_JWS = 16_384;

/**
 * The libraries are loaded with the first signature: few probes contain one, and they make up four fifths of a detector
 * thread.
 */
const arithmetic = () => import('./signature-arithmetic.js');

/**
 * Verifies signatures offline: it makes no requests, so keys at URLs named by a host are never fetched. A contract
 * wallet's signature (EIP-1271) therefore counts as missing.
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

/**
 * A host's signature may be invalid in ways that only the library detects. Any such error means that there is no
 * signature.
 */
async function orUndefined<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch {
    return undefined;
  }
}
