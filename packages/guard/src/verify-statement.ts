import { objectIn, textIn, urlBytesIn } from './encoding.js';

/** Why a statement is rejected, in the order of the checks. */
export type StatementFault =
  | 'not_a_statement'
  | 'header'
  | 'typ'
  | 'alg'
  | 'unknown_kid'
  | 'signature'
  | 'payload'
  | 'issuer'
  | 'key_retired'
  | 'from_the_future'
  | 'stale'
  | 'subject';

/** A statement that failed verification. */
export class StatementError extends Error {
  override readonly name = 'StatementError';

  constructor(readonly code: StatementFault) {
    super(`the statement failed verification: ${code}`);
  }
}

/** A payment option in a statement: protocol, network, asset, payTo, atomic amount, resource, method, scheme. */
export interface StatedRail {
  readonly p: string;
  readonly n: string | null;
  readonly a: string | null;
  readonly to: string | null;
  readonly amt: string | null;
  readonly r: string;
  readonly m: string;
  readonly s: string | null;
}

/** The claims of a statement, with times in seconds since 1970 and hashes in base64url. */
export interface StatementMembers {
  readonly iss: string;
  readonly sub: string;
  readonly iat: number;
  readonly exp: number;
  readonly jti?: string;
  readonly observed: string;
  readonly outcome: string;
  readonly cells?: Readonly<Record<string, string>>;
  readonly report?: { readonly uri: string; readonly sha256: string; readonly len: number };
  readonly evidence?: { readonly root: string; readonly n: number };
  readonly rails?: readonly StatedRail[] | { readonly sha256: string; readonly n: number };
}

/** The published keys of an issuer; each key is an Ed25519 JWK. */
export interface KeySet {
  readonly keys: readonly {
    readonly kid: string;
    readonly kty: string;
    readonly crv: string;
    readonly x: string;
    readonly 'hostprobe:iat_before'?: number;
  }[];
  readonly revoked?: readonly { readonly kid: string }[];
}

/** What the verifier expects. The keys must come from the chosen issuer, never from a statement. */
export interface Expected {
  readonly issuer: string;
  readonly keys: KeySet;
  /** The origin to pay. */
  readonly subject?: string;
  /** Seconds since 1970. */
  readonly now: number;
  /** The maximum age of a statement in seconds, even if it expires later. */
  readonly maxAgeSec?: number;
}

const MAX_CHARS = 4_096;
const SKEW_SEC = 60;
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]{86}$/;

/** A header has exactly these three parameters, so that a token cannot choose its own key or rules. */
const HEADER = /^\{"alg":"([^"\\]*)","typ":"([^"\\]*)","kid":"([^"\\]*)"\}$/;

/** The end of the year 9999, in seconds since 1970. */
const LAST_TIME = 253_402_300_799;

/**
 * The claims of a statement, if its signature is valid and it is about the right host at the right time (RFC 8725).
 * @throws {StatementError}
 */
export async function verifyStatement(token: string, expected: Expected): Promise<StatementMembers> {
  const claims = await verifySigned(token, expected.keys, expected.issuer);
  const { now, maxAgeSec } = expected;
  if (claims.iat > now + SKEW_SEC) throw new StatementError('from_the_future');
  if (now >= claims.exp || (maxAgeSec !== undefined && now - claims.iat > maxAgeSec)) throw new StatementError('stale');
  if (expected.subject !== undefined && claims.sub !== expected.subject) throw new StatementError('subject');
  return claims;
}

/**
 * The claims of a statement that the issuer signed at any time, about any host, even if it has expired.
 * @throws {StatementError}
 */
export async function verifySigned(token: string, { keys, revoked = [] }: KeySet, issuer: string) {
  if (token.length > MAX_CHARS || !COMPACT.test(token)) throw new StatementError('not_a_statement');
  const [head = '', payload = '', signature = ''] = token.split('.');
  const header = HEADER.exec(textIn(urlBytesIn(head)) ?? '');
  if (!header) throw new StatementError('header');
  const [, alg, typ, named] = header;
  if (typ !== 'hostprobe-report+jwt') throw new StatementError('typ');
  if (alg !== 'EdDSA' && alg !== 'Ed25519') throw new StatementError('alg');
  const jwk = keys.find(({ kid }) => kid === named);
  if (!jwk || revoked.some(({ kid }) => kid === jwk.kid)) throw new StatementError('unknown_kid');
  if (!(await isSigned(`${head}.${payload}`, signature, jwk.x))) throw new StatementError('signature');
  const claims = objectIn(textIn(urlBytesIn(payload)) ?? '');
  const { iss, iat, exp, sub } = claims ?? {};
  if (!isTime(iat) || !isTime(exp) || typeof sub !== 'string') throw new StatementError('payload');
  if (iss !== issuer) throw new StatementError('issuer');
  if (iat >= (jwk['hostprobe:iat_before'] ?? Infinity)) throw new StatementError('key_retired');
  return claims as unknown as StatementMembers;
}

async function isSigned(text: string, signature: string, x: string): Promise<boolean> {
  const bytes = urlBytesIn(signature);
  if (!bytes) return false;
  try {
    const key = { kty: 'OKP', crv: 'Ed25519', x };
    const imported = await crypto.subtle.importKey('jwk', key, { name: 'Ed25519' }, false, ['verify']);
    return await crypto.subtle.verify({ name: 'Ed25519' }, imported, bytes, new TextEncoder().encode(text));
  } catch {
    return false; // an invalid key
  }
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= LAST_TIME;
}
