import { createPrivateKey, randomBytes, sign, type KeyObject } from 'node:crypto';
import { withoutTrailing } from '@app/platform';
import type { FacilitatorAuth } from './facilitator';

/** The lifetime of a token in seconds; the platform rejects longer ones. */
const TOKEN_SEC = 120;

export interface CdpKey {
  readonly id: string;
  /** PEM of an EC P-256 key, or base64 of an Ed25519 seed and public key, as the platform's portal issues them. */
  readonly secret: string;
}

/**
 * Authorizes calls to the facilitator of the Coinbase Developer Platform with a bearer token per call, bound to its
 * method and URL (https://docs.cdp.coinbase.com/api-reference/v2/authentication).
 * @throws Error if the secret is not a key.
 */
export function cdpAuth(facilitatorUrl: string, key: CdpKey, now: () => number = Date.now): FacilitatorAuth {
  const privateKey = readKey(key.secret);
  const { host, pathname } = new URL(facilitatorUrl);
  const base = `${host}${withoutTrailing(pathname, '/')}`;
  const header = (method: string, call: string): Record<string, string> => ({
    authorization: `Bearer ${token(key.id, privateKey, `${method} ${base}/${call}`, Math.floor(now() / 1_000))}`,
  });
  return () =>
    Promise.resolve({
      verify: header('POST', 'verify'),
      settle: header('POST', 'settle'),
      supported: header('GET', 'supported'),
    });
}

/** Authorizes calls to a facilitator that expects a constant `Authorization` header. */
export function staticAuth(authorization: string): FacilitatorAuth {
  const header = (): Record<string, string> => ({ authorization });
  return () => Promise.resolve({ verify: header(), settle: header(), supported: header() });
}

/** Builds a JWT (RFC 7515, RFC 7519) without a library: node:crypto has both algorithms. */
function token(id: string, key: KeyObject, uri: string, nowSec: number): string {
  const elliptic = key.asymmetricKeyType === 'ec';
  const header = { alg: elliptic ? 'ES256' : 'EdDSA', typ: 'JWT', kid: id, nonce: randomBytes(16).toString('hex') };
  const claims = { sub: id, iss: 'cdp', uris: [uri], iat: nowSec, nbf: nowSec, exp: nowSec + TOKEN_SEC };
  const signed = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  const signature = elliptic
    ? sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' })
    : sign(null, Buffer.from(signed), key);
  return `${signed}.${signature.toString('base64url')}`;
}

function readKey(secret: string): KeyObject {
  try {
    // Environment files often contain a PEM on one line.
    if (secret.includes('BEGIN')) return createPrivateKey(secret.replaceAll('\\n', '\n'));
    const bytes = Buffer.from(secret, 'base64');
    if (bytes.length !== 64) throw new Error('not 64 bytes');
    const [d, x] = [bytes.subarray(0, 32).toString('base64url'), bytes.subarray(32).toString('base64url')];
    return createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', d, x }, format: 'jwk' });
  } catch {
    throw new Error('CDP_API_KEY_SECRET must be a PEM private key or a base64 Ed25519 key of 64 bytes');
  }
}
