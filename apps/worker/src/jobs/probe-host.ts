import { dnsQuestions, type Exchange } from '@app/detectors';
import { EVIDENCE_LIMITS, withinLimits } from '@app/evidence';
import type { CollectedEvidence } from '@app/probing';
import { potOf, type Run, type RunOutcome } from '@app/queue';
import { type HostName } from '@app/hosts';
import { answeredIn, assembleFacts, originFrom, reachableFrom } from '@app/reports';
import type { ProbeSession } from '../judging/probe-session';
import type { Judgement } from '../judging/task';
import { skippedAt } from './back-off';
import { bundleOf } from './bundle-of';
import { requireReached } from './host-too-slow';
import type { JobDeps } from './job';
import type { ProgressPublisher } from './progress-publisher';

/** Runs work on the detector threads for paid probes, or on the one for free probes. */
type Judging = <T>(work: (probe: ProbeSession) => Promise<T>) => Promise<T>;

/**
 * A full probe: every detector, presence and callability, and both timestamps. A scheduled or free one, for a watched
 * host or its owner, is skipped if the host does not want it.
 */
export async function probeHost(
  deps: JobDeps,
  run: Run<'host'> | Run<'watch'>,
  deadlineMs: number,
  progress: ProgressPublisher,
): Promise<RunOutcome<'watch'> | undefined> {
  const { prober, recorder, budgets } = deps;
  const { host } = run;
  const isFree = run.kind === 'watch';
  const judging: Judging = (work) => deps.judging[isFree ? 'withFree' : 'with']({ kind: 'host' }, work);
  const seen = await judging(async (probe) => {
    const collected = await prober.collect(host, {
      ...progress.following(probe.plan),
      phases: ['presence', 'callability'],
      signals: dnsQuestions(host.ascii),
      deadlineMs,
      ...(isFree && {
        budget: budgets.ofProbe(potOf(run)),
        mayProbe: async (robots: Exchange) => !(await probe.isDisallowedByRobots(host, robots)),
      }),
    });
    const [robots] = collected.exchanges;
    if (collected.disallowedByRobots && robots) return { skipped: skippedAt(robots) };
    return { collected, judgement: await probe.judge(collected) };
  });
  if ('skipped' in seen) return { domain: host.ascii, skipped: seen.skipped };
  requireReached(seen.judgement, deadlineMs);
  await recorder.record({ run, ...(await findingOf(host, seen, judging)) });
  return undefined;
}

/** The findings of a full probe in their stored form. */
async function findingOf(
  host: HostName,
  { collected, judgement }: { readonly collected: CollectedEvidence; readonly judgement: Judgement },
  judging: Judging,
) {
  const { cells, fixes, rails, offered, signals } = judgement;
  const at = new Date();
  const clocks = { probedAt: at.toISOString(), callabilityProbedAt: at.toISOString() };
  const { exchanges } = collected;
  const origin = originFrom(host, exchanges);
  const probe = { host, origin, reachable: reachableFrom(exchanges), cells, fixes, rails, signals, clocks };
  const kept = withinLimits(exchanges, EVIDENCE_LIMITS);
  const bundle = await bundleOf({ known: collected, origin, kept, cells }, (shown) =>
    judging((again) => again.judge(shown)),
  );
  return {
    cells,
    rails: { ...rails, rails: offered },
    phase: 'callability' as const,
    at,
    bundle,
    answered: answeredIn(exchanges),
    factsAfter: () => assembleFacts(probe),
    outcome: { domain: host.ascii, probedAt: clocks.probedAt },
  };
}
