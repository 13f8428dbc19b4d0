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
 * Plans the next requests from the answers so far. Parsing documents can take long, so a process with many probes lets
 * another thread do it.
 */
type Planner = (phase: RequestPhase, known: HostEvidenceInput) => Promise<readonly ProbeRequest[]>;

/** The source of requests: inquiries, or a planner. */
type RequestSource =
  | { readonly detectors: readonly Inquiry[]; readonly plan?: never }
  | { readonly plan: Planner; readonly detectors?: never };

export type CollectOptions = RequestSource & {
  /** `callability` needs the results of `presence` in the same run, so it comes second. */
  readonly phases: readonly ProbePhase[];
  /** Gets the answer to `/robots.txt` before any other request; false ends the probe. */
  readonly mayProbe?: (robots: Exchange) => Promise<boolean>;
  /**
   * Also requests the documents that only signals need, together with the first calls of `callability`, and sends these
   * DNS questions.
   */
  readonly signals?: readonly DnsQuestion[];
  /** Called just before each request of the phases. */
  readonly onRequest?: (request: ProbeRequest, phase: ProbePhase) => void;
};

/** The parts of a session that the collector needs. */
export type Session = Pick<HostSession, 'send' | 'sendPlainHttp' | 'requests' | 'stoppedBy'>;

/** The results of one probe, in the form that `HostEvidence` takes. */
export interface CollectedEvidence extends HostEvidenceInput {
  /** The number of sent requests, including redirects. */
  readonly requests: number;
  /** Why the probe ended early, or null. */
  readonly stoppedBy: FailureReason | null;
  /** Whether robots.txt ended the probe (`mayProbe`), so that there were no other requests. */
  readonly disallowedByRobots: boolean;
}

/** The number of waves per phase: each wave depends on the answers to the previous one (`followUps`, `exercises`). */
const WAVES = { presence: 3, callability: 4 } as const satisfies Record<ProbePhase, number>;

/** The home page is always requested: it shows whether the host answers and how it treats visitors. */
export const HOME: ProbeRequest = { method: 'GET', url: '/', accept: 'text/html, application/json;q=0.9, */*;q=0.1' };

/**
 * Makes the requests of the detectors in waves, with at most `concurrency` requests at a time. Home page and control
 * pair come first, so that a dead or walled host gets few requests.
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
 * The home page and control pair before other requests; if a detector also requests the home page, its headers are
 * used. Other requests wait, because these answers may show that another name must be used. Only one document that
 * follows redirects is requested together with them.
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
 * Records that a phase was due but could send nothing, unlike in a probe without that phase. It is a failure of the
 * home page, because no later phase requests that.
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

/** How a home page fails if nothing there speaks https, or not in a way that clients accept. */
const NO_HTTPS: readonly FailureReason[] = [
  'connect_refused',
  'connect_timeout',
  'connection_reset',
  'tls_error',
  'protocol_error',
  'timeout',
];

/**
 * Sends one request to port 80 if nothing answered over https. It only shows whether the host is reachable: documents
 * only count over https, so the cells keep the reason of the failed connection (behaviour 3.2).
 */
async function plainHttp(exchanges: readonly Exchange[], session: Session): Promise<readonly Exchange[]> {
  const home = exchanges.find(({ url }) => parseUrl(url)?.pathname === '/');
  if (home?.kind !== 'failure' || exchanges.some((exchange) => exchange.kind === 'answer')) return [];
  const plain = NO_HTTPS.includes(home.reason) ? await session.sendPlainHttp() : undefined;
  return plain ? [plain] : [];
}

/** Runs `task` for the items, at most `limit` at a time; results keep the order of the items. */
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
