import { isControl, looksLike, redirectTarget, type HostHabit } from './control';
import { botWall } from './bot-wall';
import type { Answer, Exchange, ProbePhase } from './exchange';
import { parseUrl } from './parse-url';
import { readExchange, type Reading } from './reading';

/** Everything one look at a host brought back. Built once per judgement; detectors only ask it questions. */
export interface HostEvidenceInput {
  /** The probed host name in A-labels. */
  readonly domain: string;
  /** Scheme and host that were probed, without a trailing slash. */
  readonly origin: string;
  /** Registrable domain of `domain`; documents of other sites are never credited to the host. */
  readonly site: string;
  readonly exchanges: readonly Exchange[];
}

export class HostEvidence {
  readonly domain: string;
  readonly origin: string;
  readonly site: string;
  readonly exchanges: readonly Exchange[];
  /** The host's answers to nonsense (control.ts). */
  readonly controls: readonly Answer[];
  readonly habit: HostHabit;
  private readonly byRequest = new Map<string, Exchange>();
  private readonly readings: Map<Exchange, Reading>;

  /** `earlier` is what was known before some of the exchanges came: what it has read is not read again. */
  constructor(input: HostEvidenceInput, earlier?: HostEvidence) {
    this.domain = input.domain;
    this.origin = input.origin;
    this.site = input.site;
    this.exchanges = input.exchanges;
    for (const exchange of input.exchanges) {
      const key = requestKey(exchange.method, exchange.url, exchange.requestBody);
      if (!this.byRequest.has(key)) this.byRequest.set(key, exchange);
    }
    this.controls = input.exchanges.filter((e): e is Answer => e.kind === 'answer' && isControl(e));
    this.habit = this.habitOf();
    // A reading depends on the exchange, on the habit and on the answers to nonsense, and on nothing else.
    const alike = earlier?.habit === this.habit && earlier.controls.length === this.controls.length;
    this.readings = alike ? earlier.readings : new Map<Exchange, Reading>();
  }

  /**
   * The exchange for a path or absolute URL, or undefined when it was not asked. Everything is asked over https; a
   * host that answers plain http only has one answer there, and its failures over https count for the same paths.
   */
  at(url: string, method: 'GET' | 'POST' = 'GET', body?: string): Exchange | undefined {
    const absolute = this.resolve(url);
    if (absolute === undefined) return undefined;
    const secure = absolute.replace(/^http:/, 'https:');
    return (
      this.byRequest.get(requestKey(method, absolute, body)) ??
      (absolute.startsWith(`${this.origin}/`) ? this.byRequest.get(requestKey(method, secure, body)) : undefined)
    );
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

  /** Whether an answer is what this host says to nonsense as well. */
  isHabitual(answer: Answer): boolean {
    if (isControl(answer)) return true;
    const target = redirectTarget(answer);
    return this.controls.some(
      (control) => looksLike(answer, control) || (target !== undefined && target === redirectTarget(control)),
    );
  }

  /** Absolute form of a URL found in a document, or undefined when it is not an http(s) URL. */
  resolve(url: string, base: string = this.origin): string | undefined {
    const parsed = parseUrl(url, base);
    return parsed?.protocol === 'https:' || parsed?.protocol === 'http:' ? parsed.href : undefined;
  }

  /** Whether a URL belongs to the probed host's registrable domain: only those may be called. */
  sameSite(url: string): boolean {
    const absolute = this.resolve(url);
    if (absolute === undefined) return false;
    const host = new URL(absolute).hostname.replace(/\.$/, '');
    return host === this.site || host.endsWith(`.${this.site}`);
  }

  /** Whether anything of the given phase was asked. */
  asked(phase: ProbePhase): boolean {
    return this.exchanges.some((exchange) => exchange.phase === phase);
  }

  private habitOf(): HostHabit {
    const control = this.controls[0];
    if (!control) return 'unknown';
    if (control.status === 404 || control.status === 410) return 'honest';
    if (botWall(control) || [401, 402, 407, 429].includes(control.status) || control.status >= 500) return 'walled';
    if (control.status === 403) return this.homeAnswers() ? 'uniform_403' : 'walled';
    if (control.status >= 400) return 'honest';
    return control.redirects.length > 0 || control.status >= 300 ? 'redirects_all' : 'catch_all';
  }

  private homeAnswers(): boolean {
    const home = this.at('/');
    return home?.kind === 'answer' && home.status < 400 && !botWall(home);
  }
}

/** Identity of a request: the same request is sent once, whoever asks for it. */
export function requestKey(method: string, url: string, body?: string): string {
  return `${method} ${url} ${body ?? ''}`;
}
