import { html, quoted } from './html';

describe('html', () => {
  it('escapes text everywhere', () => {
    const evil = `"><script>alert('1')</script>&`;
    expect(html`<a title="${evil}">${evil}</a>`.markup).toBe(
      '<a title="&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;">' +
        '&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;</a>',
    );
  });

  it('keeps its own markup, also in lists', () => {
    const items = ['a', '<b>'].map((item) => html`<i>${item}</i>`);
    expect(html`<p>${items}</p>`.markup).toBe('<p><i>a</i><i>&lt;b&gt;</i></p>');
  });

  it('renders missing values as nothing, and zero as zero', () => {
    expect(html`${undefined}${null}${false}${0}`.markup).toBe('0');
  });

  it('drops control, bidirectional and zero-width characters, and those that XML forbids', () => {
    expect(html`${'a\u0000\u001B[31m\u202Eb\u2066\u200B\uFEFFc\uFFFE\uFFFFd\u0085'}`.markup).toBe('a[31mbcd');
  });
});

describe('a quotation', () => {
  it('is cut, and isolated from the text around it', () => {
    expect(quoted('א'.repeat(400), 10).markup).toBe(`<bdi>${'א'.repeat(9)}…</bdi>`);
  });
});
