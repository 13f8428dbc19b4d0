import { gzipSync } from 'node:zlib';
import { FIGURES } from '@app/census';
import type { CensusDay } from '@app/persistence';
import { COUNTED_DAYS as DAYS } from '../../../../test/support/census-days';
import { censusDay, censusPage } from './census-page';
import { CensusDays } from './census-days';
import type { PageDeps, PageRequest } from './page-definition';
import { layout } from './registry';

async function bodyOf(days: readonly CensusDay[], query: object = {}): Promise<string> {
  const census = new CensusDays({ newest: () => Promise.resolve(days) });
  const deps = { census, layout, site: { baseUrl: 'https://probe.example' } } as unknown as PageDeps;
  const answer = await censusPage.render(deps, { query } as unknown as PageRequest);
  return 'body' in answer ? String(answer.body) : '';
}
const onOneLine = (text: string) => text.replaceAll(/\s+/g, ' ');
async function documentOf(days: readonly CensusDay[], day: string) {
  const census = new CensusDays({
    newest: (_most, until) => {
      if (!/^20\d\d-1[12]-\d\d$/.test(until ?? '')) throw new Error('Postgres takes no such day');
      return Promise.resolve(days.filter((one) => one.day <= until!));
    },
  });
  const answer = await censusDay.render(
    { census } as unknown as PageDeps,
    { params: { day } } as unknown as PageRequest,
  );
  return JSON.parse('body' in answer ? String(answer.body) : '') as {
    figures: { id: string; query: string; rows: { percent: number | null }[] }[];
  };
}

describe('the page of the census', () => {
  it('says of every figure what it counts, over what and by which query, beside chart and table', async () => {
    const body = onOneLine(await bodyOf(DAYS));
    const sections = new Map(
      body
        .split('<section aria-labelledby="')
        .slice(1)
        .map((part) => [part.slice(0, part.indexOf('"')), part]),
    );
    expect([...sections.keys()]).toEqual(FIGURES.map(({ id }) => id));
    const plain = (text: string) =>
      text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&gt;', '>');
    for (const { id, definition, denominator, sql } of FIGURES) {
      const section = plain(sections.get(id)!);
      for (const said of [definition, denominator, sql, '<svg', '<table>', '1000003', '70123'])
        expect(section).toContain(onOneLine(said));
    }
  });

  it('takes less than 20 KB on the way, as full as it can be', async () => {
    expect(gzipSync(await bodyOf(DAYS)).length).toBeLessThan(20_000);
  });

  it('needs no script and runs none', async () => {
    expect((await bodyOf(DAYS)).match(/<script[^>]*>/g)).toHaveLength(1);
    expect(await bodyOf(DAYS)).not.toMatch(/ style=| on\w+=/);
  });

  it('shows what is dead under the definition that is asked for, and under the first one otherwise', async () => {
    for (const [at, { name }] of DAYS[0]!.figures['dead']!.entries()) {
      expect(onOneLine(await bodyOf(DAYS, { dead: name }))).toContain(`: ${70_123 + at} of 1000003</span`);
    }
    for (const dead of ['<b>', ['a', 'b'], undefined]) {
      const body = onOneLine(await bodyOf(DAYS, { dead }));
      expect([body.includes(': 70123 of 1000003</span'), body.includes('<b>"')]).toEqual([true, false]);
    }
  });

  it('shows adoption over time where more than one day was counted', async () => {
    expect(await bodyOf(DAYS)).toContain('Adoption over time');
    expect(await bodyOf(DAYS.slice(0, 1))).not.toContain('Adoption over time');
  });

  it('says that there is none where none was counted', async () => {
    expect(await bodyOf([])).toContain('No census was counted here yet');
  });
});

describe('the figures of a day as JSON', () => {
  it('are those of that day, with shares and queries', async () => {
    const { figures } = await documentOf(DAYS, '2026-11-20');
    expect(figures.map(({ id, query }) => [id, query])).toEqual(FIGURES.map(({ id, sql }) => [id, sql]));
    for (const { rows } of figures) for (const row of rows) expect(row.percent).toBe(7);
  });

  it('have no share of nothing', async () => {
    const figures = { signals: [{ name: 'a', hosts: 0, total: 0 }] };
    const { figures: all } = await documentOf([{ ...DAYS[0]!, figures }], DAYS[0]!.day);
    expect(all.find(({ id }) => id === 'signals')?.rows).toEqual([{ name: 'a', hosts: 0, total: 0, percent: null }]);
  });

  it.each(['2026-12-01', '2026-02-31', '0000-01-01', 'latest', '', '2026-11-20x'])(
    'are not there of %j',
    async (day) => {
      await expect(documentOf(DAYS, day)).rejects.toMatchObject({ code: 'census_unknown' });
    },
  );
});
