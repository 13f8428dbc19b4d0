import * as fc from 'fast-check';
import { memoryLimits } from '../../../test/support/memory-limits';
import { PROBE_KINDS, type ProbeKind } from './probe-kinds';
import { TargetBudgets } from './target-budgets';
import { TargetBusyError } from './target-busy-error';

const LIMITS = { probesPer15Min: 6, requestsPerMin: 240, concurrency: 4 };
const KINDS = Object.keys(PROBE_KINDS) as ProbeKind[];
const FREE = KINDS.filter((kind) => kind !== 'paid');
/** A block of a hosting provider, and one of a content delivery network. */
const [NEIGHBOR, CDN] = ['198.51.100.7', '104.16.132.229'];

/** A host of a site of its own, unless another one is named. */
const targetOf = (n: number, site = `site${n}.example`) => ({ host: `h${n}.${site}`, site });
type Target = ReturnType<typeof targetOf>;
/** Hosts of one site in many blocks, or of many sites in one block. */
const hostAt = (of: string, n: number): Target => targetOf(n, of === 'a site' ? 'shop.example' : undefined);
const addressAt = (of: string, n: number): string => (of === 'a site' ? `198.51.${n % 200}.7` : NEIGHBOR);

/** Gateways and workers that share one store. */
function world(limits = LIMITS) {
  const store = memoryLimits();
  const processes = () => new TargetBudgets(store, limits);
  const [gateway, ...workers] = [processes(), processes(), processes()];
  /** A probe of so many requests at an address. */
  const send = async (n: number, target: Target, kind: ProbeKind, address: string, requests: number) => {
    const worker = workers[n % workers.length]!;
    await worker.begin(target, kind, requests);
    const budget = worker.ofProbe(kind);
    for (let sent = 0; sent < requests; sent += 1) await budget.spend(target, [address]);
  };
  return { gateway, send };
}

/** Makes probes of the kind until they are refused, or as many as there are. */
async function usedUp(probe: (n: number) => Promise<void>, most = 600): Promise<number> {
  for (let n = 0; n < most; n += 1) {
    const refused = await probe(n).then(
      () => false,
      (error: unknown) => error instanceof TargetBusyError || Promise.reject(error as Error),
    );
    if (refused) return n;
  }
  return most;
}

describe('the pot of a kind', () => {
  it.each(['a block', 'a site', 'a host'] as const)(
    'of %s is untouched by all others, and buyers keep half',
    async (of) => {
      await fc.assert(
        fc.asyncProperty(fc.shuffledSubarray(FREE, { minLength: 1 }), async (greedy) => {
          const { send } = world();
          let next = 0;
          const one = (): Target => {
            if (of === 'a host') return targetOf(0);
            next += 1;
            return targetOf(next, of === 'a site' ? 'shop.example' : undefined);
          };
          const probe = (n: number, kind: ProbeKind, requests: number = PROBE_KINDS[kind].requests) => {
            const target = one();
            return send(n, target, kind, of === 'a site' ? `198.51.${next % 200}.7` : NEIGHBOR, requests);
          };
          // After full probes some of one request each, so that a pot is used to its last one.
          for (const kind of greedy) await usedUp((n) => probe(n, kind));
          for (const kind of greedy) await usedUp((n) => probe(n, kind, 1));
          const others = of === 'a host' ? [] : FREE.filter((kind) => !greedy.includes(kind));
          for (const kind of others) await probe(0, kind);
          const paid = await usedUp(() => probe(0, 'paid'), 18);
          expect(paid).toBeGreaterThanOrEqual(of === 'a host' ? 3 : 18);
        }),
        { numRuns: 3, endOnFailure: true },
      );
    },
  );

  it.each(['a block', 'a site', 'a host'] as const)(
    'of %s leaves buyers half with any number of requests that is allowed',
    async (of) => {
      const legal = fc.record({
        requestsPerMin: fc.oneof(fc.integer({ min: 80, max: 260 }), fc.integer({ min: 80, max: 900 })),
        probesPer15Min: fc.integer({ min: 2, max: 10 }),
      });
      await fc.assert(
        fc.asyncProperty(legal, fc.shuffledSubarray(FREE, { minLength: FREE.length }), async (limits, greedy) => {
          const { gateway } = world({ ...LIMITS, ...limits });
          const [one, around] = [targetOf(0), limits.requestsPerMin * 4];
          for (const kind of greedy) {
            await usedUp(() => gateway.begin(one, kind));
            const budget = gateway.ofProbe(kind);
            await usedUp(
              (n) =>
                of === 'a host' ? budget.spend(one, [NEIGHBOR]) : budget.spend(hostAt(of, n), [addressAt(of, n)]),
              around,
            );
          }
          const paid = gateway.ofProbe('paid');
          const half = (of === 'a host' ? limits.requestsPerMin : around) / 2;
          const left = await usedUp(
            (n) => (of === 'a host' ? paid.spend(one, [NEIGHBOR]) : paid.spend(hostAt(of, n), [addressAt(of, n)])),
            around,
          );
          expect(left).toBeGreaterThanOrEqual(half - 8); // they are taken eight at a time
          expect(await usedUp(() => gateway.begin(one, 'paid'))).toBeGreaterThanOrEqual(
            Math.floor(limits.probesPer15Min / 2),
          );
        }),
        { numRuns: 12, endOnFailure: true },
      );
    },
  );

  it.each([
    ['first', 8],
    ['scheduled', 8],
    ['claim', 32],
    ['watch', 64],
    ['owner', 64],
  ] as const)(
    '%s is of so many runs for a site in a day, and of eight times as many for a block',
    async (kind, day) => {
      const { gateway } = world();
      expect(await usedUp((n) => gateway.begin(targetOf(n, 'shop.example'), kind, 1))).toBe(day);
      const limits = { ...LIMITS, requestsPerMin: 1_000_000 };
      const wide = new TargetBudgets(memoryLimits(), limits);
      expect(gateway.ofProbe(kind).free).toBe(true);
      expect(await usedUp((n) => wide.ofProbe(kind).spend(targetOf(n), [NEIGHBOR]))).toBe(day * 8);
    },
  );

  it('is not shared on a network of many owners', async () => {
    const wide = new TargetBudgets(memoryLimits(), { ...LIMITS, requestsPerMin: 100 });
    expect(await usedUp((n) => wide.ofProbe('first').spend(targetOf(n), [CDN, '2606:4700::6810:84e5']))).toBe(600);
    expect(await usedUp((n) => wide.ofProbe('first').spend(targetOf(n), [NEIGHBOR, CDN]))).toBe(64);
  });
});

describe('admission', () => {
  it('refuses what would be refused a second later', async () => {
    const run = fc.record({
      kind: fc.constantFrom(...KINDS),
      host: fc.nat({ max: 5 }),
      requests: fc.integer({ min: 1, max: 26 }),
    });
    const addresses = [NEIGHBOR, '203.0.113.9', CDN, NEIGHBOR, NEIGHBOR, '203.0.113.10'];
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(run, { minLength: 40, maxLength: 90 }), async (runs) => {
        const { gateway, send } = world();
        const targets = addresses.map((_, host) => targetOf(host, `site${host % 3}.example`));
        // Workers have reached each host before.
        for (const [host, target] of targets.entries()) await send(host, target, 'paid', addresses[host]!, 1);
        for (const [n, { kind, host, requests }] of runs.entries()) {
          if ((await gateway.waitMs(targets[host]!, kind, requests)) > 0) refused += 1;
          else await send(n, targets[host]!, kind, addresses[host]!, requests);
        }
      }),
      { numRuns: 6, endOnFailure: true },
    );
    expect(refused).toBeGreaterThan(50);
  });

  it('asks for room for all hosts of a batch', async () => {
    const { gateway, send } = world();
    for (let n = 0; n < 30; n += 1) await send(n, targetOf(n), 'paid', NEIGHBOR, 26);
    expect(await gateway.waitMs(targetOf(1), 'paid', 26)).toBe(0);
    expect(await gateway.waitMs(targetOf(1), 'paid', 26, 10)).toBeGreaterThan(0);
  });
});

describe('what a run weighs', () => {
  it('is its share of a full probe, so that small ones do not close a host to large ones', async () => {
    const { gateway } = world();
    const target = targetOf(1);
    for (let n = 0; n < 6; n += 1) await gateway.begin(target, 'paid', 1);
    for (let n = 0; n < 5; n += 1) await gateway.begin(target, 'paid');
    await expect(gateway.begin(target, 'paid')).rejects.toThrow(TargetBusyError);
    expect(await usedUp(() => gateway.begin(target, 'paid', 1))).toBe(14); // 0.7 of six are left
  });
});
