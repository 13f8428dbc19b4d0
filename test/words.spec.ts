import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { replacedWords } from './support/glossary';
import { codeFiles, piecesOf, wordsOfName, type Piece } from './support/source-words';

/**
 * Holds the words of `docs/glossary.md` in the sources: in names, texts and comments. `test/documents.spec.ts` holds them
 * in the documents. Words with another, proper meaning (place, rest, check, ask, claim, offer, hop) are left to the reader;
 * verdict and parts are refused only where they cannot have it.
 */
interface Rule {
  readonly replaced: RegExp;
  readonly use: string;
}

/** In comments and texts. To look a name up is a lookup. */
const PROSE: readonly Rule[] = [
  { replaced: /\blook(?:s|ed|ing)?\b(?! up\b)|\blook-up/i, use: 'probe, refresh, resemble, lookup' },
  { replaced: /\binspect(?:s|ed|ing|ions?)?\b/i, use: 'probe' },
  { replaced: /\bwork orders?\b/i, use: 'run' },
  { replaced: /\boctets?\b/i, use: 'bytes' },
  { replaced: /\bpulses?\b/i, use: 'heartbeat' },
  { replaced: /\bdesks?\b/i, use: 'checkout' },
  { replaced: /\battestations?\b/i, use: 'statement' },
  { replaced: /\brefusals?\b/i, use: 'error response' },
  { replaced: /\bpayment proofs?\b|\bproofs? of payment\b/i, use: 'payment payload' },
  { replaced: /\bfacilitator's verdict\b|\bno verdict\b/i, use: 'answer of the facilitator' },
  { replaced: /\b(?:nobody|no one|whoever|whom(?:ever)?)\b|\bof (?:ours|theirs)\b/i, use: 'a subject' },
];

/** In identifiers and file names, as `wordsOfName` writes them. */
const NAMES: readonly Rule[] = [
  { replaced: /\blook(?:s|ed|ing)?\b(?! up\b)/, use: 'probe, refresh' },
  { replaced: /\binspect(?:s|ed|ing|ions?)?\b/, use: 'probe' },
  { replaced: /\bwork orders?\b/, use: 'run' },
  { replaced: /\boctets?\b/, use: 'bytes' },
  { replaced: /\bpulses?\b/, use: 'heartbeat' },
  { replaced: /\bdesks?\b/, use: 'checkout, settler' },
  { replaced: /\battestations?\b/, use: 'statement' },
  { replaced: /\brefusals?\b/, use: 'error response' },
  { replaced: /(?<!ownership )\bproofs?\b/, use: 'payment payload, evidence' },
];

/** Deps were called so; pieces of a path or a text may be. */
const PARTS = /\bthis\.parts\b|\breadonly parts:|\b[A-Z]\w*Parts\b/;

/** What stays, each with its reason. */
const ALLOWED: readonly { readonly path: RegExp; readonly text: RegExp; readonly because: string }[] = [
  {
    path: /./,
    text: /scheduled[ _]looks[ _]per[ _]min/i,
    because: 'the old name of a variable is read until March 2027',
  },
  { path: /ard-faults\.spec/, text: /^attestations$/, because: 'ARD calls a member of its manifest so' },
  { path: /./, text: /hostprobe_look/, because: 'operators keep boards and alarms of these metrics' },
  {
    path: /libs\/limits\/src\/target-budgets/,
    text: /'look'/,
    because: 'a key that running processes share in the store',
  },
  { path: /postgres-account/, text: /nobody/, because: 'an account of Unix' },
  { path: /./, text: /application\/octet-stream/, because: 'a registered media type' },
  { path: /paywall\.model\.spec/, text: /^inspect$/, because: 'a function of node:util' },
  { path: /payto-evidence\.spec/, text: /^proofs?$/, because: 'x402 calls a signed ownership claim so' },
  {
    path: /platform\/health\//,
    text: /parts\b|HealthParts/,
    because: '`/health/ready` names the parts of the service',
  },
  { path: /platform\.module/, text: /HealthParts/, because: '`/health/ready` names the parts of the service' },
  { path: /http-probe/, text: /AnswerParts/, because: 'the pieces of an answer' },
  {
    path: /test\/(?:support\/source-words|words\.spec|documents\.spec)/,
    text: /./,
    because: 'name the words they find',
  },
];

const allowed = (path: string, text: string): boolean =>
  ALLOWED.some((exception) => exception.path.test(path) && exception.text.test(text));

function faultsOfPiece(path: string, { kind, line, text }: Piece): readonly string[] {
  if (allowed(path, text)) return [];
  return (kind === 'name' ? NAMES : PROSE).flatMap(({ replaced, use }) => {
    const word = replaced.exec(text)?.[0];
    return word === undefined ? [] : [`${path}:${line} ${kind}: ${word} (${use}) in ${text.slice(0, 120)}`];
  });
}

function partsOf(path: string, source: string): readonly string[] {
  return source.split('\n').flatMap((line, index) => {
    const found = PARTS.exec(line)?.[0];
    return found === undefined || allowed(path, line) ? [] : [`${path}:${index + 1} name: ${found} (deps)`];
  });
}

/** Every replaced word of one file, as lines that an editor opens. */
function faultsOf(path: string, source: string): readonly string[] {
  const file: Piece = { kind: 'name', line: 1, text: wordsOfName(basename(path)) };
  const pieces = [file, ...piecesOf(path, source)];
  return [...pieces.flatMap((piece) => faultsOfPiece(path, piece)), ...partsOf(path, source)];
}

describe('a replaced word', () => {
  it.each([
    ['in a name', 'const freshLookOf = 1;', 'look'],
    ['in the name of a member', 'type A = { readonly pulse_at: Date };', 'pulse'],
    ['in a text', "throw new Error('The look failed.');", 'look'],
    ['in the middle of a template', 'const a = `${b} octets ${c}`;', 'octets'],
    ['in a comment behind the code', 'const a = 1; // nobody reads it', 'nobody'],
    ['in the comment of a member', 'interface A {\n  /** A work order. */\n  readonly b: string;\n}', 'work order'],
    ['as the class of deps', 'class A {\n  constructor(private readonly parts: B) {}\n}', 'readonly parts:'],
  ])('is found %s', (_where, source, word) => {
    expect(faultsOf('apps/some-file.ts', source)).toEqual([expect.stringContaining(` ${word} (`)]);
  });

  it('is found in the name of a file', () => {
    expect(faultsOf('apps/settlement-desk.ts', '')).toEqual([expect.stringContaining(' desk (')]);
  });

  it('is told from a lookup, a pattern and a piece of a path', () => {
    const source = "const parts = '/a/b'.split('/'); const lookup = /look/; const proofread = 'is looked up once';";
    expect(faultsOf('apps/some-file.ts', source)).toEqual([]);
  });

  it('is in none of the sources', () => {
    const files = codeFiles();
    expect(files.length).toBeGreaterThan(500);
    expect(files.flatMap((path) => faultsOf(path, readFileSync(path, 'utf8')))).toEqual([]);
  });
});

describe('the rules', () => {
  it('have every word that the glossary replaces', () => {
    const rules = [...PROSE, ...NAMES];
    expect(replacedWords().filter((word) => !rules.some(({ replaced }) => replaced.test(word)))).toEqual([]);
  });
});

describe('an exception', () => {
  it('is still needed', () => {
    const texts = codeFiles().map((path) => [path, readFileSync(path, 'utf8')] as const);
    const unused = ALLOWED.filter(
      ({ path, text }) =>
        !texts.some(
          ([name, source]) => path.test(name) && new RegExp(text.source.replace(/[\^$]/g, ''), text.flags).test(source),
        ),
    );
    expect(unused).toEqual([]);
  });
});
