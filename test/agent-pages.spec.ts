import { readdirSync, readFileSync } from 'node:fs';

const PAGES = readdirSync('docs/agents').filter((name) => name !== 'README.md');
const EXAMPLES = readdirSync('examples').filter((name) => /\.(?:mjs|json)$/.test(name) && !name.startsWith('package'));
const pageOf = (name: string): string => readFileSync(`docs/agents/${name}`, 'utf8');

/** The code on a page, and the file in `examples/` that it links to. */
function shownBy(text: string): { readonly code: string; readonly file: string } {
  return {
    code: /^```\w+\n(.*?)^```$/ms.exec(text)?.[1] ?? '',
    file: /\]\(\.\.\/\.\.\/examples\/([\w.-]+)\)/.exec(text)?.[1] ?? '',
  };
}

describe('the pages for agents', () => {
  it('contain each example once, and are all listed', () => {
    expect(PAGES.map((name) => shownBy(pageOf(name)).file).sort()).toEqual(EXAMPLES.toSorted());
    expect(PAGES.filter((name) => !pageOf('README.md').includes(`](${name})`))).toEqual([]);
  });

  it.each(PAGES)('%s shows its file unchanged, in at most 60 lines', (name) => {
    const { code, file } = shownBy(pageOf(name));
    expect(code).toBe(readFileSync(`examples/${file}`, 'utf8'));
    expect(code.split('\n').length).toBeLessThanOrEqual(61);
  });
});
