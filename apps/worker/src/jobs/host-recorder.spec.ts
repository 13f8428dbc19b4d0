import type { Answered } from '@app/reports';
import { incidentsIn } from '@app/reports';
import { EgressOutageDetector } from './host-recorder';

const SILENT: Answered = { outcome: 'down', reason: 'connect_timeout' };
const UP: Answered = { outcome: 'up' };
const MINUTE = 60_000;

describe('whether a host or the way out is silent', () => {
  it('is not known for an hour in which no site answers, and opens no incident at any of them', () => {
    const egress = new EgressOutageDetector();
    const at = (minute: number) => minute * MINUTE;
    const told = Array.from({ length: 60 }, (_, minute) => ({
      site: `shop${minute % 20}.example`,
      at: at(minute),
      outcome: egress.outcome(`shop${minute % 20}.example`, SILENT, at(minute)).outcome,
    }));
    // That the first two say nothing of the others is the price of counting hosts that are away by themselves.
    expect(told.slice(2).every(({ outcome }) => outcome === 'unknown')).toBe(true);
    for (const site of new Set(told.map((one) => one.site))) {
      const seen = told.filter((one) => one.site === site && one.outcome !== 'unknown');
      expect(incidentsIn(seen.map((one) => ({ at: one.at, up: one.outcome === 'up' })))).toEqual([]);
    }
  });

  it('is the host when another site answered, when too few were probed, or long ago', () => {
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

  it('is the host when it fails in a way that takes a connection', () => {
    const egress = new EgressOutageDetector();
    for (const site of ['a.example', 'b.example']) egress.outcome(site, SILENT, 0);
    expect(egress.outcome('c.example', { outcome: 'down', reason: 'tls_error' }, 0).outcome).toBe('down');
    expect(egress.outcome('d.example', UP, 0)).toEqual(UP);
  });
});
