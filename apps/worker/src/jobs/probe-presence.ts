import { PRODUCT_TOKEN } from '@app/identity';
import { asksToStayAway } from '@app/limits';
import type { Run } from '@app/persistence';
import type { Prober } from '@app/probing';
import { assembleFacts, originFrom, parseProbeUrl, reachableFrom, type HostName } from '@app/reports';
import type { JobParts } from './job';

/**
 * A free look at what a host publishes: moves the presence clock alone. What an earlier, paid look exercised still
 * counts: its exchanges are judged together with the new ones, each shown with its own time.
 */
export async function probePresence(
  { prober, recorder, hosts, runs, judging }: JobParts,
  run: Run<'presence'>,
  host: HostName,
  deadlineMs: number,
): Promise<void> {
  if (await isDisallowed(prober, host)) {
    await runs.finish(run.id, { domain: host.ascii, skipped: 'robots_txt' });
    return;
  }
  const { collected, exchanges, cells, fixes } = await judging.with({ kind: 'host' }, async (look) => {
    const collected = await prober.collect(host, { plan: look.plan, phases: ['presence'], deadlineMs });
    const known = (await hosts.findExchanges(host.ascii)) ?? [];
    const exchanges = [...collected.exchanges, ...known.filter(({ phase }) => phase === 'callability')];
    return { collected, exchanges, ...(await look.verdicts({ ...collected, exchanges })) };
  });
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

/** A free look is a crawl: a robots.txt group that names us and disallows the site ends it (RFC 9309). */
async function isDisallowed(prober: Prober, host: HostName): Promise<boolean> {
  const url = parseProbeUrl(`${host.origin}/robots.txt`);
  if (!url.ok) return false;
  const { exchange } = await prober.probe(url.url, 'GET');
  if (exchange.kind !== 'answer' || exchange.status !== 200) return false;
  return asksToStayAway(exchange.body, PRODUCT_TOKEN, `${host.origin}/`);
}
