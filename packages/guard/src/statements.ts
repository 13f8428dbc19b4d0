import { sha256, urlBase64Of } from './encoding.js';
import { statedOrigin } from './origin.js';
import { isObject } from './payment.js';
import { PaymentRefused } from './payment-refused.js';
import {
  StatementError,
  verifyStatement,
  type KeySet,
  type StatedRail,
  type StatementClaims,
} from './verify-statement.js';

/** Where statements come from. Times in milliseconds unless named otherwise. */
export interface StatementOptions {
  /** Base URL of the service whose statements are believed, without a slash at the end. */
  readonly issuer: string;
  /** The keys of the issuer; without them they are fetched from it and kept for a minute. */
  readonly keys?: KeySet;
  /** The newest statement about an origin, from elsewhere than the issuer; undefined when there is none. */
  readonly statement?: (origin: string) => string | undefined | Promise<string | undefined>;
  /** A probe of the caller's own instead of statements: the rails of an origin; undefined when it could not be probed. */
  readonly probe?: (origin: string) => Promise<readonly StatedRail[] | undefined>;
  /** How long one request to the issuer may take; 2,000 by default. */
  readonly timeoutMs?: number;
  /** The oldest statement taken, in seconds; 900 by default. */
  readonly maxAgeSec?: number;
  /** Fetches from the issuer. */
  readonly request?: typeof globalThis.fetch;
  readonly now?: () => number;
}

/** What is known of an origin until a time, in milliseconds since 1970. */
interface Known {
  readonly rails: readonly StatedRail[];
  readonly until: number;
  /** The statement that has them, unless the caller probed. */
  readonly token?: string;
}

/** So long a key that was revoked may be believed. */
const KEYS_KEPT_MS = 60_000;
const MOST_ORIGINS = 1_000;
const MOST_REPORT = 8_000_000;

/** Verified statements by origin, each kept as long as it holds. */
export class Statements {
  private readonly known = new Map<string, Promise<Known | undefined>>();
  private fetchedKeys: { readonly set: Promise<KeySet | undefined>; readonly at: number } | undefined;

  constructor(private readonly options: StatementOptions) {}

  /**
   * The rails of an origin; undefined when no statement about it holds now.
   * @throws {PaymentRefused} `statement_refused` when there is one that must not be believed
   */
  async railsOf(origin: string): Promise<readonly StatedRail[] | undefined> {
    const pending = this.known.get(origin);
    const kept = pending && (await pending);
    if (kept && (await this.holds(kept, origin))) return kept.rails;
    const asked = this.ask(origin);
    this.keep(origin, asked);
    return (await asked)?.rails;
  }

  /** Until its time, and while its key is not revoked. */
  private async holds({ until, token }: Known, origin: string): Promise<boolean> {
    if (this.now() >= until) return false;
    return token === undefined || (await this.believed(token, origin).catch(() => undefined)) !== undefined;
  }

  /** Asks anew at the next payment, as after a refresh that was bought. */
  forget(origin: string): void {
    this.known.delete(origin);
  }

  private keep(origin: string, asked: Promise<Known | undefined>): void {
    this.known.delete(origin);
    this.known.set(origin, asked);
    const [oldest] = this.known.keys();
    if (this.known.size > MOST_ORIGINS && oldest !== undefined) this.known.delete(oldest);
    const drop = () => {
      if (this.known.get(origin) === asked) this.known.delete(origin);
    };
    asked.then((found) => {
      if (!found) drop();
    }, drop);
  }

  private async ask(origin: string): Promise<Known | undefined> {
    const { probe, statement, maxAgeSec = 900 } = this.options;
    if (probe) {
      const rails = await probe(origin).catch(() => undefined);
      return rails && { rails: structuredClone(rails), until: this.now() + maxAgeSec * 1_000 };
    }
    const token = await (statement ? handedIn(statement, origin) : this.newest(origin));
    if (token === undefined) return undefined;
    const claims = await this.believed(token, origin);
    if (claims?.outcome !== 'probed') return undefined;
    const rails = await this.railsIn(claims);
    return rails && { rails, token, until: Math.min(claims.exp, claims.iat + maxAgeSec) * 1_000 };
  }

  private async newest(origin: string): Promise<string | undefined> {
    const { hostname } = new URL(origin);
    return (await this.get(`${this.options.issuer}/api/v1/hosts/${hostname}/statement`))?.trim();
  }

  private async believed(token: string, origin: string): Promise<StatementClaims | undefined> {
    const keys = await this.keys();
    if (!keys) return undefined;
    const { issuer, maxAgeSec = 900 } = this.options;
    try {
      const claims = await verifyStatement(token, { issuer, keys, now: this.now() / 1_000, maxAgeSec });
      if (claims.sub !== origin && claims.sub !== statedOrigin(origin)) throw new StatementError('subject');
      return claims;
    } catch (error) {
      if (error instanceof StatementError && error.code === 'stale') return undefined;
      throw new PaymentRefused('statement_refused', {
        origin,
        got: error instanceof Error ? error.message : 'unknown',
      });
    }
  }

  private async keys(): Promise<KeySet | undefined> {
    if (this.options.keys) return this.options.keys;
    const kept = this.fetchedKeys;
    if (kept && this.now() - kept.at < KEYS_KEPT_MS) return kept.set;
    const set = this.get(`${this.options.issuer}/.well-known/hostprobe-keys.json`).then(keySetIn);
    const fetched = { set, at: this.now() };
    this.fetchedKeys = fetched;
    const found = await set;
    if (!found && this.fetchedKeys === fetched) this.fetchedKeys = undefined;
    return found;
  }

  /** The rails of a statement, from its report where it has their hash only. */
  private async railsIn({ rails, report }: StatementClaims): Promise<readonly StatedRail[] | undefined> {
    if (rails === undefined) return undefined;
    if (isList(rails)) return rails.filter(isRail);
    if (!report || new URL(report.uri).origin !== new URL(this.options.issuer).origin || report.len > MOST_REPORT)
      throw new PaymentRefused('statement_refused', { got: 'a report elsewhere, or too long' });
    const text = await this.get(report.uri);
    if (text === undefined) return undefined;
    const listed = statedRails(text);
    if ((await sha256Of(text)) !== report.sha256 || (await sha256Of(JSON.stringify(listed))) !== rails.sha256)
      throw new PaymentRefused('statement_refused', { got: 'other bytes than were signed' });
    return listed;
  }

  private async get(url: string): Promise<string | undefined> {
    const { request = globalThis.fetch, timeoutMs = 2_000 } = this.options;
    try {
      const answer = await request(url, { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) });
      return answer.ok ? await answer.text() : undefined;
    } catch {
      return undefined;
    }
  }

  private now(): number {
    return this.options.now?.() ?? Date.now();
  }
}

async function handedIn(statement: NonNullable<StatementOptions['statement']>, origin: string) {
  try {
    return await statement(origin);
  } catch {
    return undefined;
  }
}

function isList(rails: NonNullable<StatementClaims['rails']>): rails is readonly StatedRail[] {
  return Array.isArray(rails);
}

function isRail(value: unknown): value is StatedRail {
  const texts: readonly unknown[] = isObject(value) ? [value['n'], value['a'], value['to'], value['amt']] : [undefined];
  return texts.every((text) => text === null || typeof text === 'string');
}

function keySetIn(text: string | undefined): KeySet | undefined {
  try {
    const set: unknown = JSON.parse(text ?? '');
    return isObject(set) && Array.isArray(set['keys']) ? (set as unknown as KeySet) : undefined;
  } catch {
    return undefined;
  }
}

interface ReportedRail {
  readonly [member: string]: unknown;
  readonly reasons: readonly string[];
  readonly scheme?: string;
}

/** The list whose hash a statement with many rails has: those of the report that passed every check, in its order. */
function statedRails(report: string): readonly StatedRail[] {
  const { paymentRails } = JSON.parse(report) as { paymentRails: { rails: readonly ReportedRail[] } };
  return paymentRails.rails
    .filter(({ reasons }) => reasons.length === 0)
    .map(({ protocol: p, network: n, asset: a, payTo: to, amount: amt, resource: r, httpMethod: m, scheme }) => ({
      ...({ p, n, a, to, amt, r, m } as unknown as Omit<StatedRail, 's'>),
      s: scheme ?? null,
    }));
}

async function sha256Of(text: string): Promise<string> {
  return urlBase64Of(await sha256(new TextEncoder().encode(text)));
}
