import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { circles, imports, type Import } from './support/folder-graph';

const PACKAGES = ['apps', 'libs'].flatMap((kind) => readdirSync(kind).map((name) => `${kind}/${name}`));

const files = imports();

function circlesOf(name: string): readonly (readonly string[])[] {
  return circles(files.filter(({ from, to }) => [from, to].every((file) => file.startsWith(`${name}/`))));
}

/**
 * A folder is a directory with the files that lie in it; a directory inside is a folder of its own. What lies in `src`
 * itself is a folder too, the top: since it composes what is below, nothing below may import from it, and no folder may
 * import from the one it lies in when that one imports from it. So each folder can be read, moved and tested with what it
 * imports and without what imports it.
 */
describe('the folders', () => {
  it('of every app and library are read', () => {
    expect(PACKAGES.filter((name) => !files.some(({ from, to }) => `${from} ${to}`.includes(`${name}/`)))).toEqual([]);
  });

  it.each(PACKAGES)('of %s import each other in no circle', (name) => {
    expect(circlesOf(name)).toEqual([]);
  });
});

describe('the floors of the gateway', () => {
  const GATEWAY = 'apps/gateway/src';
  const { forbidden } = createRequire(__filename)(resolve('.dependency-cruiser.cjs')) as {
    readonly forbidden: readonly { readonly name: string; readonly comment?: string }[];
  };
  const held = forbidden
    .filter(({ name }) => name.startsWith('gateway-floor-of-'))
    .map(({ name, comment = '' }) => `${/floor (\d+)/.exec(comment)?.[1]} ${name.replace('gateway-floor-of-', '')}`);
  const rows = readFileSync('docs/architecture.md', 'utf8').matchAll(/^\| (\d+) +\| (`[^|]+`) +\|/gm);
  const documented = [...rows].flatMap(([, floor = '', folders = '']) =>
    [...folders.matchAll(/`([\w-]+)\/`/g)].map(([, folder = '']) => `${floor} ${folder}`),
  );

  it('are the folders there are, each checked on import and described in docs/architecture.md', () => {
    const folders = readdirSync(GATEWAY, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? [entry.name] : [],
    );
    expect(documented.map((row) => row.split(' ')[1]).sort()).toEqual(folders.sort());
    expect(held).toEqual(documented);
  });

  it('are few', () => {
    expect(held.length).toBeLessThanOrEqual(12);
    expect(new Set(held.map((row) => row.split(' ')[0])).size).toBeLessThanOrEqual(8);
  });
});

describe('a circle', () => {
  const between = (...pairs: readonly (readonly [string, string])[]): readonly Import[] =>
    pairs.map(([from, to]) => ({ from, to }));

  it('is found through any number of folders, and once', () => {
    const planted = between(['a/x.ts', 'b/x.ts'], ['b/y.ts', 'c/x.ts'], ['c/y.ts', 'a/y.ts'], ['a/y.ts', 'd/x.ts']);
    expect(circles(planted)).toEqual([['a', 'b', 'c']]);
  });

  it('is also one between a folder and the folder it lies in', () => {
    expect(circles(between(['src/app.ts', 'src/jobs/a.ts'], ['src/jobs/b.ts', 'src/words.ts']))).toEqual([
      ['src', 'src/jobs'],
    ]);
  });

  it('is none where imports only go down, nor inside one folder', () => {
    const sound = between(
      ['src/app.ts', 'src/jobs/a.ts'],
      ['src/app.ts', 'src/deps.ts'],
      ['src/jobs/a.ts', 'src/io/b.ts'],
    );
    expect(circles(sound)).toEqual([]);
  });
});
