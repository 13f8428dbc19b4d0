import { member, text, type JsonObject } from '@app/detectors';
import type { SignatureReader } from '@app/reports';
import {
  extractJWSHeader,
  verifyOfferSignatureEIP712,
  verifyOfferSignatureJWS,
  type EIP712SignedOffer,
} from '@x402/extensions/offer-receipt';
import { recoverMessageAddress, type Hex } from 'viem';

/** 65 octets of an ECDSA signature; smart wallets sign otherwise, and only a chain can judge those. */
const SIGNATURE = /^0x[0-9a-fA-F]{130}$/;

/** JWS algorithms with public keys that domains publish; `none` and the symmetric ones have no place here. */
const ALGORITHMS = ['ES256', 'ES256K', 'EdDSA'] as const;

/** Longest JWS read, in characters. */
const MAX_JWS = 16_384;

/**
 * Reads signatures by arithmetic alone: no chain and no resolver is asked, so a key named by a stranger is never fetched.
 * A contract wallet's signature (EIP-1271) therefore reads as none.
 */
export const offlineSignatures: SignatureReader = {
  signerOfText: (message, signature) =>
    SIGNATURE.test(signature)
      ? orUndefined(recoverMessageAddress({ message, signature: signature as Hex }))
      : Promise.resolve(undefined),

  signerOfOffer: (offer) =>
    SIGNATURE.test(text(member(offer, 'signature')) ?? '')
      ? orUndefined(signerOfTypedOffer(offer as unknown as EIP712SignedOffer))
      : Promise.resolve(undefined),

  payloadOfJws: (jws, jwk) =>
    jws.length > MAX_JWS ? Promise.resolve(undefined) : orUndefined(payloadSignedBy(jws, jwk)),
};

async function signerOfTypedOffer(offer: EIP712SignedOffer): Promise<string> {
  return (await verifyOfferSignatureEIP712(offer)).signer;
}

/** The public members only: a leaked private key is no reason to use one. The algorithm is the header's, within ours. */
async function payloadSignedBy(signature: string, jwk: JsonObject): Promise<string> {
  const alg = ALGORITHMS.find((name) => name === extractJWSHeader(signature).alg);
  if (alg === undefined) throw new Error('an algorithm that is not accepted');
  const { kty, crv, x, y } = jwk as Readonly<Record<string, string>>;
  if (kty !== 'EC' && kty !== 'OKP') throw new Error('a key that is not accepted');
  const key = { kty, alg, ...(crv && { crv }), ...(x && { x }), ...(y && { y }) };
  return JSON.stringify(await verifyOfferSignatureJWS({ format: 'jws', signature }, key));
}

/** A stranger's signature may be broken in ways only the library finds; all of them mean: it is none. */
async function orUndefined<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch {
    return undefined;
  }
}
