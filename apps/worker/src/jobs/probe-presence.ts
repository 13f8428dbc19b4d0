import { signalsAfter } from '@app/detectors';
import { defined } from '@app/platform';
import { EVIDENCE_LIMITS, FREE_EVIDENCE_LIMITS, withinLimits } from '@app/evidence';
import { potOf, type Run, type RunOutcome } from '@app/queue';
import { answeredIn, assembleFacts, neverProbed, originFrom, reachableFrom } from '@app/reports';
import type { ProbeSession } from '../judging/probe-session';
import { skippedAt } from './back-off';
import { bundleOf } from './bundle-of';
import type { JobDeps } from './job';
import type { ProgressPublisher } from './progress-publisher';

/**
 * A free probe of the published files; it only updates the presence timestamp. The results of an earlier paid probe
 * still count: its exchanges are evaluated together with the new ones, each with its own time. The probe is skipped if
 * the host does not want it.
 */
export async function probePresence(
  deps: JobDeps,
  run: Run<'presence'>,
  deadlineMs: number,
  progress: ProgressPublisher,
): Promise<RunOutcome<'presence'> | undefined> {
  const { host } = run;
  const { recorder, judging } = deps;
  const seen = await judging.withFree({ kind: 'host' }, (probe) =>
    readPublished(deps, probe, run, deadlineMs, progress),
  );
  if ('skipped' in seen) return { domain: host.ascii, skipped: seen.skipped };
  const { known, kept, reachable, answered, cells, fixes, signals } = seen;
  const { exchanges } = known;
  const origin = originFrom(host, exchanges);
  const bundle = await bundleOf({ known, origin, kept, cells }, (shown) =>
    judging.withFree({ kind: 'host' }, (again) => again.judge(shown)),
  );
  const at = new Date();
  const probedAt = at.toISOString();
  await recorder.record({
    run,
    cells,
    rails: null,
    phase: 'presence',
    at,
    bundle,
    answered,
    factsAfter: ({ paymentRails: rails, callabilityProbedAt, signals: known } = neverProbed(host)) =>
      assembleFacts({
        host,
        origin,
        reachable,
        cells,
        fixes,
        rails,
        signals: signalsAfter(known, signals),
        clocks: defined({ probedAt, callabilityProbedAt }),
      }),
    outcome: { domain: host.ascii, probedAt },
  });
  return undefined;
}

/** Reads the published files and evaluates them together with the stored report. */
async function readPublished(
  { prober, evidence, budgets }: Pick<JobDeps, 'prober' | 'evidence' | 'budgets'>,
  probe: ProbeSession,
  run: Run<'presence'>,
  deadlineMs: number,
  progress: ProgressPublisher,
) {
  const { host } = run;
  const collected = await prober.collect(host, {
    ...progress.following(probe.plan),
    phases: ['presence'],
    deadlineMs,
    budget: budgets.ofProbe(potOf(run)),
    mayProbe: async (robots) => !(await probe.isDisallowedByRobots(host, robots, { crawls: run.pot === 'scheduled' })),
  });
  const [robots] = collected.exchanges;
  if (collected.disallowedByRobots && robots) return { skipped: skippedAt(robots) };
  const stored = (await evidence.findExchanges(host.ascii)) ?? [];
  const { exchanges: now } = collected;
  const again = new Set(now.map(({ method, url }) => `${method} ${url}`));
  const bought = stored.filter(({ phase, method, url }) => phase !== 'presence' && !again.has(`${method} ${url}`));
  const known = { ...collected, exchanges: [...now, ...bought] };
  const kept = withinLimits([...withinLimits(now, FREE_EVIDENCE_LIMITS), ...bought], EVIDENCE_LIMITS);
  const { cells, fixes, signals } = await probe.judge(known);
  return { known, kept, reachable: reachableFrom(now), answered: answeredIn(now), cells, fixes, signals };
}
