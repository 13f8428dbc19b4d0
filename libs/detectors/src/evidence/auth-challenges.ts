/** One challenge of a `WWW-Authenticate` header (RFC 9110 section 11.6.1). */
export interface AuthChallenge {
  /** In lower case, because scheme names are case-insensitive. */
  readonly scheme: string;
  /** By lower-case name; the first of two equal names wins. */
  readonly params: ReadonlyMap<string, string>;
  /** Whether it violates the grammar: unquoted spaces, an unclosed quotation, or a duplicate parameter. */
  readonly malformed: boolean;
  /**
   * Whether a parameter occurs twice or a quoted string is not closed. Strict clients reject such a challenge
   * completely.
   */
  readonly broken: boolean;
}

/** How much of one response is read. */
const MAX_LINE = 65_536;
const MAX_CHALLENGES = 64;
const MAX_ELEMENTS = 1_000;

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const PARAM = new RegExp(`^(${TOKEN})[ \\t]*=[ \\t]*(\\S.*)$`, 's');
const SCHEME = new RegExp(`^(${TOKEN})(?:[ \\t]+(\\S.*))?$`, 's');
const BARE_VALUE = new RegExp(`^${TOKEN}$`);
const TOKEN68 = /^[A-Za-z0-9\-._~+/]+=*$/;

/**
 * Parses header lines into challenges. Several lines, several challenges per line, commas and scheme names in quoted
 * strings, and tabs before parameters are all legal and do occur.
 */
export function parseAuthChallenges(lines: readonly string[]): readonly AuthChallenge[] {
  return lines.flatMap((line) => challengesOf(elementsOf(line.slice(0, MAX_LINE)))).slice(0, MAX_CHALLENGES);
}

interface Draft {
  readonly scheme: string;
  readonly params: Map<string, string>;
  malformed: boolean;
  broken: boolean;
}

function challengesOf(elements: readonly Element[]): readonly AuthChallenge[] {
  const drafts: Draft[] = [];
  for (const { text, closed } of elements) {
    const current = drafts.at(-1);
    const param = PARAM.exec(text);
    if (param) {
      if (current) addParam(current, param, closed);
      continue;
    }
    const opening = SCHEME.exec(text);
    if (!opening) {
      if (current) current.malformed = true;
      continue;
    }
    const draft: Draft = {
      scheme: (opening[1] ?? '').toLowerCase(),
      params: new Map(),
      malformed: !closed,
      broken: !closed,
    };
    drafts.push(draft);
    const rest = opening[2]?.trimEnd();
    if (rest === undefined) continue;
    const first = PARAM.exec(rest);
    if (TOKEN68.test(rest) && !(first && BARE_VALUE.test(first[2] ?? ''))) continue;
    if (first) addParam(draft, first, closed);
    else draft.malformed = true;
  }
  return drafts;
}

function addParam(draft: Draft, match: RegExpExecArray, closed: boolean): void {
  const name = (match[1] ?? '').toLowerCase();
  const raw = (match[2] ?? '').trimEnd();
  const value = raw.startsWith('"') ? unquoted(raw) : /^[^\s"]+$/.test(raw) ? raw : undefined;
  if (value === undefined || !closed || draft.params.has(name)) {
    draft.malformed = true;
    draft.broken ||= !closed || draft.params.has(name);
    return;
  }
  draft.params.set(name, value);
  // Padded base64 without quotes is not a valid token, but it is unambiguous.
  if (!raw.startsWith('"') && !BARE_VALUE.test(raw)) draft.malformed = true;
}

/** The text of a quoted string, or undefined if something follows the closing quote. */
function unquoted(raw: string): string | undefined {
  let text = '';
  for (let i = 1; i < raw.length; i += 1) {
    const char = raw.charAt(i);
    if (char === '"') return i === raw.length - 1 ? text : undefined;
    if (char === '\\') i += 1;
    text += raw.charAt(i);
  }
  return undefined;
}

interface Element {
  readonly text: string;
  /** False if a quotation was still open at the end of the line. */
  readonly closed: boolean;
}

/** Elements of a comma-separated list (RFC 9110 section 5.6.1); commas in quoted strings do not separate. */
function elementsOf(line: string): readonly Element[] {
  const elements: Element[] = [];
  let start = 0;
  let quoted = false;
  const close = (end: number) => {
    const text = line.slice(start, end).trim();
    if (text !== '') elements.push({ text, closed: !quoted });
    start = end + 1;
  };
  for (let i = 0; i < line.length && elements.length < MAX_ELEMENTS; i += 1) {
    const char = line.charAt(i);
    if (quoted && char === '\\') i += 1;
    else if (char === '"') quoted = !quoted;
    else if (char === ',' && !quoted) close(i);
  }
  if (elements.length < MAX_ELEMENTS) close(line.length);
  return elements;
}
