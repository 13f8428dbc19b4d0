import type { ChangeSummary, HostReport } from '@app/reports';
import { cell, rail } from '../../../../../test/support/report';
import { timeline } from './timeline';

const report = {
  probedAt: '2026-11-22T00:00:00.000Z',
  protocols: [cell('llms'), cell('mcp', 'absent')],
  paymentRails: { payable: false, checkedAt: null, rails: [] },
} as unknown as HostReport;

const change = (id: string, at: string, protocol: string, kind: ChangeSummary['kind']): ChangeSummary => ({
  id,
  at: `${at}T00:00:00.000Z`,
  protocol,
  kind,
  summary: `${protocol} ${kind}`,
});

/** The states of the stretches of a drawing, left to right and lane by lane. */
const stretches = (drawing: string) => [...drawing.matchAll(/class="stretch (\w*)"/g)].map((match) => match[1]);

describe('a timeline', () => {
  it('draws the state before and after each change, and the current state', () => {
    const { markup } = timeline(report, [
      change('3', '2026-11-10', 'mcp', 'vanished'),
      change('2', '2026-11-05', 'llms', 'version_changed'),
      change('1', '2026-11-01', 'llms', 'appeared'),
    ]);
    expect(stretches(markup)).toEqual(['absent', 'present', 'present', 'present', 'absent']);
  });

  it('has a row for every protocol, starting at the oldest change if nothing changed', () => {
    const { markup } = timeline(report, [change('1', '2026-11-01', 'llms', 'appeared')]);
    const lanes = [...markup.matchAll(/class="lane"[^>]*>([^<]*)</g)].map((match) => match[1]);
    expect(lanes).toEqual(['llms.txt', 'MCP']);
    const dot = /class="dot \w+"\s+cx="([\d.]+)"/.exec(markup)![1]!;
    expect(markup).toMatch(new RegExp(`class="stretch absent"\\s+x1="${dot}"`));
  });

  it("draws the price of each payment option over time, with today's price at the end", () => {
    const rails = [rail({ amountUsd: '0.03' }), rail({ resource: 'https://shop.example.com/other', amountUsd: null })];
    const at = (day: string) => `2026-11-${day}T00:00:00.000Z`;
    const step = { resource: rail().resource, network: 'eip155:8453' };
    const { markup } = timeline(
      { ...report, paymentRails: { ...report.paymentRails, rails } },
      [change('1', '2026-11-01', 'llms', 'appeared')],
      [
        { ...step, at: at('10'), amountUsd: '0.03' },
        { ...step, at: at('05'), amountUsd: '0.02' },
      ],
    );
    const costs = [...markup.matchAll(/class="cost"[^>]*>([^<]*)</g)].map((match) => match[1]);
    expect(costs).toEqual(['', '0.02 USD', '0.03 USD', 'unknown price']);
  });

  it('links each dot to its description', () => {
    const { markup } = timeline(report, [change('7', '2026-11-01', 'llms', 'appeared')]);
    expect(markup).toMatch(/<a\s+href="#change-7"\s+aria-label="llms.txt now available, 2026-11-01 00:00 UTC"/);
  });

  it('keeps every point within the drawing, the oldest left of the newest', () => {
    const { markup } = timeline(report, [
      change('2', '2026-11-21', 'llms', 'recovered'),
      change('1', '2020-01-01', 'llms', 'degraded'),
    ]);
    const [first = NaN, second = NaN] = [...markup.matchAll(/class="dot \w+"\s+cx="([\d.]+)"/g)].map((match) =>
      Number(match[1]),
    );
    expect([first >= 92, first < second, second <= 704]).toEqual([true, true, true]);
  });

  it('draws changes at the same time, and changes without a time', () => {
    const { markup } = timeline(report, [
      change('1', '2026-11-22', 'llms', 'appeared'),
      change('2', 'never', 'llms', 'vanished'),
    ]);
    expect(markup).not.toContain('NaN');
  });
});
