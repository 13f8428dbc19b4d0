import { dnsQuestions, type Exchange, type FirstReading, type HostEvidenceInput } from '@app/detectors';
import { censusFinding, findsAny, type CensusFinding } from '@app/census';
import type { OptOuts, TargetBudgets } from '@app/limits';
import type { Prober } from '@app/probing';
import { type HostName } from '@app/hosts';
import { answeredIn, reachableFrom } from '@app/reports';
import type { CensusShare } from './census-share';
import type { JudgingThreads } from '../judging/judging-threads';

export interface CensusDeps {
  readonly prober: Prober;
  readonly judging: JudgingThreads;
  readonly budgets: Pick<TargetBudgets, 'begin' | 'ofProbe'>;
  readonly optOuts: Pick<OptOuts, 'covers'>;
  readonly share: Pick<CensusShare, 'giveWay'>;
}

/** The outcome of a host: a word, followed by a colon and the reason if there is one (behaviour 18.4). */
export interface CensusEnd {
  readonly outcome: string;
  readonly finding: CensusFinding | null;
}

/**
 * Probes a host for a census: a first pass, followed by a full probe if the first pass finds a sign of a protocol or
 * the caller wants it. It counts as crawling, so robots.txt can end it, and the target budgets apply.
 * @throws {TargetBusyError} and `OutOfTimeError`: the host was not probed
 */
export async function probeCensusHost(deps: CensusDeps, host: HostName, depth: string): Promise<CensusEnd> {
  if (deps.optOuts.covers(host.ascii)) return { outcome: 'opted_out', finding: null };
  await deps.budgets.begin({ host: host.ascii, site: host.site }, 'census');
  const before: Exchange[] = [];
  let signs: readonly string[] = [];
  if (depth !== 'full') {
    const { pass, reading } = await firstPass(deps, host);
    before.push(...pass.exchanges);
    signs = pass.signs;
    const ended = endOf(pass, reading);
    if (ended !== undefined || signs.length === 0)
      return { outcome: ended ?? 'nothing', finding: censusFinding(before, signs, undefined) };
  }
  return fullProbe(deps, host, before, signs);
}

/** The outcome of a pass that needs no full probe; undefined if the host answered. */
function endOf(
  {
    exchanges,
    disallowedByRobots,
    signs,
  }: {
    readonly exchanges: readonly Exchange[];
    readonly disallowedByRobots: boolean;
    readonly signs: readonly string[];
  },
  { blocked }: Pick<FirstReading, 'blocked'>,
): string | undefined {
  if (disallowedByRobots) return 'unwanted';
  const answered = answeredIn(exchanges);
  if (answered.outcome !== 'up') return `unreachable:${answered.reason}`;
  return signs.length === 0 && blocked !== null ? `blocked:${blocked}` : undefined;
}

function firstPass({ judging, prober, budgets, share }: CensusDeps, host: HostName) {
  return judging.withFree({ kind: 'host' }, async (probe) => {
    let reading: FirstReading = { signs: [], blocked: null };
    const options = {
      signs: async (known: HostEvidenceInput) => (reading = await probe.first(known)).signs,
      mayProbe: async (robots: Exchange) => !(await probe.isDisallowedByRobots(host, robots, { crawls: true })),
      giveWay: () => share.giveWay(),
    };
    const pass = await prober.firstPass(host, options, budgets.ofProbe('census'));
    return { pass, reading };
  });
}

function fullProbe(
  { judging, prober, budgets }: CensusDeps,
  host: HostName,
  before: readonly Exchange[],
  signs: readonly string[],
): Promise<CensusEnd> {
  return judging.withFree({ kind: 'host' }, async (probe) => {
    const collected = await prober.collect(host, {
      plan: probe.plan,
      phases: ['presence', 'callability'],
      signals: dnsQuestions(host.ascii),
      budget: budgets.ofProbe('census'),
      mayProbe: async (robots) => !(await probe.isDisallowedByRobots(host, robots, { crawls: true })),
    });
    const exchanges = [...before, ...collected.exchanges];
    if (collected.disallowedByRobots || !reachableFrom(collected.exchanges)) {
      const outcome = endOf({ ...collected, signs }, { blocked: null }) ?? 'nothing';
      return { outcome, finding: censusFinding(exchanges, signs, undefined) };
    }
    const { blocked } = await probe.first(collected);
    const judgement = await probe.judge(collected);
    const nothing = blocked === null ? 'nothing' : `blocked:${blocked}`;
    const outcome = findsAny(judgement.cells) ? 'found' : nothing;
    return { outcome, finding: censusFinding(exchanges, signs, judgement) };
  });
}
