import type { StoredReport } from '@app/persistence';
import { cacheState, renderReportEnd, secondsToNextFlip, type HostClocks, type RefreshOffer } from '@app/reports';

/** A free report with what HTTP caches need to know. */
export interface ServedReport {
  /** JSON in UTF-8. */
  readonly body: Buffer;
  /** Strong: changes with the stored report, its two flags and an opt-out. */
  readonly etag: string;
  readonly maxAgeSec: number;
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
 * One stored report as octets that can be sent. They change only when a flag does, so what is served is worked out once
 * and handed out until then: the report is held in memory once, its last rendering.
 */
export class CachedReport {
  private bytes: Buffer;
  /** Where the stored part ends, without its closing brace. */
  private readonly factsEnd: number;
  private flags = -1;
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
    this.bytes = Buffer.from(facts);
    this.factsEnd = this.bytes.length - 1;
  }

  static of({ version, facts, clocks }: StoredReport, offer: () => RefreshOffer): CachedReport {
    return new CachedReport(version, facts, clocks, offer);
  }

  get weight(): number {
    return this.bytes.length + OVERHEAD_BYTES;
  }

  /** The report with its flags as of a time in milliseconds. */
  serve(nowMs: number, optedOut: boolean): ServedReport {
    const unchanged = nowMs >= this.servedFrom && nowMs <= this.servedUntil && optedOut === this.servedOptedOut;
    if (this.served && unchanged) return this.served;
    const now = new Date(nowMs);
    const state = cacheState(this.clocks, now);
    const flags = Number(optedOut) * 4 + Number(state.presenceStale) * 2 + Number(state.callabilityStale);
    if (flags !== this.flags) {
      const end = Buffer.from(renderReportEnd(state, this.offer(), optedOut));
      this.bytes = Buffer.concat([this.bytes.subarray(0, this.factsEnd), end]);
      this.flags = flags;
    }
    const flip = secondsToNextFlip(this.clocks, now);
    const known = this.version !== 0;
    this.served = {
      body: this.bytes,
      etag: `"${this.version}-${flags}"`,
      maxAgeSec: known ? Math.min(MAX_AGE_SEC, flip) : UNKNOWN_MAX_AGE_SEC,
      known,
      presenceStale: state.presenceStale,
    };
    this.servedFrom = nowMs;
    // `max-age` stays as it is until the next flip is nearer than the bound.
    this.servedUntil = flip > MAX_AGE_SEC ? nowMs + (flip - MAX_AGE_SEC) * 1_000 : nowMs;
    this.servedOptedOut = optedOut;
    return this.served;
  }
}
