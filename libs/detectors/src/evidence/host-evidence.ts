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

/** Everything that one probe of a host brought back. Built once per judgement; detectors only read it. */
export interface HostEvidenceInput {
  /** The probed host name in A-labels. */
  readonly domain: string;
  /** Scheme and host that were probed, without a trailing slash. */
  readonly origin: string;
  /** Registrable domain of `domain`; documents of other sites are never credited to the host. */
  readonly site: string;
  readonly exchanges: readonly Exchange[];
  /** What the domain name system answered; not stored with the exchanges. */
  readonly records?: readonly DnsRecords[];
}

/** An address that a document names. */
interface Address {
  readonly href: string;
  readonly sameSite: boolean;
}

/** Why a request was not made, and the exchange that showed it. */
interface Missed {
  readonly reason: FailureReason | 'not_reached';
  readonly exchange?: Exchange;
}

/** Addresses that are kept, and their characters at most: a host must not fill the memory with what it names. */
const MAX_KEPT = 2_000;
const MAX_KEPT_CHARS = 512;

export class HostEvidence implements AnswerPatterns {
  readonly domain: string;
  readonly origin: string;
  readonly site: string;
  /** Those over https. What port 80 said tells that the host is reachable and nothing of what it publishes (behaviour 3.2). */
  readonly exchanges: readonly Exchange[];
  /** The host's answers to nonsense (control.ts). */
  readonly controls: readonly Answer[];
  /** The other origin of its site that the host sends every path to (site-move.ts): what it publishes is there. */
  readonly movedTo: string | undefined;
  /** What a 403 that any path gets says of a missing document: all are 403, or those of one folder (behaviour 4.8). */
  readonly forbidsMissing: 'uniform_403' | 'well_known_forbidden' | undefined;
  /** 401 or 403 for any path below `/.well-known/` alone. */
  readonly deniesWellKnown: number | undefined;
  /** Where nonsense is redirected to, the query left out: it often repeats the path. */
  private readonly wildcardTargets: ReadonlyMap<string, Exchange>;
  private readonly isAnyPathAnswer: (answer: Answer) => boolean;
  private readonly records: readonly DnsRecords[];
  private readonly byRequest = new Map<string, Exchange>();
  private readonly readings: Map<Exchange, Reading>;
  private readonly addresses: Map<string, Address | undefined>;

  /** `earlier` is what was known before some of the exchanges came: what it has read is not read again. */
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
    // A control request may have failed behind the redirect that matters.
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
    // A reading depends on the exchange, the answers to nonsense, these habits and where the host moved, and on nothing else.
    const alike =
      earlier !== undefined &&
      earlier.forbidsMissing === this.forbidsMissing &&
      earlier.controls.length === this.controls.length &&
      earlier.wildcardTargets.size === this.wildcardTargets.size &&
      earlier.movedTo === this.movedTo;
    this.readings = alike ? earlier.readings : new Map<Exchange, Reading>();
  }

  /** The exchange for a path or absolute URL, or undefined when no request was made. */
  at(url: string, method: 'GET' | 'POST' = 'GET', body?: string): Exchange | undefined {
    const resolved = this.resolve(url);
    if (resolved === undefined) return undefined;
    return this.byRequest.get(requestKey(method, this.addressOf(resolved), body));
  }

  /** How an exchange reads, by the rules all detectors share (reading.ts). Reads each body once. */
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

  /** Answers with the given status, in the order they were observed. */
  answersWith(status: number): readonly Answer[] {
    return this.exchanges.filter((e): e is Answer => e.kind === 'answer' && e.status === status);
  }

  /** Whether an answer is what this host says to any path. */
  isCatchAll(answer: Answer): boolean {
    return isControl(answer) || this.sharesTarget(answer) || this.isAnyPathAnswer(answer);
  }

  /** Whether an answer was redirected by way of an address that nonsense is redirected to as well. */
  sharesTarget(answer: Answer): boolean {
    return this.ownRedirects(answer).some(({ location }) => this.controlBy(location) !== undefined);
  }

  /** A control request that the host redirected by way of that address, its query left out. */
  controlBy(target: string): Exchange | undefined {
    return this.wildcardTargets.get(withoutQuery(target));
  }

  /** Where a request for an absolute URL goes: to the other name of a host that sends every path there. */
  addressOf(url: string): string {
    const moves = this.movedTo !== undefined && url.startsWith(`${this.origin}/`);
    return moves ? `${this.movedTo}${url.slice(this.origin.length)}` : url;
  }

  /** Whether an absolute URL is at the probed host itself, under the name asked for or the one it moved to. */
  isOwn(url: string): boolean {
    return this.addressOf(url).startsWith(`${this.movedTo ?? this.origin}/`);
  }

  /** Whether the answer for a URL comes through a redirect, that of the whole host included. */
  isRedirected(url: string, answer: Answer): boolean {
    const asked = this.resolve(url, this.origin) ?? url;
    return answer.redirects.length > 0 || this.addressOf(asked) !== asked;
  }

  /** The redirects of an answer that are about its path, and not about the name of the host. */
  ownRedirects(answer: Answer): Answer['redirects'] {
    return redirectsBeyond(this.movedTo, answer);
  }

  /** Absolute form of a URL found in a document, or undefined when it is not an http(s) URL. */
  resolve(url: string, base: string = this.movedTo ?? this.origin): string | undefined {
    return this.address(url, base)?.href;
  }

  /** Whether a URL belongs to the probed host's registrable domain: only those may be called. */
  sameSite(url: string): boolean {
    return this.address(url, this.movedTo ?? this.origin)?.sameSite === true;
  }

  /** The same texts are resolved in every wave and by several detectors: those of usual length are parsed once. */
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

  /** Why a request that was wanted got no answer, and the exchange that showed it; undefined when it was made and not cut. */
  missed(url: string): Missed | undefined {
    return this.read(url).kind === 'unasked' ? this.endedAt(url) : undefined;
  }

  /** Why no further request was made to where a URL is. */
  endedAt(url: string): Missed {
    const origin = parseUrl(this.addressOf(this.resolve(url) ?? url))?.origin ?? this.origin;
    const ended = this.exchanges.toSorted((a, b) => (a.observedAt < b.observedAt ? -1 : 1));
    return endingOf(ended, origin) ?? { reason: 'not_reached' };
  }

  /** The records of a name, none when it has none; undefined when that was not asked or not answered. */
  recordsOf(name: string, type: DnsQuestion['type']): readonly string[] | undefined {
    return this.records.find((answer) => answer.name === name && answer.type === type)?.records;
  }

  /** Whether the given phase made any request. */
  asked(phase: RequestPhase): boolean {
    return this.exchanges.some((exchange) => exchange.phase === phase);
  }

  private homeAnswers(): boolean {
    const home = this.at('/');
    return home?.kind === 'answer' && home.status < 400 && !botWall(home) && !gatePage(home, false);
  }
}

/** The 401 or 403 that nonsense gets below `/.well-known/`, when it gets another status elsewhere. */
function deniedFolder(controls: readonly Answer[]): number | undefined {
  const inFolder = controls.find(({ url }) => isWellKnown(url))?.status;
  const elsewhere = controls.find(({ url }) => !isWellKnown(url))?.status;
  const denied = inFolder === 401 || inFolder === 403;
  return denied && elsewhere !== undefined && elsewhere !== inFolder ? inFolder : undefined;
}

/** Identity of a request: the same request is sent once, also when several detectors want it. */
export function requestKey(method: string, url: string, body?: string): string {
  return `${method} ${url} ${body ?? ''}`;
}
