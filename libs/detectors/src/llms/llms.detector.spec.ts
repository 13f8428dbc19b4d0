import { evidence, html, json, plain, status, type Reply } from '../../../../test/support/evidence';
import { probeSite } from '../../../../test/support/site';
import { llms } from './llms.detector';
import { runDetector } from '../run-detector';

const MAP = '# Example Shop\n\n> Sells lamps.\n\n## Docs\n\n- [API](https://shop.example.com/api.md): calls\n';
const at = (reply: Reply, rest?: Reply) => runDetector(llms, evidence({ '/llms.txt': reply }, rest));

describe('llms', () => {
  it('finds the file by its title line and counts decoded bytes', () => {
    const { cell, fixes } = at(plain(`${MAP}Привет\n`));
    expect(cell).toMatchObject({ id: 'llms', status: 'present', version: null });
    expect(cell.details).toMatchObject({ name: 'Example Shop', bytes: MAP.length + 13, sections: 1, links: 1 });
    expect(fixes).toEqual([]);
  });

  it('accepts a byte order mark and a text served as text/html', () => {
    const { cell } = at(plain(`\uFEFF${MAP}`, { headers: { 'content-type': 'text/html' } }));
    expect(cell).toMatchObject({ status: 'present', details: { findings: [{ id: 'served_as_html' }] } });
  });

  it.each([
    ['an HTML page', html(), 'html_not_machine_document'],
    ['an empty body', plain('  \n'), 'empty_body'],
    ['text without a title', plain('- https://shop.example.com/a\n'), 'llms_no_h1'],
    ['a title inside a code fence only', plain('```\n# not a title\n```\n'), 'llms_no_h1'],
  ])('reports %s as partial, with a fix', (_, reply, note) => {
    const { cell, fixes } = at(reply);
    expect(cell).toMatchObject({ status: 'partial', details: { note } });
    expect(fixes.map((fix) => fix.id)).toEqual(['llms.partial']);
  });

  it('is absent if there is nothing, with the deciding request and one fix', () => {
    const { cell, fixes } = at(status(404));
    expect(cell.status).toBe('absent');
    expect(cell.details['evidence']).toMatchObject([
      { method: 'GET', url: 'https://shop.example.com/llms.txt', status: 404 },
    ]);
    expect(fixes.map((fix) => fix.id)).toEqual(['llms.missing']);
  });

  const linking = (link: string) => ({ '/': html(undefined, { headers: { link } }) });
  it.each([
    ['by a header', linking('</docs/llms.txt>; rel="describedby"')],
    [
      'next to a copy',
      linking('</index.md>; rel="alternate"; type="text/markdown", </docs/llms.txt>; rel=describedby'),
    ],
    ['by the page', { '/': html('<!doctype html><link rel="describedby" href="/docs/llms.txt"><h1>Shop</h1>') }],
  ])('finds a file for a part of the site that is linked %s', async (_, home) => {
    for (const root of [status(404), html(), plain('')]) {
      const seen = await probeSite({ ...home, '/llms.txt': root, '/docs/llms.txt': plain(MAP) });
      const details = { path: '/docs/llms.txt', scope: '/docs/', foundVia: 'describedby' };
      expect(runDetector(llms, seen).cell).toMatchObject({ status: 'present', details });
    }
  });

  it.each([
    ['a schema', '</schema.json>; rel="describedby"'],
    ['a link to another site', '<https://other.example.net/docs/llms.txt>; rel="describedby"'],
    ['a link to another host', '<https://docs.example.com/llms.txt>; rel="describedby"'],
    ['the root itself', '</llms.txt>; rel="describedby"'],
  ])('is absent if the home page links %s', async (_, link) => {
    const seen = await probeSite(linking(link));
    expect(runDetector(llms, seen).cell.status).toBe('absent');
    expect(seen.exchanges.some(({ url }) => /schema|other|docs/.test(url))).toBe(false);
  });

  it('is absent, with a note, if the file is at a path that agents do not read', async () => {
    // In a full probe, a host that publishes little has no request left for it.
    const seen = await probeSite({ '/.well-known/llms.txt': plain(MAP) }, status(404), [llms]);
    expect(runDetector(llms, seen).cell).toMatchObject({ status: 'absent', details: { note: 'nonstandard_path' } });
    for (const other of [html(), plain('no title'), status(404)]) {
      const without = await probeSite({ '/.well-known/llms.txt': other }, status(404), [llms]);
      expect(runDetector(llms, without).cell.details).not.toHaveProperty('note');
    }
    const beside = await probeSite({ '/llms.txt': plain(MAP), '/.well-known/llms.txt': plain(MAP) });
    expect(runDetector(llms, beside).cell.status).toBe('present');
    expect(beside.at('/.well-known/llms.txt')).toBeUndefined();
  });

  it('only reads the root file if it is valid, and reports a Markdown copy of the home page', async () => {
    const links = '</docs/llms.txt>; rel="describedby", </index.md>; rel="alternate"; type="text/markdown"';
    const seen = await probeSite({ ...linking(links), '/llms.txt': plain(MAP), '/docs/llms.txt': plain('# Docs') });
    expect(runDetector(llms, seen).cell).toMatchObject({ status: 'present', details: { name: 'Example Shop' } });
    expect(seen.at('/docs/llms.txt')).toBeUndefined();
    const copy = await probeSite(linking('</index.md>; rel="alternate"; type="text/markdown"'));
    expect(runDetector(llms, copy).cell).toMatchObject({ status: 'absent', details: { markdownAlternate: true } });
  });

  it('reads a text that starts with a link, which looks like JSON', () => {
    const links = '[API](https://shop.example.com/api.md)\n';
    expect(at(plain(`${links}# Shop\n`)).cell).toMatchObject({
      status: 'present',
      details: { name: 'Shop', links: 1 },
    });
    expect(at(plain(links)).cell).toMatchObject({ status: 'partial', details: { note: 'llms_no_h1' } });
    expect(at(plain(`${links}# Shop\n`, { truncated: true })).cell).toMatchObject({
      status: 'present',
      details: { truncated: true },
    });
    expect(at(json('[{"a":1},', { truncated: true })).cell).toMatchObject({ status: 'error' });
    expect(at(json('{"error": "no map here"')).cell.status).toBe('absent');
  });

  it('counts links wrapped over lines, finds the companion file, and reads a heading without its marks', () => {
    const map = '# Shop ##\n\n> Lamps.\n\n## Optional\n\n- [Lamp\n  index](https://shop.example.com/llms-full.txt)\n';
    expect(at(plain(map)).cell.details).toMatchObject({ name: 'Shop', links: 1, hasFull: true });
  });

  it.each([
    ['several_h1', `${MAP}# Another\n`],
    ['no_summary', MAP.replace('> ', '')],
    ['no_links', '# Shop\n\n> Lamps.\n'],
    ['malformed_links', `${MAP}- [x] (https://shop.example.com/x)\n`],
    ['large_map', `${MAP}${'text '.repeat(12_000)}`],
    ['longer_than_agents_read', `${MAP}${'text '.repeat(25_000)}`],
    ['invalid_utf8', `${MAP}\uFFFD\n`],
  ])('notes %s and stays present', (id, map) => {
    const { cell, fixes } = at(plain(map));
    expect(cell).toMatchObject({ status: 'present', details: { findings: [{ id, at: '/llms.txt' }] } });
    expect(fixes).toEqual([]);
  });
});
