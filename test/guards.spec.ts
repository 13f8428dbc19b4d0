import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A guard, and a one-line fault in it. */
interface Mutation {
  readonly guard: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly specs: string;
}

const GUARDS = JSON.parse(readFileSync('scripts/guards.json', 'utf8')) as readonly Mutation[];

const specs = ['apps', 'libs', 'packages', 'test'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('spec.ts'))
    .map((path) => join(folder, path)),
);

const THREATS = readFileSync('docs/threat-model.md', 'utf8');
const sectionOf = (title: string): string => THREATS.split(/^## /m).find((part) => part.startsWith(title))!;

describe('the threats and their countermeasures', () => {
  const rows = sectionOf('Threats and answers')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2);

  it.each(rows.map((row) => [row.split('|')[1]!.trim(), row] as const))('%s: the spec exists', (_threat, row) => {
    const named = [...row.matchAll(/`([^`]+spec\.ts)`/g)].map(([, path = '']) => path);
    expect(named).not.toEqual([]);
    expect(named.filter((path) => !existsSync(path))).toEqual([]);
  });
});

describe('the guards that are proven by mutation', () => {
  it('are at least forty, and exactly those of the threat model', () => {
    const listed = [...sectionOf('Guards that').matchAll(/^\| (.+?) +\| `(.+?)` +\|$/gm)].map(([, guard, file]) => [
      guard,
      file,
    ]);
    expect(listed).toEqual(GUARDS.map(({ guard, file }) => [guard, file]));
    expect(new Set(GUARDS.map(({ guard }) => guard)).size).toBeGreaterThanOrEqual(40);
  });

  it.each(GUARDS)(
    '$guard: its line occurs once in $file, and its specs exist',
    ({ file, from, to, specs: pattern }) => {
      expect(existsSync(file)).toBe(true);
      expect(readFileSync(file, 'utf8').split(from).length - 1).toBe(1);
      expect(to).not.toBe(from);
      const killers = specs.filter((path) => new RegExp(pattern).test(path));
      expect(killers).not.toEqual([]);
      // This spec fails for every broken guard because the line is missing, which proves nothing.
      expect(killers).not.toContain('test/guards.spec.ts');
    },
  );
});
