import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Each is one function; `wrong` marks a promise that can reject without a handler. */
const TEXT = `
declare function begin(value?: unknown): Promise<number>;
declare function other(): Promise<void>;
declare const many: readonly number[];
declare const flag: boolean;
const keep = (...values: readonly unknown[]): void => void values;
export const functions = [
  async () => {
    const begun = begin(); // wrong
    await other();
    keep(await begun);
  },
  async () => {
    const begun = flag ? begin() : 1; // wrong
    if (flag) await other();
    return begun;
  },
  async () => {
    let begun: Promise<number> | undefined;
    begun = begin(); // wrong
    for await (const value of [1]) keep(value);
    return begun;
  },
  async () => {
    const begun = many.map((value) => begin(value)); // wrong
    await other();
    await Promise.all(begun);
  },
  async () => {
    const [first, begun] = [1, begin()]; // wrong
    await other();
    await begun;
    return first;
  },
  async () => {
    await Promise.all([
      begin(), // wrong
      (await other(), 1),
    ]);
  },
  async () => {
    keep(
      begin(), // wrong
      await other(),
    );
  },
  async () => ({
    begun: await begin(),
    other: begin(), // wrong
    last: await other(),
  }),
  async () => {
    const begun = many.map((value) => begin(value));
    for (const one of begun) await one; // wrong
  },
  async () => {
    const begun = begin();
    return Promise.all([begun, other()]);
  },
  async () => {
    const begun = begin();
    const both = await Promise.all([other(), begun]);
    await other();
    return both;
  },
  async () => {
    const first = await begin();
    await other();
    return first;
  },
  async () => {
    const begun = begin().catch(() => 0);
    await other();
    return begun;
  },
  async () => {
    const begun = Promise.allSettled([begin(), begin()]);
    await other();
    return begun;
  },
  async () => {
    const later = () => begin();
    await other();
    return later();
  },
  async () => {
    const begun = begin();
    begun.catch(keep);
    await other();
    return begun;
  },
  async () => {
    await other();
    keep(await begin(), begin());
  },
];
`;

/**
 * Lints only this file, because reading the types of the whole program takes ten seconds. Runs in a program of its own,
 * because ESLint has no CommonJS build.
 */
const LINT = `
import { readFileSync } from 'node:fs';
import { Linter } from 'eslint';
import parser from '@typescript-eslint/parser';
import ts from 'typescript';
import { promiseOrder } from './eslint-promise-order.mjs';
const file = process.argv[1];
const programs = [ts.createProgram([file], { target: ts.ScriptTarget.ES2022, strict: true, types: [] })];
const languageOptions = { parser, parserOptions: { programs } };
const plugins = { own: { rules: { 'promise-order': promiseOrder } } };
const config = { files: ['**/*.ts'], languageOptions, plugins, rules: { 'own/promise-order': 'error' } };
console.log(JSON.stringify(new Linter({ cwd: '/' }).verify(readFileSync(file, 'utf8'), [config], file)));
`;

describe('the lint rule on the order of promises', () => {
  it('finds each promise that is started before another one is awaited, and nothing else', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'lint-')), 'functions.ts');
    writeFileSync(file, TEXT);
    const said = execFileSync(process.execPath, ['--input-type=module', '-e', LINT, file], { encoding: 'utf8' });
    const found = (JSON.parse(said) as readonly { readonly line: number }[]).map(({ line }) => line);
    const wrong = TEXT.split('\n').flatMap((line, at) => (line.endsWith('// wrong') ? [at + 1] : []));
    expect(wrong).toHaveLength(9);
    expect(found).toEqual(wrong);
  });
});
