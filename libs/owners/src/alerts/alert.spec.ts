import fc from 'fast-check';
import { ALERTS_PER_HOUR, alertsOf, alertTypesOf, type AlertType, type WatchedCounts } from '@app/owners';
import { DriftEvent } from '@app/reports';

const KINDS = DriftEvent.shape.kind.options;
const NONE: WatchedCounts = { seq: 0, silent: 0, inHour: 0, held: 0 };
const OUTCOMES = ['up', 'down', 'unknown', undefined] as const;
const changes = fc.uniqueArray(fc.constantFrom<AlertType>('host.changed', 'host.payee_changed', 'host.price_changed'));

/** What a row of probes tells of one host. */
function told(probes: readonly (readonly [readonly AlertType[], (typeof OUTCOMES)[number]])[], room = ALERTS_PER_HOUR) {
  let counts: WatchedCounts = { ...NONE, inHour: ALERTS_PER_HOUR - room };
  const alerts = probes.flatMap(([types, outcome]) => {
    const next = alertsOf(counts, types, outcome);
    counts = next.counts;
    return next.alerts;
  });
  return { alerts, counts };
}

describe('the alerts of a probe', () => {
  it('are one of each type, for every kind of change but that of the rules', () => {
    expect(Object.fromEntries(KINDS.map((kind) => [kind, alertTypesOf([{ kind }, { kind }])]))).toEqual({
      ...Object.fromEntries(KINDS.map((kind) => [kind, ['host.changed']])),
      pay_to_changed: ['host.payee_changed'],
      price_changed: ['host.price_changed'],
      rules_changed: [],
    });
  });

  it('are numbered without a gap, and no more than a hundred in an hour', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(changes, fc.constantFrom(...OUTCOMES)), { maxLength: 200 }), (probes) => {
        const { alerts } = told(probes);
        expect(alerts.map(({ seq }) => seq)).toEqual(alerts.map((_, at) => at + 1));
        expect(alerts.length).toBeLessThanOrEqual(ALERTS_PER_HOUR);
      }),
    );
  });

  it('that were left out are counted in the next ones, once each', () => {
    fc.assert(
      fc.property(fc.array(changes, { maxLength: 60 }), fc.nat(10), fc.array(changes), (before, room, after) => {
        const full = told(
          before.map((types) => [types, 'up']),
          room,
        );
        const later = alertsOf({ ...full.counts, inHour: 0 }, after[0] ?? [], 'up');
        const sent = [...full.alerts, ...later.alerts];
        const plain = sent.filter(({ coalesced }) => coalesced === null).length;
        const folded = sent.reduce((sum, { coalesced }) => sum + (coalesced ?? 0), 0);
        expect(plain + folded).toBe(before.flat().length + (after[0] ?? []).length);
      }),
    );
  });

  it.each([
    ['+ - +', []],
    ['+ - -', ['host.unreachable']],
    ['- - -', ['host.unreachable']],
    ['- ? -', ['host.unreachable']],
    ['- . -', ['host.unreachable']],
    ['- - +', ['host.unreachable', 'host.recovered']],
    ['- - ? + - -', ['host.unreachable', 'host.recovered', 'host.unreachable']],
    ['? ?', []],
  ])('say of answers %s: %j', (answers, types) => {
    const outcomes = { '+': 'up', '-': 'down', '?': 'unknown', '.': undefined } as const;
    const probes = answers.split(' ').map((sign) => [[], outcomes[sign as keyof typeof outcomes]] as const);
    expect(told(probes).alerts.map(({ type }) => type)).toEqual(types);
  });
});
