import { createPrivateKey, generateKeyPairSync, type JsonWebKey, type KeyObject } from 'node:crypto';

/** Generates an Ed25519 key as PKCS #8 PEM. */
export function newSigningKey(): string {
  const { privateKey } = generateKeyPairSync('ed25519');
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/**
 * Reads an Ed25519 private key: PKCS #8 PEM or a JWK, plain or in base64 (environment variables handle line breaks
 * badly).
 * @param variable name of the environment variable, for the error message
 * @throws Error that describes the expected format without quoting the value
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
 * Checks the configured keys before the process writes anything. Otherwise a failed start would leave data behind for
 * later starts.
 * @throws Error that names the variable
 */
export function checkSigningKeys(prober: string | null, report: string | null = null): void {
  const keys = [
    prober === null ? undefined : readSigningKey(prober),
    report === null ? undefined : readSigningKey(report, 'REPORT_SIGNING_KEY'),
  ] as const;
  if (keys[0] && keys[1]?.equals(keys[0])) throw new Error(ONE_KEY);
}

/** The error if one key is configured for both purposes. */
export const ONE_KEY = 'REPORT_SIGNING_KEY and PROBE_SIGNING_KEY are the same key; each purpose needs its own key';

function keyFrom(text: string): KeyObject | undefined {
  try {
    if (!text.startsWith('{')) return createPrivateKey(text);
    return createPrivateKey({ key: JSON.parse(text) as JsonWebKey, format: 'jwk' });
  } catch {
    return undefined;
  }
}
