// Signs statements like a service, for tests that run without one.
import { generateKeyPairSync, sign } from 'node:crypto';

const base64url = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** An issuer with its own key. `keys` is what it publishes; `states` signs a statement about an origin, valid for 15 minutes. */
export function drawnIssuer(url, kid = 'key-1') {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const states = (origin, rails, claims = {}) => {
    const iat = Math.floor(Date.now() / 1_000) - 5;
    const said = { iss: url, sub: origin, iat, exp: iat + 900, jti: '1', outcome: 'probed', rails, ...claims };
    const text = `${base64url({ alg: 'EdDSA', typ: 'hostprobe-report+jwt', kid })}.${base64url(said)}`;
    return `${text}.${sign(null, Buffer.from(text), privateKey).toString('base64url')}`;
  };
  return { keys: { keys: [{ kid, ...publicKey.export({ format: 'jwk' }), use: 'sig' }], revoked: [] }, states };
}
