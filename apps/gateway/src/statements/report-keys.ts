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

/** How often the keys are read again, in milliseconds, because other processes and the command line change them. */
const REREAD_MS = 60_000;

export interface ReportKeysOptions {
  readonly keys: Pick<ReportKeyRepository, 'list' | 'add'>;
  /** The configured key, like `PROBE_SIGNING_KEY`; with null, one is generated. */
  readonly configured: string | null;
  /** The prober's signing key. */
  readonly proberKey: () => Promise<string>;
}

/** The keys that sign statements. Workers never read them, because workers handle input from strangers. */
export class ReportKeys {
  private reading: { readonly ring: Promise<KeyRing>; readonly until: number } | undefined;
  private latest: KeyRing | undefined;

  constructor(private readonly options: ReportKeysOptions) {}

  /**
   * Makes sure that there is a key, and that it differs from the prober's.
   * @throws Error that names REPORT_SIGNING_KEY if it cannot be read or is the prober's key
   */
  async start(): Promise<void> {
    const { keys, configured, proberKey } = this.options;
    const drawn = configured === null;
    const pem = drawn ? newSigningKey() : pemOf(configured, 'REPORT_SIGNING_KEY');
    const kid = kidOf(pem);
    const stored = await keys.list();
    const prober = kidOf(pemOf(await proberKey(), 'PROBE_SIGNING_KEY'));
    // Checked before anything is written: a stored key stays listed, and would make every later start fail.
    if ([kid, ...stored.map((known) => known.kid)].includes(prober)) {
      throw new Error(ONE_KEY);
    }
    const signsFrom = new Date(Date.now() + (stored.length === 0 ? 0 : KEY_NOTICE_MS));
    const isNew = drawn ? stored.length === 0 : stored.every((known) => known.kid !== kid);
    if (isNew) await keys.add({ kid, pem, signsFrom }, drawn ? 'first' : undefined);
    await this.ring();
  }

  /** The recent state of the keys. */
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

  /** Whether a key may still be trusted, by the last known state, which is refreshed in the background. */
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
