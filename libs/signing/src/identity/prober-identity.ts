import { createHash, createPublicKey, sign, type JsonWebKey, type KeyObject } from 'node:crypto';
import { signatureHeadersSync as messageSignature, type Component } from 'http-message-sig';
import { MediaType, signatureHeadersSync, Tag, type Signer, type SignerSync } from 'web-bot-auth';
import { signerFromJWK } from 'web-bot-auth/crypto';
import { newSigningKey, readSigningKey } from './signing-key';

/** Where verifiers find the keys of this service (draft-ietf-webbotauth-httpsig-protocol). */
export const DIRECTORY_PATH = '/.well-known/http-message-signatures-directory';

/** The validity of a request signature. It is used immediately; the minute allows for clock differences. */
const REQUEST_LIFETIME_MS = 60_000;

/** The directory's signature must outlive its cache entry. */
const DIRECTORY_LIFETIME_MS = 2 * 3_600_000;
const DIRECTORY_MAX_AGE_SEC = 3_600;

/** The directory's signature covers the requested host and the digest of the body. */
const DIRECTORY_COMPONENTS: Component[] = [
  { name: '@authority', parameters: new Map([['req', true]]) },
  'content-digest',
];

/** Port: secrets that all processes share if none are configured. */
export interface SharedSecrets {
  /** The secret for a purpose. The first call creates and stores it with `generate`. */
  obtain(purpose: 'prober_key', generate: () => string): Promise<string>;
}

export interface IdentityOptions {
  /** The configured key: Ed25519 as PEM (PKCS #8) or JWK, plain or base64. With null, the shared key is used. */
  readonly configured: string | null;
  readonly secrets: SharedSecrets;
  readonly baseUrl: string;
}

/** The key directory with its body and headers. */
export interface KeyDirectory {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The prober's verifiable identity: it signs requests with Web Bot Auth (RFC 9421 with
 * draft-meunier-web-bot-auth-architecture) and publishes the public key in a directory. `Signature-Agent` contains the
 * base URL as a structured-field string, which existing verifiers accept.
 */
export class ProberIdentity {
  private constructor(
    private readonly signer: Signer & SignerSync,
    private readonly publicJwk: JsonWebKey,
    private readonly baseUrl: string,
  ) {}

  /** @throws Error that names PROBE_SIGNING_KEY if the key cannot be read, and errors of `secrets` */
  static async open({ configured, secrets, baseUrl }: IdentityOptions): Promise<ProberIdentity> {
    const key = readSigningKey(configured ?? (await secrets.obtain('prober_key', newSigningKey)));
    const signer = await signerFromJWK(key.export({ format: 'jwk' }));
    return new ProberIdentity(synchronousSigner(signer, key), createPublicKey(key).export({ format: 'jwk' }), baseUrl);
  }

  /** RFC 7638 thumbprint of the key. */
  get keyId(): string {
    return this.signer.keyid;
  }

  /** The signature headers of a request. Each has a new nonce, so that a signature cannot be replayed. */
  readonly signRequest = (request: {
    readonly method: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
  }): Readonly<Record<'signature-agent' | 'signature-input' | 'signature', string>> => {
    const agent = `"${this.baseUrl}"`;
    const message = { method: request.method, url: request.url, headers: { 'signature-agent': agent } };
    const signed = signatureHeadersSync(message, this.signer, validFor(REQUEST_LIFETIME_MS));
    return { 'signature-agent': agent, 'signature-input': signed['Signature-Input'], signature: signed.Signature };
  };

  /** The directory, signed with the listed key, which proves that the server owns the key. */
  directory(): KeyDirectory {
    const body = JSON.stringify({ keys: [{ ...this.publicJwk, kid: this.keyId, use: 'sig', alg: 'ed25519' }] });
    const request = { method: 'GET', url: `${this.baseUrl}${DIRECTORY_PATH}`, headers: {} };
    const digest = `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
    const signed = messageSignature(
      { request, response: { status: 200, headers: { 'content-digest': digest } } },
      {
        signer: this.signer,
        components: DIRECTORY_COMPONENTS,
        key: 'binding',
        tag: Tag.HTTP_MESSAGE_SIGNAGURES_DIRECTORY,
        ...validFor(DIRECTORY_LIFETIME_MS),
      },
    );
    return {
      body,
      headers: {
        'content-type': MediaType.HTTP_MESSAGE_SIGNATURES_DIRECTORY,
        'cache-control': `public, max-age=${DIRECTORY_MAX_AGE_SEC}`,
        'content-digest': digest,
        'signature-input': signed['Signature-Input'],
        signature: signed.Signature,
      },
    };
  }
}

/** Signing with Ed25519 is faster than passing the work to another thread. */
function synchronousSigner(signer: Signer, key: KeyObject): Signer & SignerSync {
  const signSync = (data: string): Uint8Array => sign(null, Buffer.from(data), key);
  return { keyid: signer.keyid, alg: signer.alg, signSync, sign: (data) => Promise.resolve(signSync(data)) };
}

function validFor(ms: number): { created: Date; expires: Date } {
  const created = new Date();
  return { created, expires: new Date(created.getTime() + ms) };
}
