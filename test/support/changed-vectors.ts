import { createHash, createHmac, sign } from 'node:crypto';
import fc from 'fast-check';
import { includedLine, rootOf } from '@app/evidence';
import { shortHash } from '@app/signing';
import { BUNDLE_TEXT, CLAIMS, IAT, ISSUER, keyOf, ORIGIN } from './verify-vectors';

/** Forged statements, bundles and lines, each with a signature or root that may be valid. */

/** JSON values that programs interpret differently. */
const ODD_VALUES = [
  ...['1e9', `${IAT}.0`, `${IAT}.5`, '-0', '-1', '1e400', '9007199254740993', '253402300800', '1'.repeat(1_500)],
  ...['NaN', 'Infinity', '01', '+1', 'true', 'null', '""', '"3"', '[]', '{}', '{"sha256":1}', '{"sha256":null}'],
  ...[
    '"\\ud800"',
    '"\\u0041"',
    '"\\x41"',
    '"a\tb"',
    `"${ORIGIN}"`,
    '"EdDSA"',
    '"none"',
    '"hostprobe-report\\u002bjwt"',
  ],
  ...[127, 128, 129, 999].map((deep) => `${'['.repeat(deep)}${']'.repeat(deep)}`),
  `{"a":${'['.repeat(1_200)}${']'.repeat(1_200)},"a":1}`,
  `"${'[{\\"'.repeat(200)}"`,
];
const ODD_NAMES = [
  'jwk',
  'jku',
  'x5c',
  'x5u',
  'crit',
  'b64',
  '__proto__',
  'constructor',
  'Lines',
  'KEPT',
  'ALG',
  'Body',
  'kept',
];
const ODD_ENDS = ['', '', '', '', ' ', '\n', '\uFEFF', '\u0000', ',', '}', '{}'];

type Member = readonly [name: string, value: string];
const textOf = (members: readonly Member[]): string =>
  `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
const membersOf = (value: object): readonly Member[] =>
  Object.entries(value).map(([name, of]) => [name, JSON.stringify(of)] as const);

const change = fc.record({
  what: fc.constantFrom('replace', 'replace', 'double', 'remove', 'add', 'swap', 'none', 'none'),
  at: fc.nat(30),
  value: fc.oneof(fc.constantFrom(...ODD_VALUES), fc.json()),
  name: fc.constantFrom(...ODD_NAMES),
  before: fc.constantFrom(...ODD_ENDS),
  after: fc.constantFrom(...ODD_ENDS),
});
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

/** An object in JSON with one modification. */
function changed(members: readonly Member[], { what, at, value, name, before, after }: Change): string {
  const [index, all] = [members.length === 0 ? 0 : at % members.length, [...members]];
  const [of] = all[index] ?? [name];
  if (what === 'replace') all[index] = [of, value];
  else if (what === 'double') all.splice(at % (all.length + 1), 0, [of, value]);
  else if (what === 'remove') all.splice(index, 1);
  else if (what === 'add') all.splice(at % (all.length + 1), 0, [name, value]);
  else if (what === 'swap') all.push(...all.splice(index, 1));
  return before + textOf(all) + after;
}

const HEADER = { alg: 'EdDSA', typ: 'hostprobe-report+jwt', kid: 'current' };
const HEADERS: readonly object[] = [
  ...[HEADER, HEADER, HEADER, { ...HEADER, kid: 'former' }, { ...HEADER, alg: 'Ed25519' }],
  ...[
    { ...HEADER, alg: 'none' },
    { ...HEADER, alg: 'HS256' },
    { ...HEADER, typ: 'JWT' },
    { ...HEADER, kid: '' },
  ],
];

const SIGNATURES = {
  current: (text: string) => sign(null, Buffer.from(text), keyOf('current')),
  former: (text: string) => sign(null, Buffer.from(text), keyOf('former')),
  stranger: (text: string) => sign(null, Buffer.from(text), keyOf('stranger')),
  // For verifiers that let a header choose the algorithm: the secret is the key in the document.
  secret: (text: string) =>
    createHmac('sha512', keyOf('current').export({ format: 'jwk' }).x!)
      .update(text)
      .digest(),
  zeros: () => Buffer.alloc(64),
} as const;

/** Other spellings of a token, with the same bytes or nearly the same. */
const SPELLINGS: readonly ((token: string) => string)[] = [
  ...Array.from({ length: 8 }, () => (token: string) => token),
  (token) => `${token}=`,
  (token) => `${token}\n`,
  (token) => token.replace('.', '\n.'),
  (token) => token.replace('.', '=.'),
  (token) => token.replaceAll('-', '+').replaceAll('_', '/'),
  (token) => token.slice(0, token.lastIndexOf('.') + 1),
  (token) => `\uFEFF${token}`,
  (token) => `${token}.`,
  (token) => token.replace(/(\w)\./, (_, last: string) => `${String.fromCharCode(last.charCodeAt(0) + 1)}.`),
  (token) => `${token.slice(0, -1)}${String.fromCharCode(token.charCodeAt(token.length - 1) + 1)}`,
];

const base64url = (text: string, broken: boolean): string =>
  Buffer.concat([Buffer.from(text), broken ? Buffer.of(0xff) : Buffer.alloc(0)]).toString('base64url');

const statements = fc
  .record({
    header: fc.oneof({ arbitrary: fc.constant(undefined), weight: 2 }, { arbitrary: change, weight: 1 }),
    payload: change,
    headers: fc.constantFrom(...HEADERS),
    by: fc.constantFrom('current', 'current', 'current', ...(Object.keys(SIGNATURES) as (keyof typeof SIGNATURES)[])),
    respell: fc.constantFrom(...SPELLINGS),
    broken: fc.constantFrom('', '', '', '', '', '', 'header', 'payload'),
    now: fc.constantFrom(IAT - 61, IAT - 60, IAT, IAT + 60, IAT + 899.5, IAT + 900),
  })
  .map(({ header, payload, headers, by, respell, broken, now }) => {
    const head = header ? changed(membersOf(headers), header) : JSON.stringify(headers);
    const said = changed(membersOf({ ...CLAIMS, outcome: 'probed' }), payload);
    const text = `${base64url(head, broken === 'header')}.${base64url(said, broken === 'payload')}`;
    const statement = respell(`${text}.${SIGNATURES[by](text).toString('base64url')}`);
    return { kind: 'statement', statement, issuer: ISSUER, origin: ORIGIN, now };
  });

const COUNT = (JSON.parse(BUNDLE_TEXT.slice(0, BUNDLE_TEXT.indexOf('\n'))) as { lines: number }).lines;
const ALL = BUNDLE_TEXT.slice(0, -1).split('\n');
const [LINES, BODIES] = [ALL.slice(0, COUNT), ALL.slice(COUNT)];

/** Notations of a root. */
const ROOTS = [
  (hex: string) => hex,
  shortHash,
  (hex: string) => hex.toUpperCase(),
  (hex: string) => hex.slice(1),
  (hex: string) => `${shortHash(hex).slice(0, -1)}_`,
  () => rootOf([]),
  () => '',
];

/** The line of a body chosen by the writer, and other notations of it. */
const bodyLines = fc
  .record({
    bytes: fc.oneof(
      fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
      fc.constantFrom('\uFEFF', '\u007f\u2028"\\/', 'a\nb\u0001\b\f', '', 'null', '5').map((text) => Buffer.from(text)),
    ),
    as: fc.constantFrom('text', 'base64', 'withheld', 'other'),
    spell: fc.constantFrom<(line: string) => string>(
      ...Array.from({ length: 4 }, () => (line: string) => line),
      (line) => line.replace(/[a-z](?="\}$)/, (char) => `\\u00${char.charCodeAt(0).toString(16)}`),
      (line) => line.replace(/\\n/g, '\\u000a').replace(/\\u001/g, '\\U001'),
      (line) => line.replace(/\//g, '\\/'),
      (line) => line.replace(/"\}$/, '\\ud800"}'),
      (line) => line.replace('"text":"null"', '"text":null').replace('"text":"5"', '"text":5'),
      (line) => line.replace('":"', '": "'),
      (line) => line.replace(/"\}$/, '\\n"}'),
      (line) => line.replace('=', ''),
      (line) => line.replace('"}', '","withheld":"legal"}'),
    ),
  })
  .map(({ bytes, as, spell }) => {
    const body = createHash('sha256').update(bytes).digest('hex');
    const value = { text: bytes.toString(), base64: bytes.toString('base64'), withheld: 'opt_out', other: '' }[as];
    return { body, line: spell(JSON.stringify({ body, [as]: value })) };
  });

const bundles = fc
  .record({
    at: fc.nat(COUNT - 1),
    line: fc.oneof(fc.constant(undefined), fc.constant(undefined), change),
    own: fc.oneof(fc.constant(undefined), bodyLines),
    moves: fc.constantFrom('', '', '', 'swap', 'double', 'remove', 'first', 'lines', 'last twice'),
    body: fc.oneof(fc.constant(undefined), fc.constant(undefined), change),
    root: fc.constantFrom(...ROOTS.slice(0, 2), ...ROOTS.slice(0, 2), ...ROOTS),
    end: fc.constantFrom('\n', '\n', '\n', '\n', '\n', '\n', '', '\n\n', '\r\n'),
    honest: fc.constantFrom(true, true, true, false),
  })
  .map(({ at, line, own, moves, body, root, end, honest }) => {
    const [lines, bodies] = [[...LINES], [...BODIES]];
    if (own) {
      lines[1] = lines[1]!.replace(/"sha256":"[0-9a-f]{64}"/, `"sha256":"${own.body}"`);
      bodies[0] = own.line;
    }
    if (line) lines[at] = changed(membersOf(JSON.parse(lines[at]!) as object), line).replaceAll('\n', ' ');
    const one = at % bodies.length;
    if (body) bodies[one] = changed(membersOf(parsed(bodies[one]!)), body).replaceAll('\n', ' ');
    if (moves === 'swap') bodies.push(...bodies.splice(one, 1));
    if (moves === 'double') bodies.splice(one, 0, bodies[one]!);
    if (moves === 'remove') bodies.splice(one, 1);
    if (moves === 'first') bodies.unshift(...lines.splice(-1));
    if (moves === 'lines') lines.push(...lines.splice(Math.max(1, at), 1));
    const hex = rootOf(honest ? lines : LINES);
    if (moves === 'last twice') lines.push(lines.at(-1)!);
    return { kind: 'bundle', bundle: [...lines, ...bodies].join('\n') + end, root: root(hex) };
  });

function parsed(line: string): object {
  try {
    return JSON.parse(line) as object;
  } catch {
    return {};
  }
}

const ROOT = rootOf(LINES);
const SPELLED_HASHES: Readonly<Record<string, (hash: string) => string>> = {
  upper: (hash) => hash.toUpperCase(),
  short: (hash) => hash.slice(2),
  odd: (hash) => `${hash}0`,
  spaces: (hash) => ` ${hash}`,
};
const includedLines = fc
  .record({
    at: fc.nat(COUNT - 1),
    change,
    path: fc.constantFrom('', '', '', 'more', ...Object.keys(SPELLED_HASHES)),
  })
  .map(({ at, change: by, path }) => {
    const known = includedLine(ROOT, LINES, at)!;
    const respelled = known.path.map((hash, index) => {
      if (index > 0) return hash;
      return SPELLED_HASHES[path]?.(hash) ?? hash;
    });
    const members = membersOf({ ...known, path: path === 'more' ? [...respelled, ROOT] : respelled });
    return { kind: 'line', line: changed(members, { ...by, before: '', after: '' }), root: ROOT };
  })
  // The vectors are parsed together with their file, so a line must not be nested too deeply.
  .filter(({ line }) => 'line' in parsed(line) && !line.includes('['.repeat(120)));

export interface ChangedVector {
  readonly name: string;
  readonly kind: string;
  /** The exact text, because some numbers in a line are in notations that no program would use. */
  readonly json: string;
  readonly [member: string]: unknown;
}

/** Generates this many cases. */
export function changedVectors(count: number, seed: number): readonly ChangedVector[] {
  return fc
    .sample(fc.oneof(statements, bundles, includedLines), { numRuns: count, seed })
    .map((vector, at): ChangedVector => {
      const name = String(at);
      const { line, ...others } = { line: undefined, ...vector };
      const of = line === undefined ? '' : `,"line":${line}`;
      return { ...vector, name, json: `${JSON.stringify({ name, ...others, expected: '' }).slice(0, -1)}${of}}` };
    });
}
