import * as fc from 'fast-check';
import { memoryLimits } from '../../../test/support/memory-limits';
import { PROBE_KINDS, type ProbeKind } from './probe-kinds';
import { TargetBudgets } from './target-budgets';
import { TargetBusyError } from './target-busy-error';

const LIMITS = { probesPer15Min: 6, requestsPerMin: 240, concurrency: 4 };
const KINDS = Object.keys(PROBE_KINDS) as ProbeKind[];
const FREE = KINDS.filter((kind) => kind !== 'paid');
/** An address at a hosting provider, and one at a content delivery network. */
const [NEIGHBOR, CDN] = ['198.51.100.7', '104.16.132.229'];

/** A host with its own site, unless a site is given. */
const targetOf = (n: number, site = `site${n}.example`) => ({ host: `h${n}.${site}`, site });
type Target = ReturnType<typeof targetOf>;
/** Hosts of one site in many blocks, or hosts of many sites in one block. */
const hostAt = (of: string, n: number): Target => targetOf(n, of === 'a site' ? 'shop.example' : undefined);
const addressAt = (of: string, n: number): string => (of === 'a site' ? `198.51.${n % 200}.7` : NEIGHBOR);

/** Gateways and workers with a shared store. */
function world(limits = LIMITS) {
  const store = memoryLimits();
  const processes = () => new TargetBudgets(store, limits);
  const [gateway, ...workers] = [processes(), processes(), processes()];
  /** Sends the requests of one probe to an address. */
  const send = async (n: number, target: Target, kind: ProbeKind, address: string, requests: number) => {
    const worker = workers[n % workers.length]!;
    await worker.begin(target, kind, requests);
    const budget = worker.ofProbe(kind);
    for (let sent = 0; sent < requests; sent += 1) await budget.spend(target, [address]);
  };
  return { gateway, send };
}

/** Runs probes of a kind until one is refused, or until `most`. */
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

describe('the budget of a kind', () => {
  it.each(['a block', 'a site', 'a host'] as const)(
    'of %s is not affected by other kinds, and buyers keep half',
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
          // Probes of one request follow the full ones, so that a budget is used up completely.
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
    'of %s leaves half to buyers, for any allowed number of requests',
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
          expect(left).toBeGreaterThanOrEqual(half - 8); // they are taken in chunks of eight
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
  ] as const)('%s allows this many runs per site and day, and eight times as many per block', async (kind, day) => {
    const { gateway } = world();
    expect(await usedUp((n) => gateway.begin(targetOf(n, 'shop.example'), kind, 1))).toBe(day);
    const limits = { ...LIMITS, requestsPerMin: 1_000_000 };
    const wide = new TargetBudgets(memoryLimits(), limits);
    expect(gateway.ofProbe(kind).free).toBe(true);
    expect(await usedUp((n) => wide.ofProbe(kind).spend(targetOf(n), [NEIGHBOR]))).toBe(day * 8);
  });

  it('is not shared by hosts on a network of many owners', async () => {
    const wide = new TargetBudgets(memoryLimits(), { ...LIMITS, requestsPerMin: 100 });
    expect(await usedUp((n) => wide.ofProbe('first').spend(targetOf(n), [CDN, '2606:4700::6810:84e5']))).toBe(600);
    expect(await usedUp((n) => wide.ofProbe('first').spend(targetOf(n), [NEIGHBOR, CDN]))).toBe(64);
  });
});

describe('admission', () => {
  it('refuses probes that would be refused a second later', async () => {
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
        // Workers have already reached each host.
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

  it('requires a budget for all hosts of a batch', async () => {
    const { gateway, send } = world();
    for (let n = 0; n < 30; n += 1) await send(n, targetOf(n), 'paid', NEIGHBOR, 26);
    expect(await gateway.waitMs(targetOf(1), 'paid', 26)).toBe(0);
    expect(await gateway.waitMs(targetOf(1), 'paid', 26, 10)).toBeGreaterThan(0);
  });
});

describe('the weight of a run', () => {
  it('is its fraction of a full probe, so that small ones do not block large ones', async () => {
    const { gateway } = world();
    const target = targetOf(1);
    for (let n = 0; n < 6; n += 1) await gateway.begin(target, 'paid', 1);
    for (let n = 0; n < 5; n += 1) await gateway.begin(target, 'paid');
    await expect(gateway.begin(target, 'paid')).rejects.toThrow(TargetBusyError);
    expect(await usedUp(() => gateway.begin(target, 'paid', 1))).toBe(14); // 0.7 of six are left
  });
});
