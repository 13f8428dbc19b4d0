import { randomBytes } from 'node:crypto';
import {
  controlPaths,
  HostEvidence,
  nextWave,
  parseUrl,
  REQUEST_BUDGET,
  ROBOTS,
  requestKey,
  type DnsQuestion,
  type Exchange,
  type FailureReason,
  type HostEvidenceInput,
  type Inquiry,
  type ProbePhase,
  type ProbeRequest,
  type RequestPhase,
} from '@app/detectors';
import type { HostName } from '@app/hosts';
import type { HostSession } from './host-session';

/**
 * Plans the next requests from what is known. Reading the documents of a host can take long, so a process that makes
 * many probes at once lets another thread do it.
 */
type Planner = (phase: RequestPhase, known: HostEvidenceInput) => Promise<readonly ProbeRequest[]>;

/** Where the requests come from: from inquiries, or from a planner. */
type RequestSource =
  | { readonly detectors: readonly Inquiry[]; readonly plan?: never }
  | { readonly plan: Planner; readonly detectors?: never };

export type CollectOptions = RequestSource & {
  /** `callability` builds on what `presence` found in the same run, so it comes second. */
  readonly phases: readonly ProbePhase[];
  /** Gets the answer to `/robots.txt` before any other request; false ends the probe. */
  readonly mayProbe?: (robots: Exchange) => Promise<boolean>;
  /** Also requests the documents that only signals read, along with the first calls of `callability`, and these DNS questions. */
  readonly signals?: readonly DnsQuestion[];
  /** Told of each request of the phases just before it is sent. */
  readonly onRequest?: (request: ProbeRequest, phase: ProbePhase) => void;
};

/** What the collector needs of a session: requests to the host, and their number. */
export type Session = Pick<HostSession, 'send' | 'sendPlainHttp' | 'requests' | 'stoppedBy'>;

/** Everything one probe brought back; feeds `HostEvidence` as it is. */
export interface CollectedEvidence extends HostEvidenceInput {
  /** Requests sent, redirects included. */
  readonly requests: number;
  /** Why the probe ended before all requests were made, or null. */
  readonly stoppedBy: FailureReason | null;
  /** Whether the host's robots.txt ended the probe (`mayProbe`): no other request was made then. */
  readonly disallowedByRobots: boolean;
}

/** Waves per phase: each one follows from the answers to the one before (`followUps`, `exercises`). */
const WAVES = { presence: 3, callability: 4 } as const satisfies Record<ProbePhase, number>;

/** The home page is requested in any case: it tells whether the host answers at all, and how it treats visitors. */
export const HOME: ProbeRequest = { method: 'GET', url: '/', accept: 'text/html, application/json;q=0.9, */*;q=0.1' };

/**
 * Makes the requests that the detectors want, in waves, at most `concurrency` requests at a time. Home page and
 * control pair go first, so that a dead or walled host costs it a handful of requests.
 */
export async function collectEvidence(
  host: HostName,
  options: CollectOptions,
  session: Session,
  concurrency: number,
): Promise<CollectedEvidence> {
  const exchanges: Exchange[] = [];
  const { detectors = [] } = options;
  let seen: HostEvidence | undefined;
  const plan: Planner =
    options.plan ??
    ((phase, known) => Promise.resolve(nextWave(detectors, phase, (seen = new HostEvidence(known, seen)))));
  const known = (): HostEvidenceInput => ({ domain: host.ascii, origin: host.origin, site: host.site, exchanges });
  const robots = options.mayProbe && (await session.send(ROBOTS, 'signals'));
  if (robots) exchanges.push(robots);
  const disallowedByRobots = robots !== undefined && !(await options.mayProbe?.(robots));
  for (const phase of disallowedByRobots ? [] : options.phases) {
    for (let turn = 0; turn < WAVES[phase]; turn += 1) {
      const asked = exchanges.filter((exchange) => exchange.phase === phase).length;
      const rules = phase === 'presence' && robots ? 1 : 0;
      const left = Math.max(0, REQUEST_BUDGET[phase] - asked - rules);
      const planned = await plan(phase, known());
      const wave = phase === 'presence' && turn === 0 ? firstWave(planned, host, left) : [planned.slice(0, left)];
      const beside = options.signals && phase === 'callability' && turn === 0 ? await plan('signals', known()) : [];
      if (wave.flat().length + beside.length === 0) break;
      for (const requests of wave) {
        const sent = [
          ...requests.map((one) => [one, phase] as const),
          ...beside.map((one) => [one, 'signals'] as const),
        ];
        const came = await inParallel(sent, concurrency, ([request, of]) => {
          if (of !== 'signals') options.onRequest?.(request, of);
          return session.send(request, of);
        });
        exchanges.push(...came.filter((exchange) => exchange !== undefined));
        const isCut = phase === 'callability' && exchanges.every((exchange) => exchange.phase !== phase);
        if (isCut && requests.length > 0) exchanges.push(unsent(host, phase));
      }
      if (phase === 'presence' && turn === 0) exchanges.push(...(await plainHttp(exchanges, session)));
    }
  }
  return {
    ...known(),
    requests: session.requests,
    stoppedBy: session.stoppedBy ?? null,
    disallowedByRobots,
  };
}

/**
 * Home page and control pair before the detectors' probes; a detector that requests the home page decides how. The rest
 * waits for these, since they may show another name to ask; only one document that follows redirects goes with them.
 */
function firstWave(
  planned: readonly ProbeRequest[],
  host: HostName,
  most: number,
): readonly (readonly ProbeRequest[])[] {
  const controls = controlPaths(randomBytes(16).toString('hex')).map((url): ProbeRequest => ({ method: 'GET', url }));
  const wave = new Map<string, ProbeRequest>();
  for (const request of [HOME, ...controls, ...planned]) {
    const url = new URL(request.url, host.origin).href;
    wave.set(requestKey(request.method, url, request.body), { ...request, url });
  }
  const all = [...wave.values()].slice(0, most);
  const first = all.slice(0, 1 + controls.length);
  const along = all.slice(first.length).find(({ redirects }) => redirects !== 'manual');
  if (along) first.push(along);
  return [first, all.filter((request) => !first.includes(request))];
}

/**
 * Says that something was to be requested in a phase and nothing was sent, unlike in a probe that has no such phase: a failure
 * of the home page, which is never requested in a later phase, so that it is no answer to any request.
 */
function unsent({ origin }: HostName, phase: ProbePhase): Exchange {
  const observedAt = new Date().toISOString();
  return {
    kind: 'failure',
    method: 'GET',
    url: `${origin}/`,
    phase,
    observedAt,
    redirects: [],
    reason: 'budget_spent',
  };
}

/** How a home page fails where nobody speaks https, or not in a way that a client takes. */
const NO_HTTPS: readonly FailureReason[] = [
  'connect_refused',
  'connect_timeout',
  'connection_reset',
  'tls_error',
  'protocol_error',
  'timeout',
];

/**
 * Asks port 80 once when nothing answered over https. That tells whether the host is reachable and nothing else: what it
 * publishes counts over https alone, so the cells keep the reason of the connection (behaviour 3.2).
 */
async function plainHttp(exchanges: readonly Exchange[], session: Session): Promise<readonly Exchange[]> {
  const home = exchanges.find(({ url }) => parseUrl(url)?.pathname === '/');
  if (home?.kind !== 'failure' || exchanges.some((exchange) => exchange.kind === 'answer')) return [];
  const plain = NO_HTTPS.includes(home.reason) ? await session.sendPlainHttp() : undefined;
  return plain ? [plain] : [];
}

/** Runs `task` over the items, at most `limit` at a time; results keep the order of the items. */
async function inParallel<T, R>(
  items: readonly T[],
  limit: number,
  task: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const lane = async () => {
    for (const [index, item] of queue) results[index] = await task(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane));
  return results;
}
