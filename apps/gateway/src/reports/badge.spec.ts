import type { HostReport } from '@app/reports';
import { cell } from '../../../../test/support/report';
import { badge } from './badge';

const NOW = new Date('2026-11-22T12:00:00.000Z');

const report = (more: Partial<HostReport> = {}): HostReport =>
  ({
    domain: 'shop.example.com',
    probedAt: '2026-11-22T01:00:00.000Z',
    callabilityProbedAt: '2026-11-22T01:00:00.000Z',
    reachable: true,
    protocols: [cell('llms'), cell('x402', 'partial'), cell('mcp', 'error')],
    paymentRails: { payable: false, checkedAt: null, rails: [] },
    ...more,
  }) as HostReport;

const words = (image: string) => /aria-label="([^"]*)"/.exec(image)?.[1];
const colour = (image: string) => [...image.matchAll(/fill="(#[0-9a-f]{6})"/g)][1]?.[1];

describe('a badge', () => {
  it('shows what agents find, and the date of the probe', () => {
    expect(words(badge(report(), undefined, NOW))).toBe('hostprobe: 1 of 3 protocols · 2026-11-22');
  });

  it.each([
    ['agents can pay', { paymentRails: { payable: true, checkedAt: null, rails: [] } }],
    ['down', { reachable: false }],
    ['0 of 1 protocols', { protocols: [cell('llms', 'absent')] }],
    ['unknown', { protocols: [cell('llms', 'absent'), cell('mcp', 'error')] }],
  ])('says %s', (said, more) => {
    expect(words(badge(report(more), undefined, NOW))).toBe(`hostprobe: ${said} · 2026-11-22`);
  });

  it.each([
    ['llms', 'llms.txt: present · 2026-11-22', '#17683a'],
    ['x402', 'x402: partial · 2026-11-22', '#855400'],
    ['mcp', 'MCP: unknown · 2026-11-22', '#a02c20'],
    ['ucp', 'UCP: not probed', '#67645c'],
  ] as const)('says of %s: %s', (protocol, said, shade) => {
    const image = badge(report(), protocol, NOW);
    expect([words(image), colour(image)]).toEqual([said, shade]);
  });

  it('is gray if its probe is older than a day', () => {
    const old = { probedAt: '2026-11-21T11:59:59.000Z' };
    expect(colour(badge(report(old), undefined, NOW))).toBe('#67645c');
    expect(colour(badge(report({ probedAt: '2026-11-21T12:00:00.000Z' }), undefined, NOW))).toBe('#17683a');
  });

  it('is gray and undated if the host was never probed', () => {
    const { probedAt, callabilityProbedAt, ...unknown } = report({ protocols: [] });
    expect([probedAt, callabilityProbedAt]).not.toContain(undefined);
    const image = badge(unknown, undefined, NOW);
    expect([words(image), colour(image)]).toEqual(['hostprobe: not probed', '#67645c']);
  });

  it('is smaller than two kilobytes', () => {
    expect(badge(report(), undefined, NOW).length).toBeLessThan(2_048);
  });
});
