import { DETECTORS, judgeHost } from '@app/detectors';
import { assembleFacts, cacheState, type HostReport } from '@app/reports';
import { hostName } from '../../../../../test/support/report';
import { probeSite } from '../../../../../test/support/site';
import { fixList } from './fixes';
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

describe('the fixes of a host that publishes nothing', () => {
  it('are all in the JSON, payment first and the retired plugin last, each with effort and reason', async () => {
    const { fixes } = await bareReport();
    expect(fixes).toHaveLength(10);
    expect(fixes.map(({ priority }) => priority)).toEqual([1, 1, 1, 2, 2, 2, 2, 2, 3, 3]);
    expect(fixes.at(-1)).toMatchObject({ id: 'ai-plugin.missing', why: expect.stringContaining('Retired') });
    for (const { effort, why } of fixes)
      expect([effort, why]).toEqual([expect.any(String), expect.stringMatching(/\.$/)]);
  });

  it('show five on the page, and the others folded below', async () => {
    const report = await bareReport();
    const page = fixList(report, BASE).markup;
    const [led = '', folded = ''] = page.slice(page.indexOf('<ol')).split('<summary>5 more</summary>');
    const ids = report.fixes.map(({ id }) => id);
    const shown = (part: string) => ids.filter((id) => part.includes(`<code>${id}</code>`));
    expect([shown(led), shown(folded)]).toEqual([ids.slice(0, 5), ids.slice(5)]);
  });

  it('show five in Markdown, and the others in one line each', async () => {
    const report = await bareReport();
    const markdown = reportMarkdown({ report, changes: { changes: [] } as never }, BASE);
    const ids = report.fixes.map(({ id }) => id);
    const [led = '', folded = ''] = markdown.slice(markdown.indexOf('## What to fix')).split('### 5 more');
    expect(idsIn(led)).toEqual(ids.slice(0, 5));
    expect(idsIn(folded.split('\n## ')[0]!)).toEqual(ids.slice(5));
    expect(led).toContain('Effort: hours.');
  });
});
