import { dnsQuestions } from '@app/detectors';
import { EVIDENCE_LIMITS, withinLimits } from '@app/evidence';
import type { CollectedEvidence, ProberCollectOptions } from '@app/probing';
import { potOf, type Run, type RunOutcome } from '@app/queue';
import { type HostName } from '@app/hosts';
import { answeredIn, assembleFacts, originFrom, reachableFrom } from '@app/reports';
import type { JudgedProbe } from '../judging/judged-probe';
import { bundleOf } from './bundle-of';
import { requireReached } from './host-too-slow';
import type { JobDeps } from './job';
import type { ToldProgress } from './told-progress';

/** What is asked of the threads that judge: those of paid probes, or of free ones. */
type Judging = <T>(work: (probe: JudgedProbe) => Promise<T>) => Promise<T>;

/** What a full probe works with. */
interface FullProbe {
  readonly host: HostName;
  readonly judging: Judging;
  readonly deadlineMs: number;
  /** What a probe that was not paid for is bound to. */
  readonly free: (probe: JudgedProbe) => Pick<ProberCollectOptions, 'budget' | 'mayProbe'>;
}

/** A full probe: every detector, presence and callability, both clocks. */
export async function probeHost(
  deps: JobDeps,
  run: Run<'host'>,
  deadlineMs: number,
  progress: ToldProgress,
): Promise<undefined> {
  const judging: Judging = (work) => deps.judging.with({ kind: 'host' }, work);
  await probeAll(deps, run, { host: run.host, judging, deadlineMs, free: () => ({}) }, progress);
}

/** The same of a host that somebody watches, by the clock: a crawl, and so the host's robots.txt can end it. */
export async function probeWatched(
  deps: JobDeps,
  run: Run<'watch'>,
  deadlineMs: number,
  progress: ToldProgress,
): Promise<RunOutcome<'watch'> | undefined> {
  const { host } = run;
  const judging: Judging = (work) => deps.judging.withFree({ kind: 'host' }, work);
  const free: FullProbe['free'] = (probe) => ({
    budget: deps.budgets.ofProbe(potOf(run)),
    mayProbe: async (robots) => !(await probe.isUnwanted(host, robots)),
  });
  const done = await probeAll(deps, run, { host, judging, deadlineMs, free }, progress);
  return done ? undefined : { domain: host.ascii, skipped: 'robots_txt' };
}

/** False when the host asks to be left alone. */
async function probeAll(
  { prober, recorder }: Pick<JobDeps, 'prober' | 'recorder'>,
  run: Run<'host'> | Run<'watch'>,
  { host, judging, deadlineMs, free }: FullProbe,
  progress: ToldProgress,
): Promise<boolean> {
  const seen = await judging(async (probe) => {
    const collected = await prober.collect(host, {
      plan: (phase, known) => {
        progress.reached(phase);
        return probe.plan(phase, known);
      },
      onRequest: ({ url }) => {
        progress.asksFor(new URL(url).pathname);
      },
      phases: ['presence', 'callability'],
      signals: dnsQuestions(host.ascii),
      deadlineMs,
      ...free(probe),
    });
    return collected.unwanted ? undefined : { collected, judgement: await probe.judge(collected) };
  });
  if (!seen) return false;
  requireReached(seen.judgement, deadlineMs);
  await recorder.record({ run, ...(await findingOf(host, seen, judging)) });
  return true;
}

/** What a full probe found, as it is stored. */
async function findingOf(
  host: HostName,
  { collected, judgement }: { readonly collected: CollectedEvidence; readonly judgement: HostJudgement },
  judging: Judging,
) {
  const { cells, fixes, rails, offered, signals } = judgement;
  const at = new Date();
  const clocks = { probedAt: at.toISOString(), callabilityProbedAt: at.toISOString() };
  const { exchanges } = collected;
  const origin = originFrom(host, exchanges);
  const probe = {
    host,
    origin,
    reachable: reachableFrom(exchanges),
    cells,
    fixes,
    rails,
    signals,
    clocks,
  };
  const kept = withinLimits(exchanges, EVIDENCE_LIMITS);
  const bundle = await bundleOf({ known: collected, origin, kept, cells }, (shown) =>
    judging((again) => again.judge(shown)),
  );
  return {
    cells,
    fixes,
    rails: { ...rails, rails: offered },
    phase: 'callability' as const,
    at,
    bundle,
    answered: answeredIn(exchanges),
    factsAfter: () => assembleFacts(probe),
    outcome: { domain: host.ascii, probedAt: clocks.probedAt },
  };
}

/** What the threads conclude of a host. */
type HostJudgement = Awaited<ReturnType<JudgedProbe['judge']>>;
