import { DETECTORS, judgeHost } from '@app/detectors';
import { assembleFacts, cacheState, REASONS, type HostReport } from '@app/reports';
import { cell, hostName, rail } from '../../../../../test/support/report';
import { probeSite } from '../../../../../test/support/site';
import { additionSection, fixSection } from './fixes';
import { reportMarkdown } from '../../reports/report-markdown';

const BASE = 'https://hostprobe.example.org';
const AT = '2026-11-01T12:00:00.000Z';

/** A host that publishes nothing: one fix for each protocol but ACP. */
async function bareReport(): Promise<HostReport> {
  const judged = judgeHost(DETECTORS, await probeSite({}));
  const facts = assembleFacts({
    host: hostName(),
    origin: 'https://shop.example.com',
    reachable: true,
    ...judged,
    rails: { payable: false, checkedAt: AT, rails: [] },
    clocks: { probedAt: AT, callabilityProbedAt: AT },
  });
  const rest = { method: 'GET', url: `${BASE}/refresh` };
  return {
    ...facts,
    cache: cacheState(facts, new Date(AT)),
    refresh: { priceUsd: 0.02, rest },
  } as unknown as HostReport;
}

const idsIn = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(/\b([a-z0-9-]+\.(?:missing|partial))\b/g)].map(([id]) => id)),
];

describe('the report of a host that could not be checked', () => {
  it('has its cause and remedy in Markdown, and no empty sections', async () => {
    const bare = await bareReport();
    const protocols = bare.protocols.map(({ id }) => cell(id, 'error', { reason: 'timeout' }));
    const report = { ...bare, reachable: false, fixes: [], protocols };
    const markdown = reportMarkdown({ report, changes: { changes: [] } as never }, BASE);
    expect(markdown).toContain(REASONS.timeout.what);
    expect(markdown).toContain(REASONS.timeout.remedy);
    expect(markdown.match(/^## .*/gm)).toEqual(['## Evidence', '## More']);
  });
});

describe('the fixes of a host that publishes nothing', () => {
  it('are all in the JSON, payment first and the retired plugin last, each with effort and reason', async () => {
    const { fixes } = await bareReport();
    expect(fixes).toHaveLength(10);
    expect(fixes.map(({ priority }) => priority)).toEqual([1, 1, 1, 2, 2, 2, 2, 2, 3, 3]);
    expect(fixes.at(-1)).toMatchObject({ id: 'ai-plugin.missing', why: expect.stringContaining('Retired') });
    for (const { effort, why } of fixes)
      expect([effort, why]).toEqual([expect.any(String), expect.stringMatching(/\.$/)]);
  });

  const shownIn = (text: string, { fixes }: HostReport) =>
    fixes.map(({ id }) => id).filter((id) => text.includes(`<code>${id}</code>`) || text.includes(`\`${id}\``));
  const NOT_SELLING = ['llms.missing', 'openapi.missing', 'mcp.missing', 'a2a.missing', 'tap.missing'];
  const SELLING = ['ap2.missing', 'x402.missing', 'mpp.missing', 'ucp.missing'];

  it('do not tell a host that sells nothing to take payments, and leave out what is retired', async () => {
    const report = await bareReport();
    expect(shownIn(fixSection(report, BASE)!.markup, report)).toEqual(NOT_SELLING);
    expect(shownIn(additionSection(report, BASE)!.markup, report)).toEqual(SELLING);
    const markdown = reportMarkdown({ report, changes: { changes: [] } as never }, BASE);
    const [, fixes = '', additions = ''] = markdown.split(/\n## What (?:to fix|you could add)/);
    expect(idsIn(fixes)).toEqual(NOT_SELLING);
    expect(idsIn(additions.split('\n## ')[0]!)).toEqual(SELLING);
    expect(markdown).not.toContain('ai-plugin.missing');
    expect(fixes).toContain('Effort: hours.');
  });

  it('start with five if a host sells, and fold the others below', async () => {
    const bare = await bareReport();
    const report = { ...bare, paymentRails: { ...bare.paymentRails, rails: [rail({ reasons: ['amount_zero'] })] } };
    const all = [...SELLING.slice(0, 3), 'llms.missing', 'openapi.missing', 'ucp.missing', ...NOT_SELLING.slice(2)];
    const page = fixSection(report, BASE)!.markup;
    const [led = '', folded = ''] = page.slice(page.indexOf('<ol')).split('<summary>4 more</summary>');
    expect([shownIn(led, report), shownIn(folded, report)]).toEqual([all.slice(0, 5), all.slice(5)]);
    expect(additionSection(report, BASE)).toBeUndefined();
    const markdown = reportMarkdown({ report, changes: { changes: [] } as never }, BASE);
    const [first = '', rest = ''] = markdown.slice(markdown.indexOf('## What to fix')).split('### 4 more');
    expect([idsIn(first), idsIn(rest.split('\n## ')[0]!)]).toEqual([all.slice(0, 5), all.slice(5)]);
  });

  it('mention no host but this one, and name one release of each protocol', async () => {
    const text = (await bareReport()).fixes.map(({ fix }) => fix).join('\n');
    const names = new Set([...text.matchAll(/[\w.-]*example\.(?:com|org)\b/g)].map(([name]) => name));
    expect([...names]).toEqual(['shop.example.com']);
    expect(new Set([...text.matchAll(/ucp\.dev\/(\d{4}-\d\d-\d\d)/g)].map((match) => match[1])).size).toBe(1);
    expect(text).not.toMatch(/\{(?:reversed )?host\}|Example (?:Shop|API)/);
  });
});
