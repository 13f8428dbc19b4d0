import { randomBytes } from 'node:crypto';
import {
  controlPaths,
  header,
  REQUEST_BUDGET,
  requestKey,
  type Exchange,
  type FailureReason,
  type HostEvidenceInput,
  type Inquiry,
  type ProbePhase,
  type ProbeRequest,
} from '@app/detectors';
import type { HostName } from '@app/reports';
import type { HostSession } from './host-session';
import { planOf, type Planner } from './planner';

/** Whose questions are asked: those of inquiries, or of a planner. */
export type Questions =
  | { readonly detectors: readonly Inquiry[]; readonly plan?: never }
  | { readonly plan: Planner; readonly detectors?: never };

export type CollectOptions = Questions & {
  /** `callability` builds on what `presence` found in the same run, so it comes second. */
  readonly phases: readonly ProbePhase[];
  /** Told what `/robots.txt` answered, before anything else is asked; false ends the look there. Not asked when absent. */
  readonly mayLook?: (robots: Exchange) => Promise<boolean>;
};

/** What the collector needs of a session: a door to the host and what it kept count of. */
export type Asking = Pick<HostSession, 'ask' | 'askPlainHttp' | 'requests' | 'stoppedBy'>;

/** Everything one look brought back; feeds `HostEvidence` as it is. */
export interface CollectedEvidence extends HostEvidenceInput {
  /** Requests sent, redirect hops included. */
  readonly requests: number;
  /** Why the host was left alone before all was asked, or null. */
  readonly stoppedBy: FailureReason | null;
  /** Whether the host's robots.txt ended the look (`mayLook`): nothing else was asked then. */
  readonly unwanted: boolean;
}

/** Waves per phase: each one asks what the answers to the one before suggest (`followUps`, `exercises`). */
const WAVES = { presence: 3, callability: 4 } as const satisfies Record<ProbePhase, number>;

/**
 * Its rules may be elsewhere: redirects count as the file itself (RFC 9309 section 2.3.1.2). Half a megabyte is what a
 * crawler reads of them at least (section 2.5).
 */
const ROBOTS: ProbeRequest = {
  method: 'GET',
  url: '/robots.txt',
  accept: 'text/plain, */*;q=0.1',
  maxBytes: 512 * 1024,
};

/** The home page is asked in any case: it tells whether the host answers at all, and how it treats visitors. */
const HOME: ProbeRequest = { method: 'GET', url: '/', accept: 'text/html, application/json;q=0.9, */*;q=0.1' };

/**
 * Asks a host what the detectors want to know, in waves, at most `concurrency` requests at a time. Home page and
 * control pair go first, so that a dead or walled host costs it a handful of requests.
 */
export async function collectEvidence(
  host: HostName,
  options: CollectOptions,
  session: Asking,
  concurrency: number,
): Promise<CollectedEvidence> {
  const exchanges: Exchange[] = [];
  let origin = host.origin;
  const plan = options.plan ?? planOf(options.detectors);
  const known = (): HostEvidenceInput => ({ domain: host.ascii, origin, site: host.site, exchanges });
  const unwanted = !((await options.mayLook?.(await session.ask(ROBOTS, 'presence'))) ?? true);
  for (const phase of unwanted ? [] : options.phases) {
    for (let turn = 0; turn < WAVES[phase] && origin === host.origin; turn += 1) {
      const planned = await plan(phase, known());
      const wave = phase === 'presence' && turn === 0 ? firstWave(planned, host) : planned;
      if (wave.length === 0) break;
      exchanges.push(...(await inParallel(wave, concurrency, (request) => session.ask(request, phase))));
      if (turn === 0 && (await answersPlainHttpOnly(exchanges, session))) origin = `http://${host.ascii}`;
    }
  }
  return {
    ...known(),
    requests: session.requests,
    stoppedBy: session.stoppedBy ?? null,
    unwanted,
  };
}

/** Home page and control pair before the detectors' probes; a detector that asks for the home page decides how. */
function firstWave(planned: readonly ProbeRequest[], host: HostName): readonly ProbeRequest[] {
  const controls = controlPaths(randomBytes(16).toString('hex')).map((url): ProbeRequest => ({ method: 'GET', url }));
  const wave = new Map<string, ProbeRequest>();
  for (const request of [HOME, ...controls, ...planned]) {
    const url = new URL(request.url, host.origin).href;
    wave.set(requestKey(request.method, url, request.body), { ...request, url });
  }
  return [...wave.values()].slice(0, REQUEST_BUDGET.presence);
}

/** Failures that may mean "nothing speaks https here"; a bad certificate means that something does. */
const NO_HTTPS: readonly FailureReason[] = ['connect_refused', 'connect_timeout', 'connection_reset'];

/** Tries port 80 once when nothing answered over https, and adds what came to the exchanges. */
async function answersPlainHttpOnly(exchanges: Exchange[], session: Asking): Promise<boolean> {
  const [home] = exchanges;
  if (home?.kind !== 'failure' || exchanges.some((exchange) => exchange.kind === 'answer')) return false;
  if (!NO_HTTPS.includes(home.reason) && home.detail !== 'handshake') return false;
  const plain = await session.askPlainHttp();
  exchanges.push(plain);
  // A redirect to https says that https is meant to work: then it is broken, not missing.
  return plain.kind === 'answer' && !/^https:/i.test(header(plain, 'location') ?? '');
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
