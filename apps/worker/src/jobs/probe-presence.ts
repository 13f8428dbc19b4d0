import type { Run } from '@app/persistence';
import { assembleFacts, neverProbed, originFrom, reachableFrom, type HostName } from '@app/reports';
import type { JudgedLook } from '../judging/judged-look';
import type { JobParts } from './job';

/**
 * A free look at what a host publishes: moves the presence clock alone. What an earlier, paid look exercised still
 * counts: its exchanges are judged together with the new ones, each shown with its own time. It is a crawl, and so the
 * host's robots.txt can end it.
 */
export async function probePresence(
  parts: JobParts,
  run: Run<'presence'>,
  host: HostName,
  deadlineMs: number,
): Promise<void> {
  const { recorder, runs, judging } = parts;
  const seen = await judging.with({ kind: 'host' }, (look) => readPublished(parts, look, host, deadlineMs));
  if (!seen) {
    await runs.finish(run.id, { domain: host.ascii, skipped: 'robots_txt' });
    return;
  }
  const { exchanges, reachable, cells, fixes } = seen;
  const at = new Date();
  const probedAt = at.toISOString();
  await recorder.record({
    host,
    run,
    cells,
    fixes,
    rails: null,
    phase: 'presence',
    at,
    exchanges,
    factsAfter: ({ paymentRails: rails, callabilityProbedAt } = neverProbed(host)) =>
      assembleFacts({
        host,
        origin: originFrom(host, exchanges),
        reachable,
        cells,
        fixes,
        rails,
        clocks: { probedAt, ...(callabilityProbedAt === undefined ? {} : { callabilityProbedAt }) },
      }),
    outcome: { domain: host.ascii, probedAt },
  });
}

/** Reads what the host publishes and judges it beside what is stored; undefined when it asks us to stay away. */
async function readPublished(
  { prober, hosts }: Pick<JobParts, 'prober' | 'hosts'>,
  look: JudgedLook,
  host: HostName,
  deadlineMs: number,
) {
  const collected = await prober.collect(host, {
    plan: look.plan,
    phases: ['presence'],
    deadlineMs,
    mayLook: async (robots) => !(await look.isUnwanted(host, robots)),
  });
  if (collected.unwanted) return undefined;
  const known = (await hosts.findExchanges(host.ascii)) ?? [];
  const exchanges = [...collected.exchanges, ...known.filter(({ phase }) => phase === 'callability')];
  const { cells, fixes } = await look.verdicts({ ...collected, exchanges });
  return { exchanges, reachable: reachableFrom(collected.exchanges), cells, fixes };
}
