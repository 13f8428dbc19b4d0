import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';

/** One function each; `wrong` marks where a promise can reject without a handler. */
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

describe('the lint rule on the order of promises', () => {
  it('finds each promise that is begun before another one is awaited, and nothing else', () => {
    const [eslint, file] = ['node_modules/eslint/bin/eslint.js', 'apps/gateway/src/main.ts'];
    const select = ['--format', 'json', '--stdin', '--stdin-filename', file];
    const command = `${process.execPath} ${[resolve(eslint), ...select].join(' ')} || true`;
    const said = execFileSync('sh', ['-c', command], { input: TEXT, encoding: 'utf8' });
    const [{ messages }] = JSON.parse(said) as [{ messages: readonly { ruleId: string; line: number }[] }];
    const found = messages.filter(({ ruleId }) => ruleId === 'hostprobe/promise-order').map(({ line }) => line);
    const wrong = TEXT.split('\n').flatMap((line, at) => (line.endsWith('// wrong') ? [at + 1] : []));
    expect(wrong).toHaveLength(9);
    expect(found).toEqual(wrong);
  });
});
