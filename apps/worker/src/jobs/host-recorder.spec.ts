import type { Answered } from '@app/reports';
import { incidentsIn } from '@app/reports';
import { EgressOutageDetector } from './host-recorder';

const SILENT: Answered = { outcome: 'down', reason: 'connect_timeout' };
const UP: Answered = { outcome: 'up' };
const MINUTE = 60_000;

describe('telling a host that is down from an outage of our own', () => {
  it('reports no incidents for an hour in which no site answers', () => {
    const egress = new EgressOutageDetector();
    const at = (minute: number) => minute * MINUTE;
    const told = Array.from({ length: 60 }, (_, minute) => ({
      site: `shop${minute % 20}.example`,
      at: at(minute),
      outcome: egress.outcome(`shop${minute % 20}.example`, SILENT, at(minute)).outcome,
    }));
    // The first two samples do not show the outage yet. That is the price of counting single hosts as down.
    expect(told.slice(2).every(({ outcome }) => outcome === 'unknown')).toBe(true);
    for (const site of new Set(told.map((one) => one.site))) {
      const seen = told.filter((one) => one.site === site && one.outcome !== 'unknown');
      expect(incidentsIn(seen.map((one) => ({ at: one.at, up: one.outcome === 'up' })))).toEqual([]);
    }
  });

  it('counts the host as down if another site answered recently, or too few were probed', () => {
    const away = (...before: readonly (readonly [string, Answered, number])[]) => {
      const egress = new EgressOutageDetector();
      for (const [site, answered, at] of before) egress.outcome(site, answered, at);
      return egress.outcome('away.example', SILENT, 60 * MINUTE).outcome;
    };
    const now = 60 * MINUTE;
    expect(away()).toBe('down');
    expect(away(['a.example', SILENT, now])).toBe('down');
    expect(away(['a.example', SILENT, now], ['a.example', SILENT, now])).toBe('down');
    expect(away(['away.example', SILENT, now], ['a.example', SILENT, now])).toBe('down');
    expect(away(['a.example', SILENT, now], ['b.example', UP, now])).toBe('down');
    expect(away(['a.example', SILENT, 0], ['b.example', SILENT, now])).toBe('down');
    expect(away(['a.example', SILENT, now], ['b.example', SILENT, now])).toBe('unknown');
  });

  it('counts the host as down if its failure requires a connection', () => {
    const egress = new EgressOutageDetector();
    for (const site of ['a.example', 'b.example']) egress.outcome(site, SILENT, 0);
    expect(egress.outcome('c.example', { outcome: 'down', reason: 'tls_error' }, 0).outcome).toBe('down');
    expect(egress.outcome('d.example', UP, 0)).toEqual(UP);
  });
});
