import { backends } from '../../../test/support/stack';
import { runChaos } from '../../../test/support/chaos/chaos';

/** Every test run makes a tenth of the calls; `npm run chaos` sets the number. */
const CALLS = Number(process.env['CHAOS_CALLS'] ?? '100');
const SEED = Number(process.env['CHAOS_SEED'] ?? '1');
const LARGE = CALLS > 100;

describe('two gateways and two workers killed during sales', () => {
  it(
    'lose no payment, charge no payment twice and release nothing unpaid',
    async () => {
      const say = (line: string): void => {
        if (LARGE) process.stdout.write(`chaos  ${line}\n`);
      };
      const { ledger, breaches, ...counts } = await runChaos({
        calls: CALLS,
        seed: SEED,
        callsPerKill: LARGE ? 10 : 7,
        buyers: LARGE ? 16 : 8,
        backend: backends()[0]!,
        toTheEnd: LARGE,
        say,
      });
      const plain = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? value.toString() : value);
      process.stdout.write(`chaos  ${JSON.stringify(counts, plain)}\n${LARGE ? ledger.said : ''}`);
      expect(breaches).toEqual([]);
      expect(ledger.said).toContain('no difference');
      expect(ledger.code).toBe(0);
      if (LARGE) expect(ledger.said).toContain('open     0 attempts');
      expect(counts.purchases).toBe(CALLS);
      expect(counts.states['settled']).toBe(counts.paid);
      expect(counts.payersSpentAtomic).toBe(counts.payToAtomic);
      expect(counts.kills).toBeGreaterThanOrEqual(Math.floor(CALLS / 10) - 1);
      expect(counts.paid).toBeGreaterThan(CALLS / 4);
    },
    LARGE ? CALLS * 10_000 : 600_000,
  );
});
