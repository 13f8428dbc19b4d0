import type { JsonObject } from '@app/detectors';

/** Port: reads signatures. Nothing of it throws or asks anybody; a signature that is none answers undefined. */
export interface SignatureReader {
  /** Address of the key that signed a text (EIP-191, `personal_sign`). */
  signerOfText(text: string, signature: string): Promise<string | undefined>;
  /** Address of the key that signed the payload of an EIP-712 offer (x402 `offer-receipt`, domain "x402 offer"). */
  signerOfOffer(offer: JsonObject): Promise<string | undefined>;
  /** Payload of a compact JWS, when the key (a public JWK) signed it. */
  payloadOfJws(jws: string, jwk: JsonObject): Promise<string | undefined>;
}
