import { createPublicKey, sign, type JsonWebKey, type KeyObject } from 'node:crypto';
import { directoryResponseHeaders, MediaType, signatureHeadersSync, type Signer, type SignerSync } from 'web-bot-auth';
import { signerFromJWK } from 'web-bot-auth/crypto';
import { newSigningKey, readSigningKey } from './signing-key';

/** Where verifiers look for our keys (draft-meunier-http-message-signatures-directory). */
export const DIRECTORY_PATH = '/.well-known/http-message-signatures-directory';

/** A signature is good for one request made now; the minute allows for clocks that differ. */
const REQUEST_LIFETIME_MS = 60_000;

/** A cached directory must outlive its cache entry. */
const DIRECTORY_LIFETIME_MS = 2 * 3_600_000;
const DIRECTORY_MAX_AGE_SEC = 3_600;

/** Port: what all processes share when nothing is configured. */
export interface SharedSecrets {
  /** The secret of a purpose; the first one is made with `generate` and kept. */
  obtain(purpose: 'prober_key', generate: () => string): Promise<string>;
}

export interface IdentityOptions {
  /** Key from the configuration: Ed25519 as PEM (PKCS #8) or JWK, plain or base64; null takes the shared one. */
  readonly configured: string | null;
  readonly secrets: SharedSecrets;
  readonly baseUrl: string;
}

/** The key directory as served: body and all headers. */
export interface KeyDirectory {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Who the prober is, provably: requests signed as Web Bot Auth says (RFC 9421 with
 * draft-meunier-web-bot-auth-architecture), and the directory with the public key. `Signature-Agent` carries our base
 * URL as a structured-field string, the form that verifiers in the field accept.
 */
export class ProberIdentity {
  private constructor(
    private readonly signer: Signer & SignerSync,
    private readonly publicJwk: JsonWebKey,
    private readonly baseUrl: string,
  ) {}

  /** @throws Error that names PROBE_SIGNING_KEY when the key cannot be read, and what `secrets` throws */
  static async open({ configured, secrets, baseUrl }: IdentityOptions): Promise<ProberIdentity> {
    const key = readSigningKey(configured ?? (await secrets.obtain('prober_key', newSigningKey)));
    const signer = await signerFromJWK(key.export({ format: 'jwk' }));
    return new ProberIdentity(signingOnTheSpot(signer, key), createPublicKey(key).export({ format: 'jwk' }), baseUrl);
  }

  /** RFC 7638 thumbprint of the key. */
  get keyId(): string {
    return this.signer.keyid;
  }

  /** Headers to send with a request; another nonce each time, so a signature cannot be replayed. */
  readonly signRequest = (request: {
    readonly method: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
  }): Readonly<Record<'signature-agent' | 'signature-input' | 'signature', string>> => {
    const agent = `"${this.baseUrl}"`;
    const message = { method: request.method, url: request.url, headers: { 'signature-agent': agent } };
    const signed = signatureHeadersSync(message, this.signer, lasting(REQUEST_LIFETIME_MS));
    return { 'signature-agent': agent, 'signature-input': signed['Signature-Input'], signature: signed.Signature };
  };

  /** The directory, signed by the key it holds: whoever serves it owns the key. */
  async directory(): Promise<KeyDirectory> {
    const request = { method: 'GET', url: `${this.baseUrl}${DIRECTORY_PATH}`, headers: {} };
    const signed = await directoryResponseHeaders(
      { request, response: { status: 200, headers: {} } },
      [this.signer],
      lasting(DIRECTORY_LIFETIME_MS),
    );
    return {
      body: JSON.stringify({ keys: [{ ...this.publicJwk, kid: this.keyId, use: 'sig', alg: 'ed25519' }] }),
      headers: {
        'content-type': MediaType.HTTP_MESSAGE_SIGNATURES_DIRECTORY,
        'cache-control': `public, max-age=${DIRECTORY_MAX_AGE_SEC}`,
        'signature-input': signed['Signature-Input'],
        signature: signed.Signature,
      },
    };
  }
}

/** An Ed25519 signature takes less time than handing it to another thread does. */
function signingOnTheSpot(signer: Signer, key: KeyObject): Signer & SignerSync {
  const signSync = (data: string): Uint8Array => sign(null, Buffer.from(data), key);
  return { keyid: signer.keyid, alg: signer.alg, signSync, sign: (data) => Promise.resolve(signSync(data)) };
}

function lasting(ms: number): { created: Date; expires: Date } {
  const created = new Date();
  return { created, expires: new Date(created.getTime() + ms) };
}
