import { evidence, failure, html, json, plain, status, type Reply } from '../../../test/support/evidence';
import { llms } from './llms.detector';
import { runDetector } from './run-detector';

const MAP = '# Example Shop\n\n> Sells lamps.\n\n## Docs\n\n- [API](https://shop.example.com/api.md): calls\n';
const at = (reply: Reply, rest?: Reply) => runDetector(llms, evidence({ '/llms.txt': reply }, rest));

describe('llms', () => {
  it('finds a map by its title line and counts decoded octets', () => {
    const { cell, fixes } = at(plain(`${MAP}Привет\n`));
    expect(cell).toMatchObject({ id: 'llms', status: 'present', version: null });
    expect(cell.details).toMatchObject({ name: 'Example Shop', bytes: MAP.length + 13, sections: 1, links: 1 });
    expect(fixes).toEqual([]);
  });

  it('accepts a byte order mark and a text served as text/html', () => {
    expect(at(plain(`\uFEFF${MAP}`, { headers: { 'content-type': 'text/html' } })).cell.status).toBe('present');
  });

  it.each([
    ['an HTML page', html(), 'html_not_machine_document'],
    ['an empty body', plain('  \n'), 'empty_body'],
    ['text without a title', plain('- https://shop.example.com/a\n'), 'llms_no_h1'],
    ['a title inside a code fence only', plain('```\n# not a title\n```\n'), 'llms_no_h1'],
  ])('calls %s partial and says how to mend it', (_, reply, note) => {
    const { cell, fixes } = at(reply);
    expect(cell).toMatchObject({ status: 'partial', details: { note } });
    expect(fixes.map((fix) => fix.id)).toEqual(['llms.partial']);
  });

  it('stays partial on a host that shows one page for everything, and says so', () => {
    expect(at(html(), html()).cell).toMatchObject({ status: 'partial', details: { catchAll: true } });
  });

  it('is absent when nothing is there, with the request that proves it and one fix', () => {
    const { cell, fixes } = at(status(404));
    expect(cell.status).toBe('absent');
    expect(cell.details['evidence']).toMatchObject([
      { method: 'GET', url: 'https://shop.example.com/llms.txt', status: 404 },
    ]);
    expect(fixes.map((fix) => fix.id)).toEqual(['llms.missing']);
  });

  it('is absent when an API gateway says the same to everything', () => {
    expect(at(json({ message: 'ok' }), json({ message: 'ok' })).cell.status).toBe('absent');
  });

  it.each([
    [
      '429',
      status(429, { headers: { 'retry-after': '30' } }),
      { reason: 'rate_limited', statusCode: 429, retryAfterSec: 30 },
    ],
    ['403', status(403), { reason: 'forbidden', statusCode: 403 }],
    ['500', status(500), { reason: 'server_error', statusCode: 500 }],
    ['a bot wall', html('', { status: 403, headers: { 'cf-mitigated': 'challenge' } }), { reason: 'bot_challenge' }],
    ['a timeout', failure('timeout'), { reason: 'timeout' }],
  ])('never calls %s absent', (_, reply, details) => {
    const { cell, fixes } = at(reply);
    expect(cell).toMatchObject({ status: 'error', details });
    expect(fixes).toEqual([]);
  });

  it('notes several titles, malformed links and a map longer than agents read', () => {
    const long = `# A\n# B\n- [x] (https://shop.example.com/x)\n${'text '.repeat(25_000)}`;
    const ids = (at(plain(long)).cell.details['findings'] as { id: string }[]).map((finding) => finding.id);
    expect(ids).toEqual(['several_h1', 'no_links', 'malformed_links', 'longer_than_agents_read']);
  });
});
