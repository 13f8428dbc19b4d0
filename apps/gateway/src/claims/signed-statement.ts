import { claimStatement, isTimely, type Stated } from '@app/claims';
import { httpScheme, isOpenKey, isSignedBy, publicKeyOf, type JsonObject } from '@app/detectors';
import { z } from 'zod';
import { RequestError } from '../http/request-error';

/** What a claimant sends who signed the statement of a claim. */
export const SignedStatement = z.object({
  expires: z.string().max(24).describe('The last line of the statement, as it was signed.'),
  key: z.record(z.string(), z.unknown()).describe('The public key, as a JSON Web Key.'),
  signature: z
    .string()
    .max(2_048)
    .regex(/^[\w-]+$/)
    .describe('Base64url; the type of the key decides the algorithm, as in RFC 9421 section 3.3.'),
});

/**
 * The RFC 7638 thumbprint of the key that signed the statement.
 * @param raw body of the request
 * @throws {RequestError} 400 `claim_signature_invalid`
 */
export function signingKey(raw: unknown, stated: Stated, now: Date): string {
  const body = SignedStatement.safeParse(raw);
  if (!body.success) throw refused('send { expires, key, signature }, the key as a JSON Web Key');
  const { expires, signature } = body.data;
  const jwk = body.data.key as JsonObject; // it was JSON on its way here
  if (!isTimely(expires, now))
    throw refused('the statement has expired; ask for the claim, and sign its sign.statement');
  const key = publicKeyOf(jwk);
  if (!key) throw refused('the key is not one that can be read: Ed25519, P-256, P-384 or RSA');
  if (isOpenKey(jwk, key)) throw refused('anybody can sign with this key: its private half is known');
  const data = Buffer.from(claimStatement(stated, expires));
  if (!isSignedBy(key, httpScheme(key), { data, signature: Buffer.from(signature, 'base64url') })) {
    throw refused('the signature is not one of the statement by this key');
  }
  return key.thumbprint;
}

function refused(sentence: string): RequestError {
  return new RequestError('claim_signature_invalid', sentence);
}
