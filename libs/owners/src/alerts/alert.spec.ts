import fc from 'fast-check';
import {
  ALERTS_PER_HOUR,
  alertsOf,
  changeAlerts,
  CHANGES_BYTES,
  type AlertChange,
  type AlertType,
  type WatchedCounts,
} from '@app/owners';
import { DriftEvent, type DriftKind } from '@app/reports';

const KINDS = DriftEvent.shape.kind.options;
const NONE: WatchedCounts = { seq: 0, silent: 0, inHour: 0, held: 0 };
const OUTCOMES = ['up', 'down', 'unknown', undefined] as const;
const changes = fc
  .uniqueArray(fc.constantFrom<AlertType>('host.changed', 'host.payee_changed', 'host.price_changed'))
  .map((types) => types.map((type) => ({ type, changes: [], changesOmitted: 0 })));
type Told = Parameters<typeof alertsOf>[1];

const json = fc.jsonValue() as fc.Arbitrary<AlertChange['before']>;
/** Texts that hosts may send: small and large, in any script. */
const change = fc.record({
  kind: fc.constantFrom(...KINDS),
  protocol: fc.constantFrom('x402', 'llms'),
  before: json,
  after: fc.oneof(
    json,
    fc.string({ unit: 'binary', size: '+1' }),
    fc.nat(3_000).map((n) => '\u00e9'.repeat(n)),
  ),
});

/** The alerts of a series of probes of one host. */
function told(probes: readonly (readonly [Told, (typeof OUTCOMES)[number]])[], room = ALERTS_PER_HOUR) {
  let counts: WatchedCounts = { ...NONE, inHour: ALERTS_PER_HOUR - room };
  const alerts = probes.flatMap(([types, outcome]) => {
    const next = alertsOf(counts, types, outcome);
    counts = next.counts;
    return next.alerts;
  });
  return { alerts, counts };
}

describe('the alerts of a probe', () => {
  it('are one of each type, for every kind of change except new rules', () => {
    const value = { protocol: 'x402', before: null, after: null };
    const typesOf = (kind: DriftKind) =>
      changeAlerts([
        { ...value, kind },
        { ...value, kind },
      ]).map(({ type }) => type);
    expect(Object.fromEntries(KINDS.map((kind) => [kind, typesOf(kind)]))).toEqual({
      ...Object.fromEntries(KINDS.map((kind) => [kind, ['host.changed']])),
      pay_to_changed: ['host.payee_changed'],
      price_changed: ['host.price_changed'],
      rules_changed: [],
    });
  });

  it('contain the changes of their type in at most 8 KB, in order, and count those that do not fit', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 12 }), (events) => {
        const alerts = changeAlerts(events.map((event) => ({ ...event, at: 'then', summary: 'It changed.' })));
        for (const { changes: shown, changesOmitted } of alerts) {
          expect(Buffer.byteLength(JSON.stringify(shown))).toBeLessThanOrEqual(CHANGES_BYTES);
          expect(changesOmitted).toBeGreaterThanOrEqual(0);
          const left = [...events];
          for (const one of shown) {
            const at = left.findIndex((event) => JSON.stringify(event) === JSON.stringify(one));
            expect(at).not.toBe(-1);
            left.splice(0, at + 1);
          }
        }
        const counted = alerts.reduce((sum, alert) => sum + alert.changes.length + alert.changesOmitted, 0);
        expect(counted).toBe(events.filter(({ kind }) => kind !== 'rules_changed').length);
      }),
    );
  });

  it('keep small changes if one is too large', () => {
    const of = (after: string) => ({ kind: 'details_changed', protocol: 'llms', before: null, after }) as const;
    expect(changeAlerts([of('a'), of('x'.repeat(CHANGES_BYTES)), of('b')])).toEqual([
      { type: 'host.changed', changes: [of('a'), of('b')], changesOmitted: 1 },
    ]);
  });

  it('are numbered without gaps, and limited to a hundred per hour', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(changes, fc.constantFrom(...OUTCOMES)), { maxLength: 200 }), (probes) => {
        const { alerts } = told(probes);
        expect(alerts.map(({ seq }) => seq)).toEqual(alerts.map((_, at) => at + 1));
        expect(alerts.length).toBeLessThanOrEqual(ALERTS_PER_HOUR);
      }),
    );
  });

  it('that were omitted are counted once in a later alert', () => {
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
  ])('for the answers %s are %j', (answers, types) => {
    const outcomes = { '+': 'up', '-': 'down', '?': 'unknown', '.': undefined } as const;
    const probes = answers.split(' ').map((sign) => [[], outcomes[sign as keyof typeof outcomes]] as const);
    expect(told(probes).alerts.map(({ type }) => type)).toEqual(types);
  });
});
