import type { JsonObject } from '@app/detectors';
import {
  extractJWSHeader,
  verifyOfferSignatureEIP712,
  verifyOfferSignatureJWS,
  type EIP712SignedOffer,
} from '@x402/extensions/offer-receipt';
import { recoverMessageAddress, type Hex } from 'viem';

/** JWS algorithms with public keys; `none` and symmetric algorithms are not allowed. */
const ALGORITHMS = ['ES256', 'ES256K', 'EdDSA'] as const;

/** The address that signed a text (EIP-191). @throws for an invalid signature */
export function signerOfText(message: string, signature: string): Promise<string> {
  return recoverMessageAddress({ message, signature: signature as Hex });
}

/** The address that signed the payload of an offer (EIP-712). @throws for an invalid signature */
export async function signerOfTypedOffer(offer: JsonObject): Promise<string> {
  return (await verifyOfferSignatureEIP712(offer as unknown as EIP712SignedOffer)).signer;
}

/**
 * The payload of a compact JWS, verified with the key. Only public fields of the key are used, so that a leaked private
 * key is not used either. The algorithm in the header must be in the list.
 * @throws for an invalid signature
 */
export async function payloadSignedBy(signature: string, jwk: JsonObject): Promise<string> {
  const alg = ALGORITHMS.find((name) => name === extractJWSHeader(signature).alg);
  if (alg === undefined) throw new Error('the algorithm is not supported');
  const { kty, crv, x, y } = jwk as Readonly<Record<string, string>>;
  if (kty !== 'EC' && kty !== 'OKP') throw new Error('the key is not supported');
  const key = { kty, alg, ...(crv && { crv }), ...(x && { x }), ...(y && { y }) };
  return JSON.stringify(await verifyOfferSignatureJWS({ format: 'jws', signature }, key));
}
