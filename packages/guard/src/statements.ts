import { objectIn, sha256, urlBase64Of } from './encoding.js';
import { isKeySet, type CheckedOptions } from './options.js';
import { statedOrigin } from './origin.js';
import { isObject } from './payment.js';
import { PaymentRefused } from './payment-refused.js';
import {
  StatementError,
  verifyStatement,
  type KeySet,
  type StatedRail,
  type StatementMembers,
} from './verify-statement.js';

/** Data about an origin that is valid until a given time, in milliseconds since 1970. */
interface Known {
  readonly rails: readonly StatedRail[];
  readonly until: number;
  /** The statement it comes from, unless the caller probed. */
  readonly token?: string;
}

/** How long a revoked key may still be trusted. */
const KEYS_KEPT_MS = 60_000;
const MOST_ORIGINS = 1_000;
const MOST_REPORT = 8_000_000;

/** Verified statements by origin, each cached until it expires. */
export class Statements {
  private readonly known = new Map<string, Promise<Known>>();
  private fetchedKeys: { readonly set: Promise<KeySet>; readonly at: number } | undefined;

  constructor(private readonly options: CheckedOptions) {}

  /**
   * The payment options of an origin, or that it is the issuer itself.
   * @throws {PaymentRefused} if there is no valid statement about it, or one that fails verification
   */
  async railsOf(origin: string): Promise<readonly StatedRail[] | 'paid_to_issuer'> {
    if (await this.isIssuer(origin)) return 'paid_to_issuer';
    const pending = this.known.get(origin);
    const kept = pending && (await pending);
    if (kept && (await this.holds(kept, origin))) return kept.rails;
    const asked = this.ask(origin);
    this.keep(origin, asked);
    return (await asked).rails;
  }

  /**
   * The origin that publishes the keys decides which statements are trusted anyway, so its own prices need no
   * statement. This does not hold for keys from another source.
   */
  private async isIssuer(origin: string): Promise<boolean> {
    const { issuer, keys, probe } = this.options;
    if (origin !== issuer || keys || probe) return false;
    await this.keys();
    return true;
  }

  /** Valid until its time, and while its key is not revoked. */
  private async holds({ until, token }: Known, origin: string): Promise<boolean> {
    if (this.now() >= until) return false;
    return token === undefined || (await this.believed(token, origin).catch(() => undefined)) !== undefined;
  }

  /** Fetches a new statement before the next payment, for example after a refresh. */
  forget(origin: string): void {
    this.known.delete(origin);
  }

  private keep(origin: string, asked: Promise<Known>): void {
    this.known.delete(origin);
    this.known.set(origin, asked);
    const [oldest] = this.known.keys();
    if (this.known.size > MOST_ORIGINS && oldest !== undefined) this.known.delete(oldest);
    asked.catch(() => {
      if (this.known.get(origin) === asked) this.known.delete(origin);
    });
  }

  private async ask(origin: string): Promise<Known> {
    const { probe, statement, maxAgeSec = 900 } = this.options;
    if (probe) {
      const rails = await probe(origin);
      if (!rails) throw new PaymentRefused('no_statement', { origin });
      return { rails: structuredClone(rails), until: this.now() + maxAgeSec * 1_000 };
    }
    const token = await (statement ? statement(origin) : this.newest(origin));
    if (token === undefined) throw new PaymentRefused('no_statement', { origin });
    const claims = await this.believed(token, origin);
    const { outcome } = claims;
    if (outcome !== 'probed')
      throw new PaymentRefused(outcome.startsWith('unreachable:') ? 'host_unreachable' : 'host_not_probed', {
        origin,
        got: outcome,
      });
    const rails = await this.railsIn(claims);
    return { rails, token, until: Math.min(claims.exp, claims.iat + maxAgeSec) * 1_000 };
  }

  /** Undefined if the issuer has none. */
  private async newest(origin: string): Promise<string | undefined> {
    const { hostname } = new URL(origin);
    const { ok, status, text } = await this.get(`${this.options.issuer}/api/v1/hosts/${hostname}/statement`);
    if (ok) return text.trim();
    if (status !== 404) return undefined;
    throw new PaymentRefused(objectIn(text)?.['code'] === 'statement_expired' ? 'report_expired' : 'host_not_probed', {
      origin,
    });
  }

  private async believed(token: string, origin: string): Promise<StatementMembers> {
    const keys = await this.keys();
    const { issuer, maxAgeSec = 900 } = this.options;
    const now = this.now() / 1_000;
    try {
      const claims = await verifyStatement(token, { issuer, keys, now, maxAgeSec });
      if (claims.sub !== origin && claims.sub !== statedOrigin(origin)) throw new StatementError('subject');
      return claims;
    } catch (error) {
      const isStale = error instanceof StatementError && error.code === 'stale';
      const got = error instanceof Error ? error.message : 'unknown';
      throw new PaymentRefused(isStale ? 'report_expired' : 'statement_refused', { origin, got }, error);
    }
  }

  private async keys(): Promise<KeySet> {
    if (this.options.keys) return this.options.keys;
    const kept = this.fetchedKeys;
    if (kept && this.now() - kept.at < KEYS_KEPT_MS) return kept.set;
    const url = `${this.options.issuer}/.well-known/hostprobe-keys.json`;
    const set = this.get(url).then(({ text }) => {
      const found = objectIn(text);
      if (!isKeySet(found)) throw new PaymentRefused('issuer_unreachable', { got: `no keys at ${url}` });
      return found;
    });
    const fetched = { set, at: this.now() };
    this.fetchedKeys = fetched;
    set.catch(() => {
      if (this.fetchedKeys === fetched) this.fetchedKeys = undefined;
    });
    return set;
  }

  /** The payment options of a statement, read from its report if the statement only has their hash. */
  private async railsIn({ sub, rails, report }: StatementMembers): Promise<readonly StatedRail[]> {
    if (rails === undefined)
      throw new PaymentRefused('report_expired', { origin: sub, got: 'a statement without payment options' });
    if (isList(rails)) return rails.filter(isRail);
    const refuse = (got: string) => new PaymentRefused('statement_refused', { origin: sub, got });
    const uri = report && URL.canParse(report.uri) ? new URL(report.uri) : undefined;
    if (!report || uri?.origin !== this.options.issuer || report.len > MOST_REPORT)
      throw refuse('a report elsewhere, or too long');
    const { ok, status, text } = await this.get(uri.href);
    if (!ok) throw new PaymentRefused('issuer_unreachable', { got: `${status} for ${uri.href}` });
    if ((await sha256Of(text)) !== report.sha256) throw refuse('other bytes than were signed');
    const listed = statedRails(text);
    if ((await sha256Of(JSON.stringify(listed))) !== rails.sha256)
      throw refuse('other payment options than were signed');
    return listed;
  }

  private async get(url: string): Promise<{ readonly ok: boolean; readonly status: number; readonly text: string }> {
    const { request = globalThis.fetch, timeoutMs = 2_000 } = this.options;
    try {
      const answer = await request(url, { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) });
      const { ok, status } = answer;
      if (status === 429 || status >= 500) throw new Error(`HTTP ${status}`);
      return { ok, status, text: await answer.text() };
    } catch (cause) {
      throw new PaymentRefused('issuer_unreachable', { got: url }, cause);
    }
  }

  private now(): number {
    return this.options.now?.() ?? Date.now();
  }
}

function isList(rails: NonNullable<StatementMembers['rails']>): rails is readonly StatedRail[] {
  return Array.isArray(rails);
}

function isRail(value: unknown): value is StatedRail {
  const texts: readonly unknown[] = isObject(value) ? [value['n'], value['a'], value['to'], value['amt']] : [undefined];
  return texts.every((text) => text === null || typeof text === 'string');
}

interface ReportedRail {
  readonly [member: string]: unknown;
  readonly reasons: readonly string[];
  readonly scheme?: string;
}

/** The list behind the hash in a statement with many options: those of the report that passed every check, in order. */
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
