import type { StoredReport } from '@app/persistence';
import { cacheState, renderReportEnd, secondsToNextFlip, type HostClocks, type RefreshOffer } from '@app/reports';

/** A free report with what HTTP caches need to know. */
export interface ServedReport {
  /** JSON: as text for the first reader, in UTF-8 for those that follow. */
  readonly body: Buffer | string;
  /** Strong: changes with the stored report, its two flags and an opt-out. */
  readonly etag: string;
  readonly maxAgeSec: number;
  /** The same as a header, made once for all readers. */
  readonly cacheControl: string;
  /** False for a host nobody has looked at. */
  readonly known: boolean;
  readonly presenceStale: boolean;
}

/** Upper bound of `max-age`: a shared cache never serves a report much older than ours. */
const MAX_AGE_SEC = 60;
/** A host nobody looked at may get its first report any moment. */
const UNKNOWN_MAX_AGE_SEC = 5;

/** What one object beside its octets takes, roughly. */
const OVERHEAD_BYTES = 1_024;

/**
 * One stored report, and from its second reader on the octets that can be sent. They change only when a flag does, so
 * what is served is worked out once and handed out until then: the report is held in memory once, its last rendering.
 * Most reports have one reader while they are in memory, for whom text is cheaper.
 */
export class CachedReport {
  /** The last rendering; null until there is one. */
  private bytes: Buffer | null = null;
  /** Where the stored part ends in it, without its closing brace. */
  private factsEnd = 0;
  private facts: string;
  private flags = -1;
  private wasRead = false;
  private served: ServedReport | undefined;
  /** Times between which it is served as it is; the clock of a machine may also be set back. */
  private servedFrom = 0;
  private servedUntil = 0;
  private servedOptedOut = false;

  constructor(
    private readonly version: number,
    facts: string,
    private readonly clocks: HostClocks,
    private readonly offer: () => RefreshOffer,
  ) {
    this.facts = facts;
  }

  static of({ version, facts, clocks }: StoredReport, offer: () => RefreshOffer): CachedReport {
    return new CachedReport(version, facts, clocks, offer);
  }

  get weight(): number {
    return (this.bytes?.length ?? this.facts.length) + OVERHEAD_BYTES;
  }

  /** The report with its flags as of a time in milliseconds. */
  serve(nowMs: number, optedOut: boolean): ServedReport {
    const unchanged = nowMs >= this.servedFrom && nowMs <= this.servedUntil && optedOut === this.servedOptedOut;
    if (this.served && unchanged) return this.served;
    const now = new Date(nowMs);
    const state = cacheState(this.clocks, now);
    const flags = Number(optedOut) * 4 + Number(state.presenceStale) * 2 + Number(state.callabilityStale);
    const flip = secondsToNextFlip(this.clocks, now);
    const known = this.version !== 0;
    const maxAgeSec = known ? Math.min(MAX_AGE_SEC, flip) : UNKNOWN_MAX_AGE_SEC;
    const told = {
      etag: `"${this.version}-${flags}"`,
      maxAgeSec,
      cacheControl: `public, max-age=${maxAgeSec}`,
      known,
      presenceStale: state.presenceStale,
    };
    const end = (): string => renderReportEnd(state, this.offer(), optedOut);
    if (!this.wasRead) {
      this.wasRead = true;
      return { body: this.text(end()), ...told };
    }
    this.served = { body: this.bytes && flags === this.flags ? this.bytes : this.render(end()), ...told };
    this.flags = flags;
    this.servedFrom = nowMs;
    // `max-age` stays as it is until the next flip is nearer than the bound.
    this.servedUntil = flip > MAX_AGE_SEC ? nowMs + (flip - MAX_AGE_SEC) * 1_000 : nowMs;
    this.servedOptedOut = optedOut;
    return this.served;
  }

  /** The stored part with `end` in the place of its closing brace. */
  private text(end: string): string {
    return this.facts.slice(0, -1) + end;
  }

  /** The stored part is made octets once, together with its first end. */
  private render(end: string): Buffer {
    if (this.bytes === null) {
      this.bytes = Buffer.from(this.text(end));
      this.factsEnd = this.bytes.length - Buffer.byteLength(end);
      this.facts = '';
    } else {
      this.bytes = Buffer.concat([this.bytes.subarray(0, this.factsEnd), Buffer.from(end)]);
    }
    return this.bytes;
  }
}
