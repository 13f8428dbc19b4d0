import { defined } from '@app/platform';
import type { StoredReport } from '@app/storage';
import { cacheState, renderReportEnd, secondsToNextFlip, type HostClocks, type ReportEnd } from '@app/reports';
import type { StatedReport } from '@app/signing';
import { contentTag } from '../http/entity-tag';

/** A free report with what HTTP caches need to know. */
export interface ServedReport {
  /** JSON: as text for the first reader, in UTF-8 for those that follow. */
  readonly body: Buffer | string;
  /** Strong, made of the text: versions begin again at 1 when a host was forgotten, and say nothing of the offer. */
  readonly etag: string;
  /** Of the stored report: grows with each change that is written with it. */
  readonly version: number;
  readonly maxAgeSec: number;
  /** Seconds since it was read from storage, where that does not answer. */
  readonly ageSec?: number;
  /** The same as a header, made once for all readers. */
  readonly cacheControl: string;
  /** False for a host that was never probed. */
  readonly known: boolean;
  readonly presenceStale: boolean;
  /** Hash of the stored text, hex, where it can be stated. */
  readonly sha256?: string;
  /** `Link` to the statement about it (RFC 8288), where there may be one. */
  readonly link?: string;
}

/** Upper bound of `max-age`: a shared cache never serves a report much older than ours. */
const MAX_AGE_SEC = 60;
/** A host that was never probed may get its first report any moment. */
const UNKNOWN_MAX_AGE_SEC = 5;

/** A report in memory is younger while storage answers, in milliseconds. */
export const KEPT_FRESH_MS = 5_000;

/** What one object beside its bytes takes, roughly. */
const OVERHEAD_BYTES = 1_024;

/**
 * One stored report, and from its second reader on the bytes that can be sent. They change only when a flag does, so
 * what is served is worked out once and handed out until then: the report is held in memory once, its last rendering.
 * Most reports have one reader while they are in memory, and for that one text is cheaper.
 */
export class CachedReport {
  /** The last rendering; null until there is one. */
  private bytes: Buffer | null = null;
  /** Where the stored part ends in it, without its closing brace. */
  private factsEnd = 0;
  private facts: string;
  readonly clocks: HostClocks;
  private readonly history: StoredReport['history'];
  private readonly readAt = Date.now();
  private readonly version: number;
  private flags = -1;
  /** Of the last flags. */
  private etag = '';
  private wasRead = false;
  private served: ServedReport | undefined;
  /** Times between which it is served as it is; the clock of a machine may also be set back. */
  private servedFrom = 0;
  private servedUntil = 0;
  private servedOptedOut = false;

  /** What a statement needs to know beside the text. */
  readonly statedAs: StoredReport['stated'];

  /** @param ending what follows the text, given the hash and the number of its bytes */
  constructor(
    { version, facts, clocks, stated, history }: StoredReport,
    private readonly ending: (text: StoredReport['stated'], len: () => number) => Pick<ReportEnd, 'refresh' | 'report'>,
  ) {
    this.version = version;
    this.statedAs = stated;
    this.facts = facts;
    this.clocks = clocks;
    this.history = history;
  }

  /** False for a host that was never probed. */
  get isStored(): boolean {
    return this.version !== 0;
  }

  get weight(): number {
    return (this.bytes?.length ?? this.facts.length) + OVERHEAD_BYTES;
  }

  /** The stored text and what a statement about it needs; undefined for what cannot be stated. */
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

  /** The report with its flags as of a time in milliseconds, and its age where storage did not answer since. */
  serve(nowMs: number, optedOut: boolean): ServedReport {
    const served = this.rendered(nowMs, optedOut);
    const ageMs = nowMs - this.readAt;
    return ageMs > KEPT_FRESH_MS ? { ...served, ageSec: Math.floor(ageMs / 1_000) } : served;
  }

  private rendered(nowMs: number, optedOut: boolean): ServedReport {
    const unchanged = nowMs >= this.servedFrom && nowMs <= this.servedUntil && optedOut === this.servedOptedOut;
    if (this.served && unchanged) return this.served;
    const now = new Date(nowMs);
    const state = cacheState(this.clocks, now);
    const flags = Number(optedOut) * 4 + Number(state.presenceStale) * 2 + Number(state.callabilityStale);
    const flip = secondsToNextFlip(this.clocks, now);
    const { version, isStored: known } = this;
    const maxAgeSec = known ? Math.min(MAX_AGE_SEC, flip) : UNKNOWN_MAX_AGE_SEC;
    const same = flags === this.flags;
    this.flags = flags;
    const ending = this.ending(this.statedAs, () => this.storedBytes);
    const told = {
      version,
      maxAgeSec,
      cacheControl: `public, max-age=${maxAgeSec}`,
      known,
      presenceStale: state.presenceStale,
      ...defined({ sha256: this.statedAs?.sha256 }),
      ...(!optedOut && ending.report && { link: linkToStatement(ending.report.uri) }),
    };
    const end = (): string =>
      renderReportEnd({ cache: state, optedOut, ...ending, ...defined({ history: this.history }) });
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
    // `max-age` stays as it is until the next flip is nearer than the bound.
    this.servedUntil = flip > MAX_AGE_SEC ? nowMs + (flip - MAX_AGE_SEC) * 1_000 : nowMs;
    this.servedOptedOut = optedOut;
    return this.served;
  }

  /** The stored part goes in by its hash, since reading all of it for a tag took a tenth of a read. */
  private tagWith(end: string): string {
    return contentTag(`${this.statedAs?.sha256 ?? this.storedText}${end}`);
  }

  /** The stored part with `end` in the place of its closing brace. */
  private text(end: string): string {
    return this.facts.slice(0, -1) + end;
  }

  /** The stored part is made bytes once, together with its first end. */
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

/** @param report address of the stored text, beside which the newest statement is */
function linkToStatement(report: string): string {
  return `<${report.slice(0, report.indexOf('/reports/'))}/statement>; rel="describedby"; type="application/jwt"`;
}
