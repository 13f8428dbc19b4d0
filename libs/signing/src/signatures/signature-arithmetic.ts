import type { JsonObject } from '@app/detectors';
import {
  extractJWSHeader,
  verifyOfferSignatureEIP712,
  verifyOfferSignatureJWS,
  type EIP712SignedOffer,
} from '@x402/extensions/offer-receipt';
import { recoverMessageAddress, type Hex } from 'viem';

/** JWS algorithms with public keys that domains publish; `none` and the symmetric ones have no place here. */
const ALGORITHMS = ['ES256', 'ES256K', 'EdDSA'] as const;

/** Address that signed a text (EIP-191). @throws on an invalid signature */
export function signerOfText(message: string, signature: string): Promise<string> {
  return recoverMessageAddress({ message, signature: signature as Hex });
}

/** Address that signed the payload of an offer (EIP-712). @throws on an invalid signature */
export async function signerOfTypedOffer(offer: JsonObject): Promise<string> {
  return (await verifyOfferSignatureEIP712(offer as unknown as EIP712SignedOffer)).signer;
}

/**
 * Payload of a compact JWS that the key signed. The public members of the key only: a leaked private key is no reason to
 * use one. The header names the algorithm, which must be one of the list.
 * @throws on a signature that is none
 */
export async function payloadSignedBy(signature: string, jwk: JsonObject): Promise<string> {
  const alg = ALGORITHMS.find((name) => name === extractJWSHeader(signature).alg);
  if (alg === undefined) throw new Error('the algorithm is not supported');
  const { kty, crv, x, y } = jwk as Readonly<Record<string, string>>;
  if (kty !== 'EC' && kty !== 'OKP') throw new Error('the key is not supported');
  const key = { kty, alg, ...(crv && { crv }), ...(x && { x }), ...(y && { y }) };
  return JSON.stringify(await verifyOfferSignatureJWS({ format: 'jws', signature }, key));
}
