import { block, code, plain } from './markdown';
import { prefersMarkdown } from './report-markdown';

describe('quoting in Markdown', () => {
  it('removes emphasis, links, HTML and URLs from prose', () => {
    expect(plain('*a* _b_ [c](javascript:d) <e> `f` www.g.example h@i.example https://j.example')).toBe(
      '\\*a\\* \\_b\\_ \\[c\\](javascript\\:d) \\<e\\> \\`f\\` www\\.g.example h\\@i.example https\\://j.example',
    );
  });

  it.each([
    ['# a', '\\# a'],
    ['- a', '\\- a'],
    ['1. a', '1\\. a'],
    ['a\n\n# b', 'a # b'],
  ])('does not start a list or heading with %j', (text, shown) => {
    expect(plain(text)).toBe(shown);
  });

  it('uses a fence longer than any backtick run in the code', () => {
    expect([code('a'), code('a`b'), code('``'), code('')]).toEqual(['`a`', '``a`b``', '``` `` ```', '`  `']);
  });

  it('keeps a code span on its line', () => {
    expect(code('a\n\nb')).toBe('`a b`');
  });

  it('does not let the content end a block', () => {
    expect(block('a\n````\nb')).toBe('`````text\na\n````\nb\n`````');
  });
});

describe('content negotiation for Markdown', () => {
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
