import { createPrivateKey, generateKeyPairSync, type JsonWebKey, type KeyObject } from 'node:crypto';

/** A new Ed25519 key, PKCS #8 in PEM. */
export function newSigningKey(): string {
  const { privateKey } = generateKeyPairSync('ed25519');
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/**
 * Reads an Ed25519 private key: PKCS #8 in PEM or a JWK, either plain or in base64, since variables dislike line breaks.
 * @param variable that holds it, for the error
 * @throws Error that says what was expected and nothing of what was given
 */
export function readSigningKey(text: string, variable = 'PROBE_SIGNING_KEY'): KeyObject {
  const plain = /^(-----|\{)/.test(text.trim()) ? text : Buffer.from(text, 'base64').toString('utf8');
  const key = keyFrom(plain.trim());
  if (key?.asymmetricKeyType !== 'ed25519') {
    throw new Error(`${variable} must be an Ed25519 private key: PKCS #8 PEM or a JWK, plain or base64-encoded`);
  }
  return key;
}

/**
 * Judges the configured keys before a process writes anything: what a refused start leaves behind would be found by every
 * later one.
 * @throws Error that names the variable
 */
export function checkSigningKeys(prober: string | null, report: string | null = null): void {
  const keys = [
    prober === null ? undefined : readSigningKey(prober),
    report === null ? undefined : readSigningKey(report, 'REPORT_SIGNING_KEY'),
  ] as const;
  if (keys[0] && keys[1]?.equals(keys[0])) throw new Error(ONE_KEY);
}

/** Of a start with one key for two purposes. */
export const ONE_KEY = 'REPORT_SIGNING_KEY and PROBE_SIGNING_KEY are the same key; each purpose needs its own key';

function keyFrom(text: string): KeyObject | undefined {
  try {
    if (!text.startsWith('{')) return createPrivateKey(text);
    return createPrivateKey({ key: JSON.parse(text) as JsonWebKey, format: 'jwk' });
  } catch {
    return undefined;
  }
}
