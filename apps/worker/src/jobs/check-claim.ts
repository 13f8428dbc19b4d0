import { isUnreachable, ROBOTS, type Answer, type Exchange } from '@app/detectors';
import { parseProbeUrl, type HostName } from '@app/hosts';
import { TargetBusyError } from '@app/limits';
import { findingOf, PROOFS } from '@app/owners';
import { askEach } from '@app/probing';
import type { Run } from '@app/queue';
import { OutOfTimeError } from './host-too-slow';
import type { JobDeps } from './job';

/** Timeout for all name servers together, in milliseconds. */
const DNS_MS = 5_000;

/** Timeout for one file, in milliseconds. */
const DOCUMENT_MS = 3_000;

/** Looks for the record and file of a claim, reads the zone of the host, and stores the result (behaviour 17.2). */
export async function checkClaim(deps: JobDeps, run: Run<'claim_check'>): Promise<{ readonly claim: string }> {
  const { claim: id, host } = run;
  const claim = await deps.claims.read(id);
  if (!claim) return { claim: id };
  const { claimResolvers } = deps.config;
  const [zone, documents, records] = await Promise.all([
    askEach({ type: 'NS', name: host.site }, claimResolvers, DNS_MS),
    // Checks requested by strangers do not use up the budget for the daily check of a verified claim.
    readDocuments(deps, host, claim.level === null ? 'claim' : 'owner'),
    Promise.all(
      PROOFS.map(async ({ source, at }) =>
        source === 'records' ? askEach({ type: 'TXT', name: at(host.ascii) }, claimResolvers, DNS_MS) : [],
      ),
    ),
  ]);
  await deps.claims.record(id, findingOf(claim, { zone, documents, records }, new Date()));
  return { claim: id };
}

/**
 * Reads the files that may prove a claim, within the budgets and the robots.txt of the host. A host that is busy or
 * does not answer gets no requests.
 */
async function readDocuments(
  { prober, budgets, judging }: JobDeps,
  host: HostName,
  pot: 'claim' | 'owner',
): Promise<ReadonlyMap<string, Answer>> {
  const answers = new Map<string, Answer>();
  const urls = PROOFS.flatMap(({ source, at }) => (source === 'document' ? at(host.ascii) : []));
  const target = { host: host.ascii, site: host.site };
  const requests = urls.length + 1;
  const budget = budgets.ofProbe(pot);
  const fetch = async (url: string, follow: boolean): Promise<Exchange | undefined> => {
    const reading = parseProbeUrl(url);
    if (!reading.ok) return undefined;
    return (await prober.probe(reading.url, 'GET', undefined, { budget, exchangeMs: DOCUMENT_MS, follow })).exchange;
  };
  try {
    if ((await budgets.waitMs(target, pot, requests)) > 0) return answers;
    await budgets.begin(target, pot, requests);
    const robots = await fetch(`${host.origin}${ROBOTS.url}`, true);
    if (robots === undefined || (robots.kind === 'failure' && isUnreachable(robots.reason))) return answers;
    await judging.withFree({ kind: 'host' }, async (probe) => {
      for (const url of urls) {
        if (await probe.isDisallowedByRobots(host, robots, { path: new URL(url).pathname })) continue;
        const exchange = await fetch(url, false);
        if (exchange?.kind === 'answer') answers.set(url, exchange);
      }
    });
  } catch (error) {
    if (!(error instanceof TargetBusyError || error instanceof OutOfTimeError)) throw error;
  }
  return answers;
}
