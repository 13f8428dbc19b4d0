import {
  challengeFile,
  challengeName,
  fileFinding,
  keyToken,
  recordHolds,
  saysNothing,
  zoneFinding,
  type ClaimFinding,
  type KeyFinding,
} from '@app/claims';
import { isUnreachable, KEY_DOCUMENTS, publishedKeys, ROBOTS, type Exchange } from '@app/detectors';
import { PROBE_KINDS, TargetBusyError } from '@app/limits';
import { defined } from '@app/objects';
import { askEach, type NamedRecords } from '@app/probing';
import type { Run } from '@app/queue';
import { parseProbeUrl, type HostName } from '@app/reports';
import { OutOfTimeError } from './host-too-slow';
import type { JobDeps } from './job';

/** The name servers together, in milliseconds. */
const DNS_MS = 5_000;

/** One document, in milliseconds. */
const DOCUMENT_MS = 3_000;
/** A document of the host; undefined where none came, or none was asked for. */
type Read = (url: string) => Promise<Exchange | undefined>;

/** Asks all name servers for the record and the zone of a claim, the host for its file and keys, and writes what came (behaviour 17.2). */
export async function checkClaim(deps: JobDeps, run: Run<'claim_check'>): Promise<{ readonly claim: string }> {
  const { claim: id } = run;
  const claim = await deps.claims.read(id);
  if (!claim) return { claim: id };
  const { domain, challenge, thumbprint } = claim;
  const { claimResolvers } = deps.config;
  // A stranger's checks take nothing from the daily check of a claim whose control was seen.
  const pot = claim.level === null ? 'claim' : 'owner';
  const [answers, zones, [file, key]] = await Promise.all([
    askEach({ type: 'TXT', name: challengeName(domain) }, claimResolvers, DNS_MS),
    askEach({ type: 'NS', name: run.host.site }, claimResolvers, DNS_MS),
    withDocuments(deps, run.host, pot, (read) =>
      Promise.all([
        read(challengeFile(domain)),
        thumbprint === null ? undefined : keyFinding(deps, run.host, thumbprint, read),
      ]),
    ),
  ]);
  const tokens = thumbprint === null ? [challenge] : [challenge, keyToken(thumbprint)];
  const { zone, nameServers } = zoneFinding(zones, claim.nameServers);
  const finding = {
    ...agreed(answers, tokens),
    file: fileFinding(answerOf(file), challenge),
    zone,
    ...defined({ key }),
  };
  await deps.claims.record(id, finding, nameServers);
  return { claim: id };
}

/**
 * Lets `work` read documents of the host, as its budgets and its robots.txt allow. A host that is busy, or does not
 * answer, is asked for nothing: what it publishes is unknown then.
 */
async function withDocuments<T>(
  { prober, budgets, judging }: JobDeps,
  host: HostName,
  pot: 'claim' | 'owner',
  work: (read: Read) => Promise<T>,
): Promise<T> {
  const target = { host: host.ascii, site: host.site };
  const { requests } = PROBE_KINDS.claim;
  const budget = budgets.ofProbe(pot);
  const fetch = async (url: string, follow: boolean): Promise<Exchange | undefined> => {
    const reading = parseProbeUrl(url);
    if (!reading.ok) return undefined;
    return (await prober.probe(reading.url, 'GET', undefined, { budget, exchangeMs: DOCUMENT_MS, follow })).exchange;
  };
  try {
    if ((await budgets.waitMs(target, pot, requests)) > 0) return await work(NOTHING);
    await budgets.begin(target, pot, requests);
    const robots = await fetch(`${host.origin}${ROBOTS.url}`, true);
    if (robots === undefined || isSilent(robots)) return await work(NOTHING);
    return await judging.withFree({ kind: 'host' }, (probe) =>
      work(async (url) =>
        (await probe.isUnwanted(host, robots, { path: new URL(url).pathname })) ? undefined : fetch(url, false),
      ),
    );
  } catch (error) {
    if (!(error instanceof TargetBusyError || error instanceof OutOfTimeError)) throw error;
    return work(NOTHING);
  }
}

const NOTHING: Read = () => Promise.resolve(undefined);

function isSilent(exchange: Exchange): boolean {
  return exchange.kind === 'failure' && isUnreachable(exchange.reason);
}

/** What all name servers say; what one of them alone says proves nothing, and ends nothing. */
export function agreed(
  answers: readonly (NamedRecords | undefined)[],
  tokens: readonly string[],
): Pick<ClaimFinding, 'dns' | 'target'> {
  const told = answers.flatMap((answer) => answer ?? []);
  if (told.length < answers.length || told.length === 0) return { dns: 'unknown', target: null };
  const now = new Date();
  const holding = told.filter(({ records }) => recordHolds(records, tokens, now));
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

/** Whether the very host publishes the key, and no host of another registrable domain. */
async function keyFinding(
  deps: JobDeps,
  { ascii, site }: HostName,
  thumbprint: string,
  read: Read,
): Promise<KeyFinding> {
  const all = async (urls: readonly string[]): Promise<readonly Exchange[]> =>
    (await Promise.all(urls.map(read))).flatMap((one) => one ?? []);
  const documents = await all(KEY_DOCUMENTS.map((path) => `https://${ascii}${path}`));
  const sets = await all(publishedKeys(documents).sets.filter((url) => isOf(url, ascii)));
  const exchanges = [...documents, ...sets];
  if (publishedKeys(exchanges).thumbprints.includes(thumbprint)) {
    return (await deps.claims.isSharedKey(thumbprint, site)) ? 'shared' : 'found';
  }
  const unread = documents.length < KEY_DOCUMENTS.length;
  return unread || exchanges.some((one) => one.kind === 'failure' || saysNothing(one.status)) ? 'unknown' : 'absent';
}

function isOf(url: string, domain: string): boolean {
  const reading = parseProbeUrl(url);
  return reading.ok && reading.url.host.ascii === domain;
}
