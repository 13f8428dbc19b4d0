import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

/** The kinds of encrypted or hashed data. Each has its own key, so that data of one kind cannot be used as another. */
export type VaultPurpose =
  | 'server_secret'
  | 'payment'
  | 'payment_name'
  | 'claim_caller'
  | 'evidence'
  | 'report_key'
  | 'webhook_secret'
  | 'receiver'
  | 'run';

/** The first byte of encrypted data. */
const FORM = 1;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + IV_BYTES + TAG_BYTES;

const TEXT_MARK = 'sealed:';
const HASH_MARK = 'hmac:';

/**
 * Encrypts and hashes data that a copy of the database must not reveal: AES-256-GCM and HMAC-SHA-256, with keys that
 * HKDF (RFC 5869) derives from one master key, one for each purpose.
 */
export class Vault {
  private readonly keys = new Map<VaultPurpose, Buffer>();

  constructor(private readonly master: string) {}

  /**
   * Encrypts bytes with AES-256-GCM.
   * @param subject the owner of the bytes, such as the key of their row; they can only be decrypted with the same
   * subject
   */
  seal(purpose: VaultPurpose, subject: string, bytes: Uint8Array): Buffer {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.keyOf(purpose), iv).setAAD(Buffer.from(subject));
    const body = Buffer.concat([cipher.update(bytes), cipher.final()]);
    return Buffer.concat([Buffer.of(FORM), iv, cipher.getAuthTag(), body]);
  }

  /**
   * Decrypts bytes; undefined if they were encrypted with another master key or for another subject, or were changed
   * since.
   */
  open(purpose: VaultPurpose, subject: string, sealed: Uint8Array): Buffer | undefined {
    const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
    if (bytes.length < HEAD_BYTES || bytes[0] !== FORM) return undefined;
    const decipher = createDecipheriv('aes-256-gcm', this.keyOf(purpose), bytes.subarray(1, 1 + IV_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(Buffer.from(subject)).setAuthTag(bytes.subarray(1 + IV_BYTES, HEAD_BYTES));
    try {
      return Buffer.concat([decipher.update(bytes.subarray(HEAD_BYTES)), decipher.final()]);
    } catch {
      return undefined;
    }
  }

  /** {@link seal} for columns of text. */
  sealText(purpose: VaultPurpose, subject: string, text: string): string {
    return `${TEXT_MARK}${this.seal(purpose, subject, Buffer.from(text)).toString('base64url')}`;
  }

  /** {@link open} for what {@link sealText} returned. */
  openText(purpose: VaultPurpose, subject: string, sealed: string): string | undefined {
    return this.open(purpose, subject, Buffer.from(sealed.slice(TEXT_MARK.length), 'base64url'))?.toString('utf8');
  }

  /** A stable keyed hash of a text, which reveals nothing without the key. */
  keyedHash(purpose: VaultPurpose, text: string): string {
    return `${HASH_MARK}${createHmac('sha256', this.keyOf(purpose)).update(text).digest('base64url')}`;
  }

  private keyOf(purpose: VaultPurpose): Buffer {
    const known = this.keys.get(purpose);
    if (known) return known;
    const key = Buffer.from(hkdfSync('sha256', this.master, '', `hostprobe ${purpose}`, 32));
    this.keys.set(purpose, key);
    return key;
  }
}
