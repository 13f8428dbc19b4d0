import {
  createHash,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
} from 'node:crypto';

/** The DER prefix of a private key (RFC 8410), before its 32 bytes. */
const HEADS = { Ed25519: '302e020100300506032b657004220420', X25519: '302e020100300506032b656e04220420' } as const;
type Curve = keyof typeof HEADS;

/** The public keys of a worker, as base64url of the raw keys. */
export interface PublicWebhookKeys {
  /** RFC 7638 thumbprint of the signing key. */
  readonly kid: string;
  readonly signing: string;
  readonly sealing: string;
}

/**
 * The keys of the workers, derived from a secret that gateways do not need: one signs alerts, the other decrypts the
 * secrets of receivers.
 */
export class WebhookKeys {
  readonly signing: KeyObject;
  private readonly sealing: KeyObject;
  readonly published: PublicWebhookKeys;

  constructor(secret: string) {
    this.signing = derived('Ed25519', secret);
    this.sealing = derived('X25519', secret);
    const x = publicHalf(this.signing);
    const kid = createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest('base64url');
    this.published = { kid, signing: x, sealing: publicHalf(this.sealing) };
  }

  /** The shared secret with the owner of this public key. */
  agree(publicKey: string): Buffer {
    return diffieHellman({ privateKey: this.sealing, publicKey: readPublic('X25519', publicKey) });
  }
}

/** Generates a key pair for one secret, and the secret shared with the workers. */
export function agreement(sealing: string): { readonly publicKey: string; readonly shared: Buffer } {
  const { privateKey } = generateKeyPairSync('x25519');
  const shared = diffieHellman({ privateKey, publicKey: readPublic('X25519', sealing) });
  return { publicKey: publicHalf(privateKey), shared };
}

function derived(curve: Curve, secret: string): KeyObject {
  const seed = Buffer.from(hkdfSync('sha256', secret, '', `hostprobe webhook ${curve}`, 32));
  const key = Buffer.concat([Buffer.from(HEADS[curve], 'hex'), seed]);
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' });
}

function publicHalf(key: KeyObject): string {
  return createPublicKey(key).export({ format: 'jwk' }).x ?? '';
}

function readPublic(crv: Curve, x: string): KeyObject {
  return createPublicKey({ key: { kty: 'OKP', crv, x }, format: 'jwk' });
}
