import { defined } from '@app/platform';
import type { StoredReport } from '@app/storage';
import {
  cacheState,
  renderReportEnd,
  secondsToNextFlip,
  type HostClocks,
  type ReportEnd,
  type Skipped,
} from '@app/reports';
import type { StatedReport } from '@app/signing';
import { contentTag } from '../http/entity-tag';

/** A free report with the data that HTTP caching needs. */
export interface ServedReport {
  /** JSON: text for the first reader, UTF-8 bytes for later ones. */
  readonly body: Buffer | string;
  /**
   * A strong tag, derived from the text. The version would not do: it starts again at 1 after a host was deleted, and
   * does not cover the offer.
   */
  readonly etag: string;
  /** The version of the stored report; it grows with each change. */
  readonly version: number;
  readonly maxAgeSec: number;
  /** Seconds since the report was read from storage, if storage does not answer. */
  readonly ageSec?: number;
  /** The `Cache-Control` header, built once for all readers. */
  readonly cacheControl: string;
  /** False if the host was never probed. */
  readonly known: boolean;
  readonly presenceStale: boolean;
  readonly skipped?: Skipped;
  /** Hash of the stored text in hex, if a statement can refer to it. */
  readonly sha256?: string;
  /** `Link` to the statement about it (RFC 8288), if there may be one. */
  readonly link?: string;
}

/** The upper bound of `max-age`, so that a shared cache never serves a report much older than ours. */
const MAX_AGE_SEC = 60;
/** A host that was never probed may get its first report at any moment. */
const UNKNOWN_MAX_AGE_SEC = 5;

/** While storage answers, cached reports are younger than this, in milliseconds. */
export const KEPT_FRESH_MS = 5_000;

/** Approximate memory of one entry in addition to its bytes. */
const OVERHEAD_BYTES = 1_024;

/**
 * One stored report, and from its second reader on, the bytes to send. The bytes only change when a flag does, so they
 * are rendered once and reused until then, and memory holds the report only once. Most cached reports have a single
 * reader, for whom text is cheaper.
 */
export class CachedReport {
  /** The last rendering; null until there is one. */
  private bytes: Buffer | null = null;
  /** Where the stored part ends in the rendering, without its closing brace. */
  private factsEnd = 0;
  private facts: string;
  readonly clocks: HostClocks;
  private readonly history: StoredReport['history'];
  private readonly skipped: StoredReport['skipped'];
  private readonly readAt = Date.now();
  private readonly version: number;
  private flags = -1;
  /** The tag for the current flags. */
  private etag = '';
  private wasRead = false;
  private served: ServedReport | undefined;
  /** The period in which the rendering is valid; both ends matter, because a clock may also be set back. */
  private servedFrom = 0;
  private servedUntil = 0;
  private servedOptedOut: string | false = false;

  /** Data for a statement, in addition to the text. */
  readonly statedAs: StoredReport['stated'];

  /** @param ending text to append, given the hash and length of the stored text in bytes */
  constructor(
    { version, facts, clocks, stated, history, skipped }: StoredReport,
    private readonly ending: (text: StoredReport['stated'], len: () => number) => Pick<ReportEnd, 'refresh' | 'report'>,
  ) {
    this.version = version;
    this.statedAs = stated;
    this.facts = facts;
    this.clocks = clocks;
    this.history = history;
    this.skipped = skipped;
  }

  /** False if the host was never probed. */
  get isStored(): boolean {
    return this.version !== 0;
  }

  get weight(): number {
    return (this.bytes?.length ?? this.facts.length) + OVERHEAD_BYTES;
  }

  /** The stored text with the data for a statement; undefined if there can be no statement. */
  get stated(): StatedReport | undefined {
    const { statedAs, clocks } = this;
    return statedAs && { facts: this.storedText, clocks, ...statedAs };
  }

  private get storedText(): string {
    return this.bytes ? `${this.bytes.toString('utf8', 0, this.factsEnd)}}` : this.facts;
  }

  private get storedBytes(): number {
    return this.bytes ? this.factsEnd + 1 : Buffer.byteLength(this.facts);
  }

  /**
   * The report with its flags at a time in milliseconds, and its age if storage has not answered since.
   * @param optedOut since when the host opted out, ISO 8601
   */
  serve(nowMs: number, optedOut: string | false): ServedReport {
    const served = this.rendered(nowMs, optedOut);
    const ageMs = nowMs - this.readAt;
    return ageMs > KEPT_FRESH_MS ? { ...served, ageSec: Math.floor(ageMs / 1_000) } : served;
  }

  private rendered(nowMs: number, optedOut: string | false): ServedReport {
    const unchanged = nowMs >= this.servedFrom && nowMs <= this.servedUntil && optedOut === this.servedOptedOut;
    if (this.served && unchanged) return this.served;
    const now = new Date(nowMs);
    const state = cacheState(this.clocks, now);
    const flags = Number(optedOut !== false) * 4 + Number(state.presenceStale) * 2 + Number(state.callabilityStale);
    const flip = secondsToNextFlip(this.clocks, now);
    const { version, isStored: known } = this;
    const maxAgeSec = known ? Math.min(MAX_AGE_SEC, flip) : UNKNOWN_MAX_AGE_SEC;
    const same = flags === this.flags && optedOut === this.servedOptedOut;
    this.flags = flags;
    const ending = this.ending(this.statedAs, () => this.storedBytes);
    const skipped = optedOut === false ? this.skipped : { reason: 'opted_out' as const, at: optedOut };
    const told = {
      version,
      maxAgeSec,
      cacheControl: `public, max-age=${maxAgeSec}`,
      known,
      presenceStale: state.presenceStale,
      ...defined({ sha256: this.statedAs?.sha256, skipped }),
      ...(!optedOut && ending.report && { link: linkToStatement(ending.report.uri) }),
    };
    const end = (): string =>
      renderReportEnd({
        cache: state,
        optedOut: optedOut !== false,
        ...ending,
        ...defined({ history: this.history, skipped }),
      });
    if (!this.wasRead) {
      this.wasRead = true;
      const first = end();
      this.etag = this.tagWith(first);
      return { body: this.text(first), etag: this.etag, ...told };
    }
    let body = this.bytes;
    if (!body || !same) {
      const other = end();
      if (!same) this.etag = this.tagWith(other);
      body = this.render(other);
    }
    this.served = { body, etag: this.etag, ...told };
    this.servedFrom = nowMs;
    // `max-age` stays constant until the next flip is closer than its upper bound.
    this.servedUntil = flip > MAX_AGE_SEC ? nowMs + (flip - MAX_AGE_SEC) * 1_000 : nowMs;
    this.servedOptedOut = optedOut;
    return this.served;
  }

  /** Hashes the hash of the stored part: reading all of it for a tag took a tenth of a read. */
  private tagWith(end: string): string {
    return contentTag(`${this.statedAs?.sha256 ?? this.storedText}${end}`);
  }

  /** The stored part with `end` in place of its closing brace. */
  private text(end: string): string {
    return this.facts.slice(0, -1) + end;
  }

  /** Encodes the stored part once, together with its first ending. */
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

/** @param report URL of the stored text; the newest statement is next to it */
function linkToStatement(report: string): string {
  return `<${report.slice(0, report.indexOf('/reports/'))}/statement>; rel="describedby"; type="application/jwt"`;
}
