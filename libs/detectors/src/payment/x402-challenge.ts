import { headerValues, mediaType, type Answer } from '../evidence/exchange';
import { isControl } from '../evidence/control';
import type { HostEvidence } from '../evidence/host-evidence';
import { onceEach } from '../evidence/once-each';
import { isObject, list, member, readJson, type JsonObject, type JsonValue } from '../formats/json';
import { sniff } from '../formats/sniff';
import { readEncodedJson } from './encoded-json';
import { isComplete, readAccepts, type X402Accept } from './x402-accept';

/** How much of a page is searched for the script, and how much of the script is read. */
const SEARCHED = 262_144;
const READ = 65_536;

/**
 * The challenge in the HTML paywall of the reference server, which sets `window.x402 = { … paymentRequirements: […] }`
 * for browsers instead of a machine-readable 402. The script is not JSON, but its values are.
 */
function inlinePaywall(body: string): JsonObject | undefined {
  const page = body.slice(0, SEARCHED);
  const start = page.indexOf('window.x402');
  if (start < 0) return undefined;
  const script = page.slice(start, start + READ);
  const assigned = /^window\.x402\s{0,20}=\s{0,20}/.exec(script)?.[0].length;
  const whole = assigned === undefined ? undefined : jsonAt(script, assigned);
  if (isObject(whole) && list(member(whole, 'accepts'))) return whole;
  const named = /["']?(paymentRequirements|paymentRequired)["']?\s{0,20}:\s{0,20}/.exec(script);
  if (!named) return undefined;
  const value = jsonAt(script, named.index + named[0].length);
  if (named[1] === 'paymentRequired') return isObject(value) ? value : undefined;
  return Array.isArray(value) ? { x402Version: 1, accepts: value } : undefined;
}

/** The JSON array or object at `start`, delimited by its balanced brackets. */
function jsonAt(script: string, start: number): JsonValue | undefined {
  if (!/[{[]/.test(script.charAt(start))) return undefined;
  let depth = 0;
  let quoted = false;
  for (let i = start; i < script.length; i += 1) {
    const char = script.charAt(i);
    if (quoted && char === '\\') i += 1;
    else if (char === '"') quoted = !quoted;
    else if (quoted) continue;
    else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') depth -= 1;
    if (depth > 0 || quoted) continue;
    const json = readJson(script.slice(start, i + 1));
    return json.ok ? json.value : undefined;
  }
  return undefined;
}

/** The form of a challenge: V2 in the header, V1 in the body, or V2 in the body, which the reference client ignores. */
type X402Dialect = 'v2' | 'v1' | 'v2_in_body_only';

/** A real or intended x402 challenge in a live 402. */
export interface X402Challenge {
  readonly answer: Answer;
  readonly dialects: readonly X402Dialect[];
  /** The options of all forms, without a copy of the header's version in the body. */
  readonly accepts: readonly X402Accept[];
  /** Whether it contains a complete offer. */
  readonly sound: boolean;
  /** Codes of its faults, the deciding one first. */
  readonly faults: readonly string[];
  /** Whether the reference client (@x402/core) can read the V2 header or the V1 body unchanged. */
  readonly strictlyReadable: { readonly v1: boolean; readonly v2: boolean };
  /** The priced resource of the challenge (V2); null if missing or not an object with a URL. */
  readonly resource: string | null;
  /** The extensions of the challenge by key, those of the header first (V2). */
  readonly extensions: JsonObject;
  /** The content of the V2 header and its encoding flaws; null if it cannot be decoded, undefined if it is missing. */
  readonly header: { readonly document: JsonObject; readonly flaws: readonly string[] } | null | undefined;
  /** The JSON object in the body. */
  readonly body: JsonObject | undefined;
}

/** A 402 without the expected challenge, with a code for what it is instead. */
export function withoutChallenge(answer: Answer, fault: string): X402Challenge {
  return {
    answer,
    dialects: [],
    accepts: [],
    sound: false,
    faults: [fault],
    strictlyReadable: { v1: false, v2: false },
    resource: null,
    extensions: {},
    header: undefined,
    body: undefined,
  };
}

/** Response headers with a challenge: the V2 one, and existing aliases. */
const HEADERS = ['payment-required', 'x-payment-required', 'x-payment'] as const;

interface Part {
  readonly source: 'header' | 'body';
  readonly document: JsonObject;
  readonly version: 1 | 2 | undefined;
  readonly accepts: readonly X402Accept[];
  readonly strict: boolean;
  /** Faults that do not decide. */
  readonly faults: readonly string[];
}

/** Challenges in the live 402 answers of the host's own site, in observed order, without the control paths. */
export function x402Challenges(seen: HostEvidence): readonly X402Challenge[] {
  return seen
    .answersWith(402)
    .filter((answer) => seen.sameSite(answer.finalUrl) && !isControl(answer))
    .map(readX402Challenge)
    .filter((challenge) => challenge !== undefined);
}

/**
 * Reads the challenge of a 402 answer; undefined if it has none, because a 402 alone proves nothing. The header takes
 * precedence over the body (https://github.com/x402-foundation/x402/blob/main/specs/transports-v2/http.md). The content
 * type does not matter, because some servers send the header with an HTML page.
 */
export const readX402Challenge: (answer: Answer) => X402Challenge | undefined = onceEach(readChallenge);

function readChallenge(answer: Answer): X402Challenge | undefined {
  const header = headerPart(answer);
  const body = bodyPart(answer);
  if (!header && !body) return undefined;
  const parts = [header?.part, body].filter((part) => part !== undefined);
  const spoken = parts.filter((part) => part.source === 'header' || part.version !== header?.part?.version);
  const accepts = spoken.flatMap((part) => (part.version === undefined ? [] : part.accepts));
  const soft = [...parts.flatMap((part) => part.faults), ...conflicts(header?.part, body)];
  const deciding = [
    ...(parts.some((part) => part.version === undefined) ? ['x402_version_unrecognised'] : []),
    ...walls(parts, accepts),
  ];
  const faults = header?.part
    ? [...deciding, ...header.faults, ...soft]
    : [...(header?.faults ?? []), ...deciding, ...soft];
  const dialects = dialectsOf(spoken);
  const onlyInBody = dialects.includes('v2_in_body_only');
  // The reference client throws for an undecodable header, whatever the body is.
  const blocked = header !== undefined && header.part === undefined;
  const readable = (version: 1 | 2, part: Part) => !blocked && part.strict && part.version === version;
  return {
    answer,
    dialects,
    accepts,
    sound: accepts.some(isComplete) && !onlyInBody,
    faults: [...new Set(onlyInBody ? ['v2_in_body_only', ...faults] : faults)],
    strictlyReadable: {
      v2: spoken.some((part) => part.source === 'header' && readable(2, part)),
      // A legacy client parses the whole list strictly, so one invalid option breaks all.
      v1: spoken.some((part) => readable(1, part) && part.accepts.every((accept) => accept.wellTyped)),
    },
    resource: resourceOf(parts),
    extensions: parts.map(({ document }) => member(document, 'extensions')).find(isObject) ?? {},
    header: header?.plain,
    body: body?.document,
  };
}

interface HeaderPart {
  readonly part?: Part;
  readonly faults: readonly string[];
  /** As clients read it, without aliases and repeated lines. */
  readonly plain: X402Challenge['header'];
}

function headerPart(answer: Answer): HeaderPart | undefined {
  let undecodable: string | undefined;
  const lines = headerValues(answer, HEADERS[0]).length;
  for (const name of HEADERS) {
    for (const value of headerValues(answer, name).flatMap(separate)) {
      const reading = readEncodedJson(value);
      if (!reading.ok) {
        undecodable ??= faultName(name, reading.fault === 'not_json' ? 'invalid_json' : reading.fault);
        continue;
      }
      if (!isObject(reading.value)) {
        undecodable ??= faultName(name, 'not_an_object');
        continue;
      }
      const alias = name !== 'payment-required';
      // The specification requires padding, but the reference decoder accepts its absence.
      const flaws = reading.flaws.filter((flaw) => flaw !== 'padded');
      const strict = !alias && flaws.every((flaw) => flaw === 'unpadded');
      const repeated = headerValues(answer, name).flatMap(separate).length > 1;
      return {
        part: partOf('header', reading.value, strict),
        plain: alias
          ? lines === 0
            ? undefined
            : null
          : repeated
            ? null
            : { document: reading.value, flaws: reading.flaws },
        faults: [...(alias ? [`challenge_in_header_${name}`] : []), ...flaws.map((flaw) => faultName(name, flaw))],
      };
    }
  }
  return undecodable === undefined ? undefined : { faults: [undecodable], plain: lines === 0 ? undefined : null };
}

/** Splits repeated lines joined by a proxy. Base64 and compact base64url contain no commas; raw JSON does. */
function separate(value: string): readonly string[] {
  return /^\s*[{[]/.test(value) ? [value] : value.split(',').filter((part) => part.trim() !== '');
}

function faultName(header: string, fault: string): string {
  return `${header.replace(/-/g, '_')}_header_${fault}`;
}

function bodyPart(answer: Answer): Part | undefined {
  if (sniff(answer.body) === 'html' || mediaType(answer) === 'text/html') {
    const inline = inlinePaywall(answer.body);
    if (inline) {
      const part = partOf('body', inline, false);
      return { ...part, faults: ['challenge_in_html_page', ...part.faults] };
    }
  }
  if (sniff(answer.body) !== 'json') return undefined;
  const json = readJson(answer.body);
  if (!json.ok || !isObject(json.value)) return undefined;
  const speaks = member(json.value, 'x402Version') !== undefined || resemblesAccepts(member(json.value, 'accepts'));
  return speaks ? partOf('body', json.value, member(json.value, 'x402Version') === 1) : undefined;
}

/** A body without a version only counts as x402 if an option in it has the right fields. */
function resemblesAccepts(value: JsonValue | undefined): boolean {
  return readAccepts(value, 1).some(isComplete);
}

function partOf(source: Part['source'], document: JsonObject, strict: boolean): Part {
  const stated = member(document, 'x402Version');
  const version = versionOf(stated);
  const faults = [
    ...(version !== undefined && typeof stated === 'string' ? ['x402_version_not_integer'] : []),
    ...(source === 'header' && version === 1 ? ['v1_in_header'] : []),
  ];
  const accepts = readAccepts(member(document, 'accepts'), version ?? 2);
  return { source, document, version, accepts, strict: strict && typeof stated === 'number', faults };
}

function versionOf(stated: JsonValue | undefined): 1 | 2 | undefined {
  if (stated === 1 || stated === '1') return 1;
  return stated === 2 || stated === '2' ? 2 : undefined;
}

function dialectsOf(parts: readonly Part[]): readonly X402Dialect[] {
  const inHeader = parts.some((part) => part.source === 'header');
  const dialects = parts.flatMap((part): X402Dialect[] => {
    if (part.version === 1) return part.accepts.length > 0 ? ['v1'] : [];
    if (part.version === undefined) return [];
    return part.source === 'header' || inHeader ? ['v2'] : ['v2_in_body_only'];
  });
  return [...new Set(dialects)];
}

/** Why a challenge has no complete option: a login wall, an empty list, or options without a recipient. */
function walls(parts: readonly Part[], accepts: readonly X402Accept[]): readonly string[] {
  if (parts.length === 0 || accepts.some(isComplete)) return [];
  const signIn = parts.some((part) => isObject(member(member(part.document, 'extensions'), 'sign-in-with-x')));
  const stated = parts.flatMap((part) => part.accepts);
  if (stated.length === 0) {
    const listed = parts.some((part) => list(member(part.document, 'accepts')));
    return [signIn ? 'siwx_login_wall' : 'accepts_empty', ...(listed ? [] : ['accepts_not_a_list'])];
  }
  return stated.some((accept) => (accept.payTo ?? '').trim() === '') ? ['payto_empty'] : ['accepts_incomplete'];
}

/** If header and body have the same version but different terms, the header counts. */
function conflicts(header: Part | undefined, body: Part | undefined): readonly string[] {
  if (!header || body?.version !== header.version || body?.accepts.length === 0) return [];
  const terms = ({ accepts }: Part) =>
    JSON.stringify(accepts.map(({ network, amount, payTo }) => [network, amount, payTo?.toLowerCase()]).sort());
  return body && terms(header) !== terms(body) ? ['dialect_conflict'] : [];
}

function resourceOf(parts: readonly Part[]): string | null {
  for (const { document } of parts) {
    const resource = member(document, 'resource');
    const url = isObject(resource)
      ? member(resource, 'url')
      : versionOf(member(document, 'x402Version')) === 2
        ? undefined
        : resource;
    if (typeof url === 'string' && list(member(document, 'accepts'))) return url;
  }
  return null;
}
