import { isObject, readJson, type JsonValue } from '../formats/json';
import { parseUrl } from '../formats/parse-url';
import { sniff, type BodyKind } from '../formats/sniff';
import type { Answer } from './exchange';
import { onceEach } from './once-each';

/**
 * Recognizes the answer that a host gives to any path, based on the differences between the answers to the control
 * pair: a request id, the time, a counter, an echo of the path, the order. Answers are compared by the trigrams of
 * their words, so that an id within a word or a changed order has little effect, and in linear time.
 */

/** How many characters of a body are compared; different pages differ earlier. */
const MAX_CHARS = 32_768;

/** An identifier has at least this length, or half of it if it mixes letters and digits. */
const LONG_TOKEN = 16;

/**
 * By how many trigrams two answers may differ even if the control pair is equal, because an id may be short and vary in
 * length.
 */
const CHANCE = 12;

const SEPARATORS = /[\s"'`<>{}()[\]|,;:=&?!*#]+/;

/** The common properties of the control answers. */
interface Pattern {
  readonly answers: readonly Answer[];
  readonly constant: ReadonlySet<string>;
  /** The maximum number of words that an answer has in addition to the constant ones, and their total length. */
  readonly varyingWords: number;
  readonly varyingChars: number;
  /** Their common structure; undefined if it varies or they are not JSON. */
  readonly structure: string | undefined;
}

/** Returns a test whether an answer is the catch-all answer of the host, given its control answers. */
export function anyPathAnswer(controls: readonly Answer[]): (answer: Answer) => boolean {
  const patterns = new Map<string, Pattern | undefined>();
  return (answer) => {
    const kind = sniff(answer.body);
    const key = `${answer.status} ${kind}`;
    if (!patterns.has(key)) patterns.set(key, patternOf(controls, answer.status, kind));
    const pattern = patterns.get(key);
    return pattern !== undefined && fits(answer, pattern);
  };
}

function patternOf(controls: readonly Answer[], status: number, kind: BodyKind): Pattern | undefined {
  const answers = controls.filter((control) => control.status === status && sniff(control.body) === kind);
  const [first, ...others] = answers;
  if (!first) return undefined;
  const constant = new Set([...constants(first)].filter((piece) => others.every((other) => pieces(other).has(piece))));
  const structures = new Set(answers.map(structure));
  const varying = answers.map((answer) => varyingIn(answer, constant));
  return {
    answers,
    constant,
    varyingWords: Math.max(...varying.map((list) => list.length)),
    varyingChars: Math.max(...varying.map((list) => list.join('').length)),
    structure: structures.size === 1 ? structure(first) : undefined,
  };
}

function varyingIn(answer: Answer, constant: ReadonlySet<string>): readonly string[] {
  return words(answer).filter((word) => [...piecesOf([word])].some((piece) => !constant.has(piece)));
}

/**
 * Whether an answer has all constant parts, and not more variable ones than the control pair. The control pair may be
 * equal by chance, so a success may differ a little more; an error response that differs has its own reason.
 */
function fits(answer: Answer, pattern: Pattern): boolean {
  const { answers, constant, varyingWords, varyingChars } = pattern;
  if (answers.some(({ sha256 }) => sha256 === answer.sha256)) return true;
  const found = allPieces(answer);
  const lost = count(constant, (piece) => !found.has(piece));
  const gained = count(pieces(answer), (piece) => !constant.has(piece));
  if (answer.status >= 300) return lost === 0 && gained <= 1.5 * varyingChars;
  if (pattern.structure !== undefined && structure(answer) === pattern.structure) return true;
  if ([...answers, answer].every(isOneToken)) return true;
  const room = 1.5 * varyingChars + Math.max(Math.min(CHANCE, constant.size / 2), constant.size / 20);
  const roomInWords = 2 * varyingWords + Math.max(2, constant.size / 60);
  return (
    lost * 3 <= constant.size && lost <= room && gained <= room && varyingIn(answer, constant).length <= roomInWords
  );
}

function count<T>(items: Iterable<T>, holds: (item: T) => boolean): number {
  return [...items].filter(holds).length;
}

/** No protocol has a document that is a single identifier. */
function isOneToken({ body }: Answer): boolean {
  return body.length <= 3 * LONG_TOKEN && /^[\w+/=.~-]+$/.test(body.trim());
}

/** The distinct words of a body without echoes of the URL, because the host name and the path prove nothing. */
const words = onceEach(({ body, url, finalUrl }: Answer): readonly string[] => {
  const { pathname = '/' } = parseUrl(url.toLowerCase()) ?? {};
  const { host = '' } = parseUrl(finalUrl.toLowerCase()) ?? {};
  const echoes = [encodeURIComponent(pathname).toLowerCase(), pathname.replaceAll('/', '\\/'), pathname, host];
  let text = body.slice(0, MAX_CHARS).toLowerCase();
  for (const echo of echoes) if (echo.length > 3) text = text.replaceAll(echo, ' ');
  const named = new Set([...pathname.split('/'), ...pathname.split(/[^a-z0-9]+/)]);
  return [...new Set(text.split(SEPARATORS))].filter((word) => !named.has(word));
});

const pieces = onceEach((answer: Answer) => piecesOf(words(answer)));

/**
 * The trigrams that may be constant; if there is only one control answer, words that look like identifiers are
 * excluded.
 */
const constants = onceEach((answer: Answer) => piecesOf(words(answer).filter((word) => !isIdentifier(word))));

/** The trigrams of the whole body, because a word of the path may also be a word of the page. */
const allPieces = onceEach(({ body }: Answer) => piecesOf(body.slice(0, MAX_CHARS).toLowerCase().split(SEPARATORS)));

function piecesOf(list: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const word of list) {
    const padded = ` ${plain(word)} `;
    for (let at = 0; at + 3 <= padded.length; at += 1) found.add(padded.slice(at, at + 3));
  }
  return found;
}

/** Times and counters differ only in their digits. */
function plain(word: string): string {
  return word.replace(/\d+/g, '0');
}

function isIdentifier(word: string): boolean {
  return word.length >= LONG_TOKEN || (word.length * 2 >= LONG_TOKEN && /\d/.test(word) && /[a-z]/.test(word));
}

/** The nested field names of a JSON body, without values and order; undefined for other bodies. */
const structure = onceEach(({ body }: Answer): string | undefined => {
  const json = body.length <= MAX_CHARS ? readJson(body) : undefined;
  return json?.ok ? structureOf(json.value) : undefined;
});

function structureOf(value: JsonValue | undefined): string {
  if (Array.isArray(value)) return `[${[...new Set(value.map(structureOf))].sort().join()}]`;
  if (!isObject(value)) return '.';
  const members = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}${structureOf(item)}`);
  return `{${members.sort().join()}}`;
}
