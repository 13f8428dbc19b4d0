import { headerValues, type Answer } from '../evidence/exchange';
import { isControl } from '../evidence/control';
import type { HostEvidence } from '../evidence/host-evidence';
import { onceEach } from '../evidence/once-each';
import { isObject, list, member, readJson, text, type JsonObject, type JsonValue } from '../formats/json';
import { sniff } from '../formats/sniff';
import { parseAuthChallenges, type AuthChallenge } from '../evidence/auth-challenges';
import { readEncodedJson } from './encoded-json';

/** One `Payment` challenge, complete or not. */
export interface MppChallenge {
  readonly answer: Answer;
  readonly id: string | null;
  readonly realm: string | null;
  /** Payment method: `tempo`, `stripe`, ... */
  readonly method: string | null;
  /** `charge`, `session`, `subscription`, ... */
  readonly intent: string | null;
  /** The decoded `request`; null if missing or unreadable. */
  readonly request: JsonObject | null;
  /** As stated (RFC 3339), or null. */
  readonly expires: string | null;
  /** Codes of missing or unreadable parts; none means that all five mandatory parameters are present and decodable. */
  readonly faults: readonly string[];
  /** Codes of faults that a lenient client tolerates. */
  readonly warnings: readonly string[];
}

/** A 402 without the expected challenge, with a code for what it is instead. */
export function withoutMppChallenge(answer: Answer, fault: string): MppChallenge {
  return { ...challengeOf(answer, () => null, null, false, []), faults: [fault] };
}

/** Mandatory parameters of a challenge, https://paymentauth.org/draft-httpauth-payment-01.html. */
const MANDATORY = ['id', 'realm', 'method', 'intent', 'request'] as const;

/** The longest `request` that the mppx client accepts, in characters. */
const MAX_REQUEST = 16_384;

/** JSON-RPC error of the MCP transport (draft-payment-transport-mcp). */
const MCP_PAYMENT_REQUIRED = -32_042;

/** `Payment` challenges in the answers of the host's own site, in observed order, without the control paths. */
export function mppChallenges(seen: HostEvidence): readonly MppChallenge[] {
  return seen.exchanges
    .filter((exchange) => exchange.kind === 'answer')
    .filter((answer) => seen.sameSite(answer.finalUrl) && !isControl(answer))
    .flatMap(readMppChallenges);
}

/**
 * The challenges of one answer: `WWW-Authenticate` of a 402 (or of the 401 that some proxies make of it), or an MCP
 * error.
 */
export const readMppChallenges: (answer: Answer) => readonly MppChallenge[] = onceEach(readChallenges);

function readChallenges(answer: Answer): readonly MppChallenge[] {
  const inHeader =
    answer.status === 402 || answer.status === 401
      ? parseAuthChallenges(headerValues(answer, 'www-authenticate'))
          .filter((challenge) => challenge.scheme === 'payment')
          .map((challenge) => fromHeader(challenge, answer))
      : [];
  return inHeader.length > 0 ? inHeader : fromMcpError(answer);
}

function fromHeader(challenge: AuthChallenge, answer: Answer): MppChallenge {
  const stated = challenge.params.get('request');
  const decoded = stated === undefined ? undefined : readEncodedJson(stated);
  const request = decoded?.ok && isObject(decoded.value) ? decoded.value : null;
  const flaws = decoded?.ok ? decoded.flaws.filter((flaw) => flaw !== 'base64url' && flaw !== 'unpadded') : [];
  const warnings = [
    ...flaws.map((flaw) => `mpp_request_${flaw}`),
    ...(challenge.malformed ? ['mpp_challenge_syntax'] : []),
    ...(typeof member(request ?? undefined, 'amount') === 'number' ? ['mpp_amount_not_a_string'] : []),
  ];
  const param = (name: string) => text(challenge.params.get(name)) ?? null;
  const read = challengeOf(answer, param, request, stated !== undefined, warnings);
  const { status } = answer;
  return {
    ...read,
    faults: [...read.faults, ...refusedFor(challenge), ...(status === 402 ? [] : ['mpp_status_not_402'])],
  };
}

/** The format of parameters that the MPP client's parser (mppx) requires in addition to their presence. */
const FORMS: Readonly<Record<string, RegExp>> = {
  method: /^[a-z][a-z0-9:_-]*$/,
  expires: /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,20})?(?:Z|[+-]\d{2}:\d{2})$/,
  digest: /^sha-256=/,
  header: /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/,
};

/** Why that parser rejects a challenge with all mandatory parameters. */
function refusedFor({ params, broken }: AuthChallenge): readonly string[] {
  const odd = Object.entries(FORMS).filter(([name, form]) => {
    const stated = params.get(name);
    return stated !== undefined && stated !== '' && !form.test(stated);
  });
  return [
    ...(broken ? ['mpp_challenge_broken'] : []),
    ...odd.map(([name]) => `mpp_${name}_invalid`),
    ...((params.get('request')?.length ?? 0) > MAX_REQUEST ? ['mpp_request_too_long'] : []),
  ];
}

/** Over MCP, the request is an object rather than base64url. */
function fromMcpError(answer: Answer): readonly MppChallenge[] {
  if (answer.method !== 'POST' || sniff(answer.body) !== 'json') return [];
  const json = readJson(answer.body);
  const error = json.ok ? member(json.value, 'error') : undefined;
  if (member(error, 'code') !== MCP_PAYMENT_REQUIRED) return [];
  const challenges: readonly JsonValue[] = list(member(member(error, 'data'), 'challenges')) ?? [];
  return challenges
    .slice(0, 64)
    .filter(isObject)
    .map((challenge) => {
      const request = member(challenge, 'request');
      const named = (name: string) => text(member(challenge, name)) ?? null;
      return challengeOf(answer, named, isObject(request) ? request : null, request !== undefined, []);
    });
}

function challengeOf(
  answer: Answer,
  param: (name: string) => string | null,
  request: JsonObject | null,
  requestStated: boolean,
  warnings: readonly string[],
): MppChallenge {
  const missing = MANDATORY.filter((name) => (name === 'request' ? !requestStated : param(name) === null));
  const faults = [
    ...(missing.length === MANDATORY.length
      ? ['mpp_challenge_malformed']
      : missing.map((name) => `mpp_${name}_missing`)),
    ...(requestStated && request === null ? ['mpp_request_undecodable'] : []),
  ];
  return {
    answer,
    id: param('id'),
    realm: param('realm'),
    method: param('method'),
    intent: param('intent'),
    expires: param('expires'),
    request,
    faults,
    warnings,
  };
}
