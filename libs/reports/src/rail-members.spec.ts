import fc from 'fast-check';
import { rail } from '../../../test/support/report';
import { driftOf, type DriftMemory } from './drift';
import { mergeRails } from './payment-rails';
import { isPayable, type PaymentRail } from './rail-members';

const AT = ['2026-11-01T12:00:00.000Z', '2026-11-02T12:00:00.000Z', '2026-11-03T12:00:00.000Z'];

/** Options of a host with many routes: few ways to pay, many prices and routes. */
const option: fc.Arbitrary<PaymentRail> = fc
  .record({
    protocol: fc.constantFrom('x402' as const, 'mpp' as const),
    version: fc.constantFrom('1', '2', null),
    network: fc.constantFrom('eip155:8453', 'eip155:137', null),
    payTo: fc.constantFrom('0xab' + '11'.repeat(19), '0xAB' + '11'.repeat(19), '0x' + '22'.repeat(20)),
    amount: fc.oneof(fc.integer({ min: 1, max: 10 ** 9 }).map(String), fc.constantFrom('0.5', null, '10', '9')),
    path: fc.nat(6),
    reasons: fc.constantFrom<readonly string[]>([], [], ['amount_zero'], ['payto_invalid']),
  })
  .map(({ path, amount, ...more }) =>
    rail({ ...more, amount, maxAmount: amount, resource: `https://shop.example.com/r${path}` }),
  );
const options = fc.array(option, { maxLength: 40 });

const wayOf = ({ protocol, network, payTo }: PaymentRail) => `${protocol} ${network} ${payTo?.toLowerCase()}`;
const numbers = (rails: readonly PaymentRail[]) =>
  rails.flatMap(({ amount }) => (amount !== null && /^\d+$/.test(amount) ? [BigInt(amount)] : []));
const least = (all: readonly bigint[]) => all.reduce((a, b) => (b < a ? b : a));
const most = (all: readonly bigint[]) => all.reduce((a, b) => (b > a ? b : a));

describe('mergeRails', () => {
  it('merges each way to pay into one option, with its lowest and highest price and the number of its routes', () => {
    fc.assert(
      fc.property(options, (all) => {
        const merged = mergeRails(all);
        expect(merged.map(wayOf)).toEqual([...new Set(all.map(wayOf))]);
        for (const one of merged) {
          const way = all.filter((other) => wayOf(other) === wayOf(one));
          const counted = way.some(isPayable) ? way.filter(isPayable) : way;
          expect(isPayable(one)).toBe(way.some(isPayable));
          expect(one.resources).toBe(new Set(way.map(({ resource }) => resource)).size);
          expect(counted.map(({ resource, amount }) => [resource, amount])).toContainEqual([one.resource, one.amount]);
          const prices = numbers(counted);
          if (prices.length === 0) continue;
          expect([one.amount, one.maxAmount]).toEqual([String(least(prices)), String(most(prices))]);
        }
      }),
    );
  });

  it('is idempotent and independent of the order of the routes', () => {
    fc.assert(
      fc.property(options, (all) => {
        const merged = mergeRails(all);
        expect(mergeRails(merged)).toEqual(merged);
        const terms = (rails: readonly PaymentRail[]) =>
          rails
            .map((one) => [wayOf(one), one.amount, one.maxAmount, one.resources, one.version, isPayable(one)].join())
            .sort();
        expect(terms(mergeRails(all.toReversed()))).toEqual(terms(merged));
      }),
    );
  });

  it('makes no change in the history of an unchanged host', () => {
    fc.assert(
      fc.property(options, (all) => {
        const probe = {
          cells: [],
          phase: 'callability' as const,
          rails: { payable: true, checkedAt: null, rails: all },
        };
        let memory: DriftMemory | null = null;
        for (const at of AT) {
          const drift = driftOf(memory, { ...probe, at });
          expect(drift.events).toEqual([]);
          memory = drift.memory;
        }
      }),
    );
  });
});
