import { OptOuts, TargetBudgets, TargetBusyError } from '@app/limits';
import type { RunRequest } from '@app/queue';
import type { Skipped } from '@app/reports';
import fc from 'fast-check';
import { memoryLimits } from '../../../../test/support/memory-limits';
import { hostName } from '../../../../test/support/probing';
import { FreePresence, preferredWaitMs } from './free-presence';
import { RequestError } from '../http/request-error';
import { OptedOutError, ProbeFailedError, ProbeTimeoutError } from './probe-errors';

/** Free probes of several processes with shared counters, and the hosts that were probed. */
function freeProbes(perSiteDay = 1_000) {
  const { limiters, ...limits } = memoryLimits();
  const probed: string[] = [];
  const told: unknown[] = [];
  const refused: string[] = [];
  const outcome: { error?: Error; skipped?: Skipped } = {};
  const targetOf = ({ host: { ascii: host, site } }: RunRequest) => ({ host, site });
  const probesOf = (budgets: TargetBudgets) => ({
    admitTarget: async (request: RunRequest): Promise<void> => {
      const waitMs = await budgets.waitMs(targetOf(request), 'first');
      if (waitMs > 0) throw new TargetBusyError(waitMs);
    },
    run: async (request: RunRequest) => {
      await budgets.begin(targetOf(request), 'first');
      probed.push(request.host.ascii);
      if (outcome.error) throw outcome.error;
      return (outcome.skipped ? { skipped: outcome.skipped } : {}) as never;
    },
  });
  const optOuts = new OptOuts(
    [],
    () => Promise.resolve([]),
    () => undefined,
  );
  const failed = (error: unknown) => told.push(error);
  const spent = () => void refused.push('of an hour');
  return {
    probed,
    told,
    refused,
    outcome,
    limiters,
    process: () => {
      const ofHost = { probesPer15Min: 10_000, requestsPerMin: 10_000, concurrency: 4 };
      const probes = probesOf(new TargetBudgets(limits, ofHost, perSiteDay));
      return new FreePresence({ probes, limits, optOuts, failed, spent });
    },
  };
}

describe('a free probe', () => {
  it('counts toward the network of its caller, who may have many IPv6 addresses', async () => {
    const { probed, process } = freeProbes();
    const presence = process();
    for (let i = 0; i < 40; i += 1) await presence.offer(hostName(`h${i}.example.com`), `2001:db8:1:2::${i}`, 1_000);
    expect(probed).toHaveLength(30);
    await presence.offer(hostName('other.example.com'), '2001:db8:1:3::1', 1_000);
    expect(probed).toHaveLength(31);
  });

  it('that one caller cannot afford is made for the next one', async () => {
    const { probed, limiters, process } = freeProbes();
    const presence = process();
    await limiters.get('presence_caller')!.block('192.0.2.1', 3_600);
    expect(await presence.offer(hostName(), '192.0.2.1', 1_000)).toBe('refused');
    expect(await presence.offer(hostName(), '192.0.2.2', 1_000)).toBe('made');
    expect(probed).toEqual(['shop.example.com']);
  });

  it('above the hourly limit can be made later, and is reported to the operator', async () => {
    const { probed, refused, limiters, process } = freeProbes();
    const presence = process();
    await limiters.get('presence')!.block('everybody', 3_600);
    await presence.offer(hostName(), '192.0.2.1', 1_000);
    expect([probed, refused]).toEqual([[], ['of an hour']]);
    await limiters.get('presence')!.delete('everybody');
    await process().offer(hostName(), '192.0.2.1', 1_000);
    expect(probed).toEqual(['shop.example.com']);
    await process().offer(hostName(), '192.0.2.2', 1_000);
    expect(probed).toEqual(['shop.example.com']);
  });
});

describe('a free probe that the host did not want', () => {
  it('leaves the host its probe of the day, in every process', async () => {
    const { probed, told, outcome, process } = freeProbes();
    outcome.skipped = { reason: 'robots_txt', at: '2026-11-22T00:00:00.000Z' };
    const presence = process();
    for (let i = 0; i < 2; i += 1) expect(await presence.offer(hostName(), '192.0.2.1', 1_000)).toBe('skipped');
    delete outcome.skipped;
    expect(await process().offer(hostName(), '192.0.2.2', 1_000)).toBe('made');
    expect([probed.length, told]).toEqual([3, []]);
  });
});

describe('a site with many names', () => {
  /** Twenty names that resolve through one wildcard. */
  const wildcard = (site: string): readonly string[] => Array.from({ length: 20 }, (_, i) => `n${i}.${site}`);

  it('shares one limit for all names, callers and gateways', async () => {
    const { probed, process } = freeProbes(8);
    const gateways = [process(), process()];
    const names = [...wildcard('victim.example'), ...wildcard('deep.victim.example'), 'other.example.net'];
    for (const [i, name] of names.entries()) await gateways[i % 2]!.offer(hostName(name), `192.0.2.${i}`, 1_000);
    expect(probed.filter((name) => name.endsWith('.victim.example'))).toHaveLength(8);
    expect(probed).toContain('other.example.net');
  });

  it('at its limit does not use up the hourly limit of all callers', async () => {
    const { probed, limiters, process } = freeProbes(1);
    const names = wildcard('victim.example');
    for (const [i, name] of names.entries()) await process().offer(hostName(name), `192.0.2.${i}`, 1_000);
    expect(probed).toHaveLength(1);
    expect((await limiters.get('presence')!.get('everybody'))?.consumedPoints).toBe(1);
  });
});

describe('a free probe that fails', () => {
  /** Every error that starting a probe can throw, and an unexpected one. */
  const reason = fc.oneof(
    fc
      .constantFrom('no_worker' as const, 'queue_unavailable' as const, 'busy' as const)
      .map((code) => new RequestError(code)),
    fc.string().map((failure) => new ProbeFailedError(failure)),
    fc.uuid().map((run) => new ProbeTimeoutError(run)),
    fc.integer({ min: 1, max: 900_000 }).map((waitMs) => new TargetBusyError(waitMs)),
    fc.string().map((text) => new Error(text)),
  );

  it('does not use up the daily probe of the host, in any process and for any reason', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(reason, { minLength: 1, maxLength: 4 }), async (reasons) => {
        const { probed, outcome, process } = freeProbes();
        for (const error of reasons) {
          outcome.error = error;
          const end = error instanceof TargetBusyError ? 'refused' : 'failed';
          expect(await process().offer(hostName(), '192.0.2.1', 1_000)).toBe(end);
        }
        delete outcome.error;
        expect(await process().offer(hostName(), '192.0.2.1', 1_000)).toBe('made');
        expect(await process().offer(hostName(), '192.0.2.2', 1_000)).toBe('refused');
        expect(probed).toHaveLength(reasons.length + 1);
      }),
    );
  });

  it('is retried for a waiting caller, but not for each lookup of a popular host', async () => {
    const { probed, outcome, process } = freeProbes();
    const presence = process();
    outcome.error = new RequestError('queue_unavailable');
    expect(await presence.offer(hostName(), '192.0.2.1', 1_000)).toBe('failed');
    for (let i = 0; i < 20; i += 1) await presence.offer(hostName(), '192.0.2.1', 0);
    expect(probed).toHaveLength(1);
    delete outcome.error;
    expect(await presence.offer(hostName(), '192.0.2.1', 1_000)).toBe('made');
  });

  it('repeatedly still costs a site no more than its daily limit', async () => {
    const { probed, outcome, process } = freeProbes(8);
    outcome.error = new ProbeFailedError('worker_failed');
    for (let i = 0; i < 20; i += 1) await process().offer(hostName(), `192.0.2.${i}`, 1_000);
    expect(probed).toHaveLength(8);
  });

  it.each([new RequestError('queue_unavailable'), new ProbeFailedError('worker_failed'), new Error('a bug')])(
    'is reported, and the caller gets the stored report: %s',
    async (error) => {
      const { told, outcome, process } = freeProbes();
      outcome.error = error;
      await process().offer(hostName(), '192.0.2.1', 1_000);
      expect(told).toEqual([error]);
    },
  );

  it('because of a limit is not a failure', async () => {
    const { told, outcome, limiters, process } = freeProbes();
    for (const spent of [new TargetBusyError(1_000), new OptedOutError('shop.example.com')]) {
      outcome.error = spent;
      await process().offer(hostName(`h${spent.name.toLowerCase()}.example.com`), '192.0.2.1', 1_000);
    }
    await limiters.get('presence')!.block('everybody', 3_600);
    await process().offer(hostName('other.example.com'), '192.0.2.1', 1_000);
    expect(told).toEqual([]);
  });
});

describe('preferredWaitMs', () => {
  it.each([
    [undefined, 0],
    ['respond-async', 0],
    ['wait=3', 3_000],
    ['respond-async, wait=10', 10_000],
    ['wait=9999', 10_000],
    ['await=5', 0],
    ['wait=-1', 0],
  ])('reads %j as %d ms', (prefer, ms) => {
    expect(preferredWaitMs(prefer)).toBe(ms);
  });
});
