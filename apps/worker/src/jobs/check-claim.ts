import { challengeFile, challengeName, fileFinding, recordHolds, zoneFinding, type ClaimFinding } from '@app/owners';
import { isUnreachable, ROBOTS, type Exchange } from '@app/detectors';
import { PROBE_KINDS, TargetBusyError } from '@app/limits';
import { askEach, type NamedRecords } from '@app/probing';
import type { Run } from '@app/queue';
import { parseProbeUrl, type HostName } from '@app/hosts';
import { OutOfTimeError } from './host-too-slow';
import type { JobDeps } from './job';

/** The name servers together, in milliseconds. */
const DNS_MS = 5_000;

/** One document, in milliseconds. */
const DOCUMENT_MS = 3_000;

/** Asks all name servers for the record and the zone of a claim, the host for its file, and writes what came (behaviour 17.2). */
export async function checkClaim(deps: JobDeps, run: Run<'claim_check'>): Promise<{ readonly claim: string }> {
  const { claim: id } = run;
  const claim = await deps.claims.read(id);
  if (!claim) return { claim: id };
  const { domain, challenge } = claim;
  const { claimResolvers } = deps.config;
  // A stranger's checks take nothing from the daily check of a claim whose control was seen.
  const pot = claim.level === null ? 'claim' : 'owner';
  const [answers, zones, file] = await Promise.all([
    askEach({ type: 'TXT', name: challengeName(domain) }, claimResolvers, DNS_MS),
    askEach({ type: 'NS', name: run.host.site }, claimResolvers, DNS_MS),
    readFile(deps, run.host, pot),
  ]);
  const { zone, nameServers } = zoneFinding(zones, claim.nameServers);
  const finding = { ...agreed(answers, challenge), file: fileFinding(answerOf(file), challenge), zone };
  await deps.claims.record(id, finding, nameServers);
  return { claim: id };
}

/**
 * Reads the file of a claim, as the budgets and the robots.txt of its host allow. Undefined where it was not asked for or
 * nothing came: a host that is busy, or does not answer, is asked for nothing.
 */
async function readFile(
  { prober, budgets, judging }: JobDeps,
  host: HostName,
  pot: 'claim' | 'owner',
): Promise<Exchange | undefined> {
  const target = { host: host.ascii, site: host.site };
  const { requests } = PROBE_KINDS.claim;
  const budget = budgets.ofProbe(pot);
  const fetch = async (url: string, follow: boolean): Promise<Exchange | undefined> => {
    const reading = parseProbeUrl(url);
    if (!reading.ok) return undefined;
    return (await prober.probe(reading.url, 'GET', undefined, { budget, exchangeMs: DOCUMENT_MS, follow })).exchange;
  };
  try {
    if ((await budgets.waitMs(target, pot, requests)) > 0) return undefined;
    await budgets.begin(target, pot, requests);
    const robots = await fetch(`${host.origin}${ROBOTS.url}`, true);
    if (robots === undefined || (robots.kind === 'failure' && isUnreachable(robots.reason))) return undefined;
    return await judging.withFree({ kind: 'host' }, async (probe) => {
      const url = challengeFile(host.ascii);
      const isUnwanted = await probe.isUnwanted(host, robots, { path: new URL(url).pathname });
      return isUnwanted ? undefined : fetch(url, false);
    });
  } catch (error) {
    if (!(error instanceof TargetBusyError || error instanceof OutOfTimeError)) throw error;
    return undefined;
  }
}

/** What all name servers say; what one of them alone says proves nothing, and ends nothing. */
export function agreed(
  answers: readonly (NamedRecords | undefined)[],
  challenge: string,
): Pick<ClaimFinding, 'dns' | 'target'> {
  const told = answers.flatMap((answer) => answer ?? []);
  if (told.length < answers.length || told.length === 0) return { dns: 'unknown', target: null };
  const now = new Date();
  const holding = told.filter(({ records }) => recordHolds(records, challenge, now));
  if (holding.length === 0) return { dns: 'absent', target: null };
  if (holding.length < told.length) return { dns: 'disagree', target: null };
  return { dns: 'found', target: holding.find(({ target }) => target !== null)?.target ?? null };
}

function answerOf(exchange: Exchange | undefined): Parameters<typeof fileFinding>[0] {
  if (exchange?.kind !== 'answer') return undefined;
  const { status, headers, body, bytes } = exchange;
  const contentType = headers.find(([name]) => name === 'content-type')?.[1] ?? '';
  return { status, contentType, body, bytes };
}
