import { parseUrl } from '../formats/parse-url';
import { botWall } from './bot-wall';
import { isControl, isWellKnown, withoutQuery } from './control';
import type { DnsQuestion, DnsRecords } from './dns';
import { endingOf } from './ending';
import type { Answer, Exchange, FailureReason, RequestPhase } from './exchange';
import { gatePage } from './gate';
import { readExchange, type AnswerPatterns, type Reading } from './reading';
import { anyPathAnswer } from './resemblance';
import { redirectsBeyond, siteMove } from './site-move';

/** The results of one probe of a host. Created once per judgement; detectors only read it. */
export interface HostEvidenceInput {
  /** The probed host name in A-labels. */
  readonly domain: string;
  /** Scheme and host of the probe, without a trailing slash. */
  readonly origin: string;
  /** Registrable domain of `domain`; documents of other sites never count for the host. */
  readonly site: string;
  readonly exchanges: readonly Exchange[];
  /** DNS answers; not stored with the exchanges. */
  readonly records?: readonly DnsRecords[];
}

/** A URL in a document. */
interface Address {
  readonly href: string;
  readonly sameSite: boolean;
}

/** Why a request was not made, and the exchange that caused it. */
interface Missed {
  readonly reason: FailureReason | 'not_reached';
  readonly exchange?: Exchange;
}

/** How many parsed URLs are kept, and their maximum total length, because a host must not fill the memory. */
const MAX_KEPT = 2_000;
const MAX_KEPT_CHARS = 512;

export class HostEvidence implements AnswerPatterns {
  readonly domain: string;
  readonly origin: string;
  readonly site: string;
  /** Exchanges over https. An answer on port 80 only shows that the host is reachable (behaviour 3.2). */
  readonly exchanges: readonly Exchange[];
  /** The host's answers to the control pair (control.ts). */
  readonly controls: readonly Answer[];
  /** The other origin of its site to which the host redirects every path (site-move.ts); its documents are there. */
  readonly movedTo: string | undefined;
  /**
   * What a 403 for any path means for a missing document: all paths are forbidden, or those of one folder (behaviour
   * 4.8).
   */
  readonly forbidsMissing: 'uniform_403' | 'well_known_forbidden' | undefined;
  /** The 401 or 403 for all paths below `/.well-known/`, but not for others. */
  readonly deniesWellKnown: number | undefined;
  /** Redirect targets of the control pair without their query, which often repeats the path. */
  private readonly wildcardTargets: ReadonlyMap<string, Exchange>;
  private readonly isAnyPathAnswer: (answer: Answer) => boolean;
  private readonly records: readonly DnsRecords[];
  private readonly byRequest = new Map<string, Exchange>();
  private readonly readings: Map<Exchange, Reading>;
  private readonly addresses: Map<string, Address | undefined>;

  /** `earlier` is the state before some of the exchanges arrived; what it has parsed is not parsed again. */
  constructor(input: HostEvidenceInput, earlier?: HostEvidence) {
    this.domain = input.domain;
    this.origin = input.origin;
    this.site = input.site;
    this.exchanges = input.exchanges.filter(({ url }) => !url.startsWith('http:'));
    this.records = input.records ?? [];
    this.addresses = earlier?.addresses ?? new Map<string, Address | undefined>();
    this.movedTo = siteMove(this.exchanges, input.origin);
    for (const exchange of this.exchanges) {
      const key = requestKey(exchange.method, this.addressOf(exchange.url), exchange.requestBody);
      if (!this.byRequest.has(key)) this.byRequest.set(key, exchange);
    }
    this.controls = this.exchanges.filter((e): e is Answer => e.kind === 'answer' && isControl(e));
    // A control request may have failed after the relevant redirect.
    this.wildcardTargets = new Map(
      this.exchanges
        .filter(isControl)
        .flatMap((control) =>
          redirectsBeyond(this.movedTo, control).map(({ location }) => [withoutQuery(location), control] as const),
        ),
    );
    this.isAnyPathAnswer = anyPathAnswer(this.controls);
    this.deniesWellKnown = deniedFolder(this.controls);
    const forbids = this.controls.length > 0 && this.controls.every(({ status }) => status === 403);
    const note = this.deniesWellKnown === 403 ? 'well_known_forbidden' : forbids ? 'uniform_403' : undefined;
    this.forbidsMissing = this.homeAnswers() ? note : undefined;
    // The reading of an exchange only depends on the exchange, the controls, these habits and the move of the host.
    const alike =
      earlier !== undefined &&
      earlier.forbidsMissing === this.forbidsMissing &&
      earlier.controls.length === this.controls.length &&
      earlier.wildcardTargets.size === this.wildcardTargets.size &&
      earlier.movedTo === this.movedTo;
    this.readings = alike ? earlier.readings : new Map<Exchange, Reading>();
  }

  /** The exchange for a path or absolute URL, or undefined if it was not requested. */
  at(url: string, method: 'GET' | 'POST' = 'GET', body?: string): Exchange | undefined {
    const resolved = this.resolve(url);
    if (resolved === undefined) return undefined;
    return this.byRequest.get(requestKey(method, this.addressOf(resolved), body));
  }

  /** Reads an exchange by the shared rules of all detectors (reading.ts). Each body is read once. */
  read(url: string, method: 'GET' | 'POST' = 'GET', body?: string): Reading {
    const exchange = this.at(url, method, body);
    return exchange ? this.readingOf(exchange) : { kind: 'unasked', url };
  }

  readingOf(exchange: Exchange): Reading {
    const known = this.readings.get(exchange);
    if (known) return known;
    const reading = readExchange(exchange, this);
    this.readings.set(exchange, reading);
    return reading;
  }

  /** Answers with the given status, in observed order. */
  answersWith(status: number): readonly Answer[] {
    return this.exchanges.filter((e): e is Answer => e.kind === 'answer' && e.status === status);
  }

  /** Whether the host gives this answer for any path. */
  isCatchAll(answer: Answer): boolean {
    return isControl(answer) || this.sharesTarget(answer) || this.isAnyPathAnswer(answer);
  }

  /** Whether an answer was redirected through a URL to which nonexistent paths are redirected, too. */
  sharesTarget(answer: Answer): boolean {
    return this.ownRedirects(answer).some(({ location }) => this.controlBy(location) !== undefined);
  }

  /** A control request that was redirected through this URL, without its query. */
  controlBy(target: string): Exchange | undefined {
    return this.wildcardTargets.get(withoutQuery(target));
  }

  /** The URL that is really requested: at the other name, for a host that redirects every path there. */
  addressOf(url: string): string {
    const moves = this.movedTo !== undefined && url.startsWith(`${this.origin}/`);
    return moves ? `${this.movedTo}${url.slice(this.origin.length)}` : url;
  }

  /** Whether an absolute URL is on the probed host, under the probed name or the one it moved to. */
  isOwn(url: string): boolean {
    return this.addressOf(url).startsWith(`${this.movedTo ?? this.origin}/`);
  }

  /** Whether the answer for a URL was redirected, including by the move of the whole host. */
  isRedirected(url: string, answer: Answer): boolean {
    const asked = this.resolve(url, this.origin) ?? url;
    return answer.redirects.length > 0 || this.addressOf(asked) !== asked;
  }

  /** The redirects of an answer that concern its path rather than the host's name. */
  ownRedirects(answer: Answer): Answer['redirects'] {
    return redirectsBeyond(this.movedTo, answer);
  }

  /** The absolute form of a URL in a document, or undefined if it is not an http(s) URL. */
  resolve(url: string, base: string = this.movedTo ?? this.origin): string | undefined {
    return this.address(url, base)?.href;
  }

  /** Whether a URL belongs to the host's registrable domain; only those may be called. */
  sameSite(url: string): boolean {
    return this.address(url, this.movedTo ?? this.origin)?.sameSite === true;
  }

  /** Several detectors resolve the same URLs in every wave, so those of normal length are parsed once. */
  private address(url: string, base: string): Address | undefined {
    const key = `${base} ${url}`;
    if (this.addresses.has(key)) return this.addresses.get(key);
    const address = this.parsed(url, base);
    if (key.length <= MAX_KEPT_CHARS && this.addresses.size < MAX_KEPT) this.addresses.set(key, address);
    return address;
  }

  private parsed(url: string, base: string): Address | undefined {
    const parsed = parseUrl(url, base);
    if (parsed?.protocol !== 'https:' && parsed?.protocol !== 'http:') return undefined;
    const host = parsed.hostname.replace(/\.$/, '');
    return { href: parsed.href, sameSite: host === this.site || host.endsWith(`.${this.site}`) };
  }

  /** Why a planned request got no answer, and the exchange that caused it; undefined if it was answered completely. */
  missed(url: string): Missed | undefined {
    return this.read(url).kind === 'unasked' ? this.endedAt(url) : undefined;
  }

  /** Why no more requests were made to the origin of a URL. */
  endedAt(url: string): Missed {
    const origin = parseUrl(this.addressOf(this.resolve(url) ?? url))?.origin ?? this.origin;
    const ended = this.exchanges.toSorted((a, b) => (a.observedAt < b.observedAt ? -1 : 1));
    return endingOf(ended, origin) ?? { reason: 'not_reached' };
  }

  /** The records of a name, empty if it has none; undefined if there was no question or no answer. */
  recordsOf(name: string, type: DnsQuestion['type']): readonly string[] | undefined {
    return this.records.find((answer) => answer.name === name && answer.type === type)?.records;
  }

  /** Whether there was any request in the given phase. */
  asked(phase: RequestPhase): boolean {
    return this.exchanges.some((exchange) => exchange.phase === phase);
  }

  private homeAnswers(): boolean {
    const home = this.at('/');
    return home?.kind === 'answer' && home.status < 400 && !botWall(home) && !gatePage(home, false);
  }
}

/** The 401 or 403 for nonexistent paths below `/.well-known/`, if other paths get another status. */
function deniedFolder(controls: readonly Answer[]): number | undefined {
  const inFolder = controls.find(({ url }) => isWellKnown(url))?.status;
  const elsewhere = controls.find(({ url }) => !isWellKnown(url))?.status;
  const denied = inFolder === 401 || inFolder === 403;
  return denied && elsewhere !== undefined && elsewhere !== inFolder ? inFolder : undefined;
}

/** The identity of a request: it is sent once even if several detectors declare it. */
export function requestKey(method: string, url: string, body?: string): string {
  return `${method} ${url} ${body ?? ''}`;
}
