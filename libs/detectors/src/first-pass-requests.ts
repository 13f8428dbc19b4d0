import type { Detector } from './judgement/detector';
import type { Answer, ProbeRequest } from './evidence/exchange';
import { HostEvidence } from './evidence/host-evidence';
import type { BlockReason } from './evidence/reading';
import { DETECTORS, type DetectorId } from './registry';
import { runDetector, type ProtocolCell } from './run-detector';

/** The maximum number of requests in a first pass, including redirects. */
export const FIRST_PASS_REQUESTS = 8;

/**
 * The documents of a first pass, the most frequent first: llms.txt and the profile that shop platforms provide, then
 * the documents in most public repositories.
 */
const WELL_KNOWNS = [
  '/llms.txt',
  '/.well-known/ucp',
  '/.well-known/agent-card.json',
  '/.well-known/mcp/server-card.json',
  '/.well-known/x402',
] as const;

/** The requests as their detectors declare them. */
export const FIRST_PASS: readonly ProbeRequest[] = WELL_KNOWNS.map(declared);

/** Whether a status means that there is nothing at its path, so that the answer needs no reading. */
export function saysNothing({ status }: Pick<Answer, 'status'>): boolean {
  return status === 404 || status === 410;
}

/**
 * The protocols with a sign in a first pass, so that a full probe is worthwhile: a detector finds something, or has a
 * request that it would not have for an empty host (a link on the home page, a linked document). A catch-all answer is
 * not a sign.
 */
export function signsOf(seen: HostEvidence): readonly DetectorId[] {
  const all: readonly Detector<DetectorId>[] = DETECTORS;
  return all.filter((detector) => finds(detector, seen) || leadsOn(detector, seen)).map(({ id }) => id);
}

/** The result of a first pass. */
export interface FirstReading {
  readonly signs: readonly DetectorId[];
  /** Why the home page could not be read, or null. */
  readonly blocked: BlockReason | null;
}

export function firstReading(seen: HostEvidence): FirstReading {
  const home = seen.read('/');
  const blocked = home.kind === 'blocked' ? home.reason : home.kind === 'refused' ? 'refused' : null;
  return { signs: signsOf(seen), blocked };
}

function finds(detector: Detector, seen: HostEvidence): boolean {
  return isFound(runDetector(detector, seen).cell);
}

/** Whether a protocol is really published; a catch-all answer does not count. */
export function isFound({ status, details }: Pick<ProtocolCell, 'status' | 'details'>): boolean {
  return (status === 'present' || status === 'partial') && details['catchAll'] !== true;
}

function leadsOn(detector: Detector, seen: HostEvidence): boolean {
  return requestsOf(detector, seen).some(({ method, url }) => {
    const target = seen.resolve(url);
    return target !== undefined && seen.sameSite(target) && !USUAL.has(`${method} ${pathOf(target)}`);
  });
}

function requestsOf({ followUps, exercises }: Detector, seen: HostEvidence): readonly ProbeRequest[] {
  try {
    return [...(followUps?.(seen) ?? []), ...(exercises?.(seen) ?? [])];
  } catch {
    return []; // the same bug makes the cell an `error` in a full probe
  }
}

const NOWHERE = 'https://nothing.example.com';

/** The requests of detectors to a host that answers 404 to everything: method and path. */
const USUAL: ReadonlySet<string> = usual();

function usual(): ReadonlySet<string> {
  const asked = new Map<string, ProbeRequest>();
  const all: readonly Detector[] = DETECTORS;
  let wishes = all.flatMap(({ probes }) => probes);
  while (wishes.length > 0) {
    for (const wish of wishes) asked.set(`${wish.method} ${wish.url}`, wish);
    const seen = nothingAt([...asked.values()]);
    wishes = all
      .flatMap((detector) => requestsOf(detector, seen))
      .filter(({ method, url }) => !asked.has(`${method} ${url}`));
  }
  return new Set([...asked.values()].map(({ method, url }) => `${method} ${pathOf(new URL(url, NOWHERE).href)}`));
}

function nothingAt(requests: readonly ProbeRequest[]): HostEvidence {
  const exchanges = requests.map(({ method, url, body }): Answer => {
    const at = new URL(url, NOWHERE).href;
    return {
      kind: 'answer',
      method,
      url: at,
      finalUrl: at,
      ...(body !== undefined && { requestBody: body }),
      phase: 'presence',
      observedAt: '2026-01-01T00:00:00.000Z',
      redirects: [],
      status: 404,
      headers: [],
      body: '',
      bytes: 0,
      sha256: '',
      truncated: false,
    };
  });
  return new HostEvidence({ domain: 'nothing.example.com', origin: NOWHERE, site: 'example.com', exchanges });
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

function declared(path: string): ProbeRequest {
  const all: readonly Detector[] = DETECTORS;
  const request = all.flatMap(({ probes }) => probes).find(({ url }) => url === path);
  if (!request) throw new Error(`no detector asks for ${path}`);
  return request;
}
