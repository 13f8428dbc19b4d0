import { createPublicKey, verify } from 'node:crypto';
import { isObject, readJson, type JsonObject } from '@app/detectors';
import type { StatementClaims } from './claims';
import { sha256Of } from './hashes';
import type { KeySet, ListedKey } from './key-set';
import type { StatementType } from './statement-jws';

/** What is wrong with a statement, in the order of the checks. */
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
  | 'subject'
  | 'bytes';

/** A statement that is not to be believed. */
export class StatementError extends Error {
  override readonly name = 'StatementError';

  constructor(readonly code: StatementFault) {
    super(`the statement is refused: ${code}`);
  }
}

/** What a reader knows beforehand; the keys are those of the issuer it chose, never ones that a statement names. */
export interface Expected {
  readonly issuer: string;
  readonly keys: Pick<KeySet, 'keys'>;
  /** Origin it is about to deal with. */
  readonly subject?: string;
  /** Text of the report, when the reader has it. */
  readonly report?: string;
  /** Seconds since 1970; undefined does not ask whether the statement still holds. */
  readonly now?: number;
  /** The oldest statement taken, in seconds, however long it says that it holds. */
  readonly maxAgeSec?: number;
}

const MAX_CHARS = 4_096;
const SKEW_SEC = 60;

/** A compact JWS with a signature of 64 bytes. */
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]{86}$/;

/**
 * A header has these three members and no other, as this service writes them: none by which a token could choose its own
 * key or rules, none twice, and nothing to parse before the signature holds.
 */
const HEADER = /^\{"alg":"([^"\\]*)","typ":"([^"\\]*)","kid":"([^"\\]*)"\}$/;

/** Part of no JSON, though readers of hosts pass over it. */
const BYTE_ORDER_MARK = '\uFEFF';

/** The end of the year 9999, in seconds since 1970: what is later is no date of any program. */
const LAST_TIME = 253_402_300_799;

/**
 * The claims of a statement that a reader may rely on, checked in the order of RFC 8725: nothing inside is read before the
 * signature holds.
 * @throws {StatementError}
 */
export function verifyStatement(token: string, expected: Expected): StatementClaims {
  const { claims, jwk } = opened(token, 'hostprobe-report+jwt', expected.keys);
  const { iss, iat, exp, sub, report } = claims as unknown as Partial<StatementClaims>;
  if (!isTime(iat) || !isTime(exp) || typeof sub !== 'string') throw fault('payload');
  if (iss !== expected.issuer) throw fault('issuer');
  if (isRetired(jwk, iat)) throw fault('key_retired');
  checkTime(iat, exp, expected);
  if (expected.subject !== undefined && sub !== expected.subject) throw fault('subject');
  if (expected.report !== undefined && sha256Of(expected.report) !== report?.sha256) throw fault('bytes');
  return claims as unknown as StatementClaims;
}

/** The claims of a JWS of this service, whatever it is about, once its signature holds. @throws {StatementError} */
export function openJws(token: string, typ: StatementType, keys: Pick<KeySet, 'keys'>): JsonObject {
  return opened(token, typ, keys).claims;
}

function opened(
  token: string,
  typ: StatementType,
  { keys }: Pick<KeySet, 'keys'>,
): { claims: JsonObject; jwk: ListedKey } {
  if (token.length > MAX_CHARS || !COMPACT.test(token)) throw fault('not_a_statement');
  const [head = '', payload = '', signature = ''] = token.split('.');
  const header = HEADER.exec(textIn(head) ?? '');
  if (!header) throw fault('header');
  const [, algorithm, type, named] = header;
  if (type !== typ) throw fault('typ');
  if (algorithm !== 'EdDSA' && algorithm !== 'Ed25519') throw fault('alg');
  const jwk = keys.find(({ kid }) => kid === named);
  if (!jwk) throw fault('unknown_kid');
  if (!isSigned(Buffer.from(`${head}.${payload}`), bytesIn(signature), jwk)) throw fault('signature');
  return { claims: claimsIn(payload), jwk };
}

function isSigned(text: Buffer, signature: Buffer | undefined, { kty, crv, x }: ListedKey): boolean {
  try {
    return (
      signature !== undefined && verify(null, text, createPublicKey({ key: { kty, crv, x }, format: 'jwk' }), signature)
    );
  } catch {
    return false; // a key that is none
  }
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= LAST_TIME;
}

function isRetired(jwk: ListedKey, iat: number): boolean {
  const before = jwk['hostprobe:iat_before'];
  return before !== undefined && iat >= before;
}

function checkTime(iat: number, exp: number, { now, maxAgeSec }: Expected): void {
  if (now === undefined) return;
  if (iat > now + SKEW_SEC) throw fault('from_the_future');
  if (now >= exp || (maxAgeSec !== undefined && now - iat > maxAgeSec)) throw fault('stale');
}

/** Base64url in its one canonical form: another spelling of the same bytes is a change. */
function bytesIn(base64url: string): Buffer | undefined {
  const bytes = Buffer.from(base64url, 'base64url');
  return bytes.toString('base64url') === base64url ? bytes : undefined;
}

/** Undefined for what is no UTF-8. */
function textIn(base64url: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytesIn(base64url));
  } catch {
    return undefined;
  }
}

function claimsIn(base64url: string): JsonObject {
  const text = textIn(base64url) ?? '';
  const reading = readJson(text);
  if (reading.ok && isObject(reading.value) && !text.startsWith(BYTE_ORDER_MARK)) return reading.value;
  throw fault('payload');
}

function fault(code: StatementFault): StatementError {
  return new StatementError(code);
}
