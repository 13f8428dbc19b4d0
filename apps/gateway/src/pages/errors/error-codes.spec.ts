import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PAY_INTENTS } from '@app/reports';
import { ERROR_CODES, findErrorCode } from './error-codes';

const ROOT = join(__dirname, '../../../../..');
const SOURCES = ['apps/gateway/src', 'libs/payments/src', 'libs/limits/src'];

function sourcesIn(directory: string): readonly string[] {
  return readdirSync(join(ROOT, directory), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts') && !file.startsWith('pages/errors'))
    .map((file) => readFileSync(join(ROOT, directory, file), 'utf8'));
}

/** The ways in which a code is written down: in a thrown error, a table of sentences, a class, an answer of its own. */
const WRITTEN = [
  /RequestError\(\s*\d{3},\s*'([a-z0-9_]+)'/g,
  /\bcode[:=]\s*'([a-z0-9_]+)'/g,
  /readonly code = '([a-z0-9_]+)'/g,
  /PaymentUnavailableError\(\s*'([a-z0-9_]+)'/g,
  /^ {2}\d{3}: \['([a-z0-9_]+)'/gm,
  /retriable\(\d{3}, '([a-z0-9_]+)'/g,
  /this\.refusal\(\s*(?:offer|host),\s*'([a-z0-9_]+)'/g,
  /refuse\(request, \d{3}, [\w.]+, '([a-z0-9_]+)'/g,
  /addressArgument\(.*, '([a-z0-9_]+)'\)/g,
  /reason\?\.code \?\? '([a-z0-9_]+)'/g,
];

/** A table of codes and sentences, by the constant that holds it. */
const TABLE = /const (?:SENTENCES|CONFLICTS) = \{([^}]+)\} as const/g;

/** A broken rule of an argument is `invalid_` and the argument's name. */
const ARGUMENTS = /^ {2}(\w+)[?!]: /gm;

/** What the one group of a pattern matched, wherever it matched. */
function namesIn(source: string, pattern: RegExp): readonly string[] {
  return [...source.matchAll(pattern)].map((match) => match[1] ?? '');
}

function codesIn(source: string): readonly string[] {
  const written = WRITTEN.flatMap((pattern) => namesIn(source, pattern));
  const listed = namesIn(source, TABLE).flatMap((table) => namesIn(table, /^ {2}([a-z0-9_]+):/gm));
  const rules = source.includes("from 'class-validator'")
    ? namesIn(source, ARGUMENTS).map((name) => `invalid_${snake(name)}`)
    : [];
  return [...written, ...listed, ...rules];
}

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

describe('the table of error codes', () => {
  const thrown = [...new Set(SOURCES.flatMap(sourcesIn).flatMap(codesIn))].sort();

  it('is held against what the sources throw', () => {
    expect(thrown).toEqual(expect.arrayContaining(['invalid_domain', 'probe_timeout', 'no_worker', 'rate_limited']));
    expect(thrown.length).toBeGreaterThan(50);
  });

  it('has an entry for every code that is thrown', () => {
    expect(thrown.filter((code) => findErrorCode(code) === undefined)).toEqual([]);
  });

  it('has no entry that nothing throws', () => {
    // Said with words that are put together, or by the chain.
    const composed = ['subscription_expired', 'subscription_revoked', 'settle_failed', 'authorization_canceled'];
    expect(Object.keys(ERROR_CODES).filter((code) => ![...thrown, ...composed].includes(code))).toEqual([]);
  });

  it.each(Object.entries(ERROR_CODES))('%s says what happened and what to do', (_, { status, what, remedy }) => {
    expect(status).toBeGreaterThanOrEqual(400);
    expect([what, remedy]).toEqual([expect.stringMatching(/^[A-Z].*\.$/), expect.stringMatching(/^[A-Z].*\.$/)]);
  });

  it('tells whoever names no intent of ours the intents there are', () => {
    expect(PAY_INTENTS.filter((intent) => !ERROR_CODES.invalid_intent.remedy.includes(intent))).toEqual([]);
  });

  it('knows no inherited names', () => {
    expect(findErrorCode('constructor')).toBeUndefined();
  });
});
