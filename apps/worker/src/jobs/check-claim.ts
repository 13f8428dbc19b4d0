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
import { KEY_DOCUMENTS, publishedKeys, type Exchange } from '@app/detectors';
import { defined } from '@app/objects';
import { askEach, type NamedRecords } from '@app/probing';
import type { Run } from '@app/queue';
import { parseProbeUrl, type HostName } from '@app/reports';
import type { JobDeps } from './job';

/** The name servers together, in milliseconds. */
const DNS_MS = 5_000;

/** Asks all name servers for the record and the zone of a claim, the host for its file and keys, and writes what came (behaviour 17.2). */
export async function checkClaim(
  deps: JobDeps,
  run: Run<'claim_check'>,
  deadlineMs: number,
): Promise<{ readonly claim: string }> {
  const { claim: id } = run;
  const claim = await deps.claims.read(id);
  if (!claim) return { claim: id };
  const { domain, challenge, thumbprint } = claim;
  const { claimResolvers } = deps.config;
  const [answers, zones, file, key] = await Promise.all([
    askEach({ type: 'TXT', name: challengeName(domain) }, claimResolvers, DNS_MS),
    askEach({ type: 'NS', name: run.host.site }, claimResolvers, DNS_MS),
    fileOf(deps, domain, deadlineMs),
    thumbprint === null ? undefined : keyFinding(deps, run.host, thumbprint, deadlineMs),
  ]);
  const tokens = thumbprint === null ? [challenge] : [challenge, keyToken(thumbprint)];
  const { zone, nameServers } = zoneFinding(zones, claim.nameServers);
  const finding = { ...agreed(answers, tokens), file: fileFinding(file, challenge), zone, ...defined({ key }) };
  await deps.claims.record(id, finding, nameServers);
  return { claim: id };
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

async function fileOf(deps: JobDeps, domain: string, deadlineMs: number): Promise<Parameters<typeof fileFinding>[0]> {
  const exchange = await fetched(deps, challengeFile(domain), deadlineMs);
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
  deadlineMs: number,
): Promise<KeyFinding> {
  const ends = Date.now() + deadlineMs;
  const all = async (urls: readonly string[]): Promise<readonly Exchange[]> =>
    (await Promise.all(urls.map((url) => fetched(deps, url, ends - Date.now())))).flatMap((one) => one ?? []);
  const documents = await all(KEY_DOCUMENTS.map((path) => `https://${ascii}${path}`));
  const sets = await all(publishedKeys(documents).sets.filter((url) => isOf(url, ascii)));
  const exchanges = [...documents, ...sets];
  if (publishedKeys(exchanges).thumbprints.includes(thumbprint)) {
    return (await deps.claims.isSharedKey(thumbprint, site)) ? 'shared' : 'found';
  }
  return exchanges.some((one) => one.kind === 'failure' || saysNothing(one.status)) ? 'unknown' : 'absent';
}

function isOf(url: string, domain: string): boolean {
  const reading = parseProbeUrl(url);
  return reading.ok && reading.url.host.ascii === domain;
}

async function fetched({ prober }: JobDeps, url: string, deadlineMs: number): Promise<Exchange | undefined> {
  const reading = parseProbeUrl(url);
  if (!reading.ok) return undefined;
  return (await prober.probe(reading.url, 'GET', AbortSignal.timeout(Math.max(0, deadlineMs)))).exchange;
}
