import { block, code, plain } from './markdown';
import { prefersMarkdown } from './report-markdown';

describe('quoting in Markdown', () => {
  it('leaves no emphasis, link, HTML or address in prose', () => {
    expect(plain('*a* _b_ [c](javascript:d) <e> `f` www.g.example h@i.example https://j.example')).toBe(
      '\\*a\\* \\_b\\_ \\[c\\](javascript\\:d) \\<e\\> \\`f\\` www\\.g.example h\\@i.example https\\://j.example',
    );
  });

  it.each([
    ['# a', '\\# a'],
    ['- a', '\\- a'],
    ['1. a', '1\\. a'],
    ['a\n\n# b', 'a # b'],
  ])('%j starts nothing', (text, shown) => {
    expect(plain(text)).toBe(shown);
  });

  it('fences code more widely than it is tall', () => {
    expect([code('a'), code('a`b'), code('``'), code('')]).toEqual(['`a`', '``a`b``', '``` `` ```', '`  `']);
  });

  it('keeps a code span on its line', () => {
    expect(code('a\n\nb')).toBe('`a b`');
  });

  it('ends a block only where it ends', () => {
    expect(block('a\n````\nb')).toBe('`````text\na\n````\nb\n`````');
  });
});

describe('asking for Markdown', () => {
  it.each([
    ['text/markdown', true],
    ['text/markdown, text/html;q=0.9, */*;q=0.1', true],
    ['text/html, text/markdown', true],
    ['text/html, text/markdown;q=0.5', false],
    ['text/markdown;q=0', false],
    ['text/markdown;q=x', false],
    ['*/*', false],
    ['text/*', false],
    [undefined, false],
  ])('%s: %s', (accept, prefers) => {
    expect(prefersMarkdown(accept)).toBe(prefers);
  });
});
