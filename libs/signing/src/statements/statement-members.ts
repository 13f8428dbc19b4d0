import type { StatedRail, StatementMembers as ReadMembers } from '../../../../packages/guard/src/verify-statement.js';
import { text } from '@app/detectors';
import { defined } from '@app/platform';
import {
  CALLABILITY_MAX_AGE_SEC,
  isPayable,
  PRESENCE_MAX_AGE_SEC,
  readFacts,
  shortCell,
  type HostClocks,
  type HostFacts,
  type PaymentRail,
} from '@app/reports';
import { sha256Of, shortHash } from './hashes';

/** The forms of a statement: with payment options, valid for 15 minutes, and without them, valid for a day. */
const STATEMENT_FORMS = ['payment', 'listing'] as const;
export type StatementForm = (typeof STATEMENT_FORMS)[number];

const LIFETIME_SEC: Readonly<Record<StatementForm, number>> = {
  payment: CALLABILITY_MAX_AGE_SEC,
  listing: PRESENCE_MAX_AGE_SEC,
};

/** The scope that every statement contains. */
const SCOPE = 'What one prober saw at this origin at this time; not identity, safety, delivery';

/** The claims of a statement, as the guard reads them. */
export interface StatementMembers extends Omit<ReadMembers, 'evidence'> {
  /** The id of the run; after a re-evaluation with newer rules, followed by a dot and their version. */
  readonly jti: string;
  readonly evidence?: { readonly alg: 'rfc9162-sha256'; readonly root: string; readonly n: number };
  /** Version of the detector rules. */
  readonly detectors?: string;
  readonly scope: string;
}

/** A stored report and its metadata. */
export interface StatedReport {
  /** The stored text, byte for byte. */
  readonly facts: string;
  readonly clocks: HostClocks;
  readonly id: string;
  /** SHA-256 of `facts` in hex, like the root of the evidence. */
  readonly sha256: string;
  readonly evidence?: { readonly root: string; readonly lines: number };
}

/** The best form of a statement about the report at a given time; undefined if none is valid any more. */
export function formAt(clocks: HostClocks, nowMs: number): StatementForm | undefined {
  return STATEMENT_FORMS.find((form) => nowMs < endOf(form, clocks) * 1_000);
}

/** When a statement in a form expires, in seconds since 1970; NaN if the host was never probed that way. */
export function endOf(form: StatementForm, clocks: HostClocks): number {
  return beginOf(form, clocks) + LIFETIME_SEC[form];
}

function beginOf(form: StatementForm, { probedAt, callabilityProbedAt }: HostClocks): number {
  return Math.floor(Date.parse((form === 'payment' ? callabilityProbedAt : probedAt) ?? '') / 1_000);
}

/** Path of a stored report. @param sha256 base64url */
export function reportPath(domain: string, sha256: string): string {
  return `/api/v1/hosts/${domain}/reports/${sha256}`;
}

/**
 * With more options than this, or more bytes, a statement only contains the hash of the options, because a statement in
 * a header is at most 2 KB.
 */
const RAILS_IN_FULL = 3;
const MAX_MEMBERS = 1_370;

/**
 * The claims about a stored report, in a fixed order, so that every process produces the same claims.
 * @param issuer base URL of the service
 */
export function membersOf(stated: StatedReport, form: StatementForm, issuer: string): StatementMembers {
  const facts = readFacts(stated.facts);
  const iat = beginOf(form, stated.clocks);
  const { evidence } = stated;
  const sha256 = shortHash(stated.sha256);
  const claims = (rails: Pick<StatementMembers, 'rails'>): StatementMembers => ({
    iss: issuer,
    sub: facts.origin,
    iat,
    exp: iat + LIFETIME_SEC[form],
    jti: stated.id,
    report: { uri: `${issuer}${reportPath(facts.domain, sha256)}`, sha256, len: Buffer.byteLength(stated.facts) },
    ...(evidence && { evidence: { alg: 'rfc9162-sha256', root: shortHash(evidence.root), n: evidence.lines } }),
    observed: atSecond(iat),
    outcome: outcomeOf(facts),
    ...defined({ detectors: facts.rules?.version }),
    cells: Object.fromEntries(facts.protocols.map((cell) => [cell.id, shortCell(cell)])),
    ...rails,
    scope: SCOPE,
  });
  if (form === 'listing') return claims({});
  const rails = statedRails(facts.paymentRails.rails);
  const whole = claims({ rails });
  const fits = rails.length <= RAILS_IN_FULL && Buffer.byteLength(JSON.stringify(whole)) <= MAX_MEMBERS;
  return fits ? whole : claims({ rails: railsDigest(rails) });
}

/** The claims about a probe that failed on our side, so that nothing is known about the host. */
export function unprobedMembers(
  { id, at, reason }: { readonly id: string; readonly at: Date; readonly reason: string },
  origin: string,
  issuer: string,
): StatementMembers {
  const iat = Math.floor(at.getTime() / 1_000);
  const observed = atSecond(iat);
  const exp = iat + LIFETIME_SEC.payment;
  return { iss: issuer, sub: origin, iat, exp, jti: id, observed, outcome: `not_probed:${reason}`, scope: SCOPE };
}

function outcomeOf({ reachable, protocols }: HostFacts): string {
  if (reachable !== false) return 'probed';
  const reason = protocols.map(({ details }) => text(details['reason'])).find((known) => known !== undefined);
  return `unreachable:${reason ?? 'unknown'}`;
}

/** The payable options of a report, in its order. */
export function statedRails(rails: readonly PaymentRail[]): readonly StatedRail[] {
  return rails.filter(isPayable).map((rail) => ({
    p: rail.protocol,
    n: rail.network,
    a: rail.asset,
    to: rail.payTo,
    amt: rail.amount,
    r: rail.resource,
    m: rail.httpMethod,
    s: rail.scheme ?? null,
  }));
}

/** The hash of a list of options: of its compact JSON, as {@link statedRails} makes it. */
export function railsDigest(rails: readonly StatedRail[]): { readonly sha256: string; readonly n: number } {
  return { sha256: sha256Of(JSON.stringify(rails)), n: rails.length };
}

/** ISO 8601 without fractions of a second. */
function atSecond(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z');
}
