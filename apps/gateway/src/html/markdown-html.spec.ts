import { markdownHtml } from './markdown-html';

const hrefOf = (target: string) => (target.startsWith('https:') ? target : undefined);
const markup = (source: string) =>
  markdownHtml(source, hrefOf)
    .map((block) => block.markup)
    .join('');

describe('Markdown as a page', () => {
  it.each([
    ['# One\n## Two\n### Three\ntext', '<h1>One</h1><h2>Two</h2><h3>Three</h3><p>text</p>'],
    ['one\ntwo\n\n\nthree\r\nfour', '<p>one two</p><p>three four</p>'],
    ['- one\n  goes on\n- two\n\nafter', '<ul><li>one goes on</li><li>two</li></ul><p>after</p>'],
    [
      'The operator\n1. reads\n2. answers\n- then',
      '<p>The operator</p><ol><li>reads</li><li>answers</li></ol><ul><li>then</li></ul>',
    ],
    [
      '**a** `b` [c](https://c.example.com/)',
      '<p><strong>a</strong> <code>b</code> <a href="https://c.example.com/">c</a></p>',
    ],
    ['', ''],
  ])('%j', (source, expected) => {
    expect(markup(source)).toBe(expected);
  });

  it('shows markup of the file as text', () => {
    expect(markup('<script>x</script> **<b>** `<i>` [<u>](https://x/"onload=)')).toBe(
      '<p>&lt;script&gt;x&lt;/script&gt; <strong>&lt;b&gt;</strong> <code>&lt;i&gt;</code> <a href="https://x/&quot;onload=">&lt;u&gt;</a></p>',
    );
  });

  it('shows the text of a link that leads nowhere', () => {
    expect(markup('[a](javascript:x) [b](../b.md)')).toBe('<p>a b</p>');
  });
});
