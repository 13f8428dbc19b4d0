import { createPrivateKey } from 'node:crypto';
import {
  newSigningKey,
  ONE_KEY,
  readSigningKey,
  KEY_NOTICE_MS,
  KeyRing,
  publicJwkOf,
  thumbprintOf,
  type KeySet,
} from '@app/signing';
import type { ReportKeyRepository } from '@app/storage';

/** Other processes and the command line change keys; this one hears of it after so long, in milliseconds. */
const REREAD_MS = 60_000;

export interface ReportKeysOptions {
  readonly keys: Pick<ReportKeyRepository, 'list' | 'add'>;
  /** From the configuration, as `PROBE_SIGNING_KEY`; null draws one. */
  readonly configured: string | null;
  /** The key that the prober signs with. */
  readonly proberKey: () => Promise<string>;
}

/** The keys of statements. No worker reads them: it handles what strangers send. */
export class ReportKeys {
  private reading: { readonly ring: Promise<KeyRing>; readonly until: number } | undefined;
  private latest: KeyRing | undefined;

  constructor(private readonly options: ReportKeysOptions) {}

  /**
   * Sees to it that there is a key, and that it is one of its own.
   * @throws Error that names REPORT_SIGNING_KEY when it cannot be read, or is the key of the prober
   */
  async start(): Promise<void> {
    const { keys, configured, proberKey } = this.options;
    const drawn = configured === null;
    const pem = drawn ? newSigningKey() : pemOf(configured, 'REPORT_SIGNING_KEY');
    const kid = kidOf(pem);
    const stored = await keys.list();
    const prober = kidOf(pemOf(await proberKey(), 'PROBE_SIGNING_KEY'));
    // Before anything is written: a key that is stored stays listed, and every later start would be refused for it.
    if ([kid, ...stored.map((known) => known.kid)].includes(prober)) {
      throw new Error(ONE_KEY);
    }
    const signsFrom = new Date(Date.now() + (stored.length === 0 ? 0 : KEY_NOTICE_MS));
    const isNew = drawn ? stored.length === 0 : stored.every((known) => known.kid !== kid);
    if (isNew) await keys.add({ kid, pem, signsFrom }, drawn ? 'first' : undefined);
    await this.ring();
  }

  /** The keys as of a moment ago. */
  ring(): Promise<KeyRing> {
    const now = Date.now();
    if (this.reading && now < this.reading.until) return this.reading.ring;
    const ring = this.options.keys.list().then((stored) => new KeyRing(stored));
    this.reading = { ring, until: now + REREAD_MS };
    ring.then(
      (read) => (this.latest = read),
      () => (this.reading = undefined),
    );
    return ring;
  }

  /** Whether a key may still be relied on, as far as is known; what is known is renewed behind the caller's back. */
  trusts(kid: string): boolean {
    if (!this.reading || Date.now() >= this.reading.until) void this.ring().catch(() => undefined);
    return this.latest?.trusts(kid) ?? false;
  }

  async document(): Promise<KeySet> {
    return (await this.ring()).document(new Date());
  }
}

function pemOf(configured: string, variable: string): string {
  return readSigningKey(configured, variable).export({ type: 'pkcs8', format: 'pem' }).toString();
}

function kidOf(pem: string): string {
  return thumbprintOf(publicJwkOf(createPrivateKey(pem)));
}
