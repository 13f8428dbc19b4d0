import { existsSync, readFileSync } from 'node:fs';

/** A document as one line, links as their words. */
const plain = (path: string): string =>
  readFileSync(path, 'utf8')
    .replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replace(/\s+/g, ' ');

const THREATS = readFileSync('docs/threat-model.md', 'utf8');
const PROMISES = [
  ...THREATS.split(/^## /m)
    .find((part) => part.startsWith('What other documents promise'))!
    .matchAll(/^\| (\S+\.md) +\| (.+?) +\| `([^`]+)`: (.+?) +\|$/gm),
].map(([, name = '', says = '', test = '', title = '']) => {
  return { document: name === 'README.md' ? name : `docs/${name}`, says, test, title };
});

/** What a document lists: the text between one bullet and the next, or the end of the list. */
const bulletsOf = (document: string): readonly string[] =>
  [...plain(document).matchAll(/ - (.+?)(?= - | #|$)/g)].map(([, text = '']) => text);

describe('what documents promise about safety', () => {
  it.each(PROMISES)('$document says "$says", and $test holds it', ({ document, says, test, title }) => {
    expect(plain(document)).toContain(says);
    expect(readFileSync(test, 'utf8')).toContain(title);
  });

  it('names only specs that exist', () => {
    for (const document of ['docs/threat-model.md', 'docs/egress.md', 'README.md']) {
      const named = [...plain(document).matchAll(/`([\w./-]+spec\.ts)`/g)].map(([, path = '']) => path);
      expect(named.filter((path) => !existsSync(path))).toEqual([]);
    }
  });

  it('is listed in the threat model, each bullet of the README and of the guide to egress', () => {
    const readme = bulletsOf('README.md').filter((text) => text.startsWith('**'));
    const egress = bulletsOf('docs/egress.md').filter((text) => !text.startsWith('Give a worker no cloud role'));
    expect([readme.length, egress.length]).toEqual([6, 2]);
    const unheld = (document: string, bullets: readonly string[]): readonly string[] =>
      bullets.filter(
        (text) => !PROMISES.some((promise) => promise.document === document && text.includes(promise.says)),
      );
    expect([...unheld('README.md', readme), ...unheld('docs/egress.md', egress)]).toEqual([]);
  });
});
