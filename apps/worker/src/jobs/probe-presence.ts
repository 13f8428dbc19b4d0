import type { Run } from '@app/persistence';
import { assembleFacts, originFrom, reachableFrom, type HostName } from '@app/reports';
import type { JobParts } from './job';

/**
 * A free look at what a host publishes: moves the presence clock alone. What an earlier, paid look exercised still
 * counts: its exchanges are judged together with the new ones, each shown with its own time. It is a crawl, and so the
 * host's robots.txt can end it.
 */
export async function probePresence(
  { prober, recorder, hosts, runs, judging }: JobParts,
  run: Run<'presence'>,
  host: HostName,
  deadlineMs: number,
): Promise<void> {
  const seen = await judging.with({ kind: 'host' }, async (look) => {
    const collected = await prober.collect(host, {
      plan: look.plan,
      phases: ['presence'],
      deadlineMs,
      mayLook: async (robots) => !(await look.isUnwanted(host, robots)),
    });
    if (collected.unwanted) return undefined;
    const known = (await hosts.findExchanges(host.ascii)) ?? [];
    const exchanges = [...collected.exchanges, ...known.filter(({ phase }) => phase === 'callability')];
    return { collected, exchanges, ...(await look.verdicts({ ...collected, exchanges })) };
  });
  if (!seen) {
    await runs.finish(run.id, { domain: host.ascii, skipped: 'robots_txt' });
    return;
  }
  const { collected, exchanges, cells, fixes } = seen;
  const at = new Date();
  const look = {
    host,
    origin: originFrom(host, exchanges),
    reachable: reachableFrom(collected.exchanges),
    cells,
    fixes,
  };
  await recorder.record({
    host,
    run,
    cells,
    fixes,
    rails: null,
    phase: 'presence',
    at,
    exchanges,
    factsAfter: (before) =>
      assembleFacts({
        ...look,
        rails: before?.paymentRails ?? { payable: false, checkedAt: null, rails: [] },
        clocks: {
          probedAt: at.toISOString(),
          ...(before?.callabilityProbedAt === undefined ? {} : { callabilityProbedAt: before.callabilityProbedAt }),
        },
      }),
    outcome: { domain: host.ascii, probedAt: at.toISOString() },
  });
}
