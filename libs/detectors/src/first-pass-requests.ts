import type { Detector } from './judgement/detector';
import type { Answer, ProbeRequest } from './evidence/exchange';
import { HostEvidence } from './evidence/host-evidence';
import type { BlockReason } from './evidence/reading';
import { DETECTORS, type DetectorId } from './registry';
import { runDetector, type ProtocolCell } from './run-detector';

/** Most requests of a first pass, redirects included. */
export const FIRST_PASS_REQUESTS = 8;

/**
 * Documents that a first pass asks for, by how many hosts publish them: the guide for models and the profile that stores
 * get from their platform come first, then the documents that most public repositories hold.
 */
const WELL_KNOWNS = [
  '/llms.txt',
  '/.well-known/ucp',
  '/.well-known/agent-card.json',
  '/.well-known/mcp/server-card.json',
  '/.well-known/x402',
] as const;

/** The requests themselves, as the detectors that read them declare them. */
export const FIRST_PASS: readonly ProbeRequest[] = WELL_KNOWNS.map(declared);

/** Whether an answer says that there is nothing at its path, or nothing at all: it needs no reading. */
export function saysNothing({ status }: Pick<Answer, 'status'>): boolean {
  return status === 404 || status === 410;
}

/**
 * The protocols of which a first pass saw a sign, so that a full probe is worth its requests: a detector finds something, or
 * wants to request what it would not want of a host that publishes nothing (a link of the home page, a linked document).
 * What a host says to any path is no sign.
 */
export function signsOf(seen: HostEvidence): readonly DetectorId[] {
  const all: readonly Detector<DetectorId>[] = DETECTORS;
  return all.filter((detector) => finds(detector, seen) || leadsOn(detector, seen)).map(({ id }) => id);
}

/** What a first pass tells of a host. */
export interface FirstReading {
  readonly signs: readonly DetectorId[];
  /** Why the home page could not be seen, or null. */
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

/** Whether a host publishes something of a protocol: what it says to any path counts for nothing. */
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
    return []; // the same bug makes the cell an `error` of the full probe
  }
}

const NOWHERE = 'https://nothing.example.com';

/** What detectors ask of a host that answers 404 to everything, method and path. */
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
