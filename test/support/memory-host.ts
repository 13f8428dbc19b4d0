import {
  FIRST_PASS_REQUESTS,
  HostEvidence,
  HOST_INQUIRIES,
  signsOf,
  type Exchange,
  type HostEvidenceInput,
  type Inquiry,
  type ProbePhase,
} from '@app/detectors';
import { PROBE_LIMITS, type CollectedEvidence, type ProbeLimits } from '@app/probing';
import type { HostName } from '@app/hosts';
import { collectEvidence } from '../../libs/probing/src/evidence-collector';
import { ProbeFault } from '../../libs/probing/src/failure';
import { collectFirstPass, type FirstPass } from '../../libs/probing/src/first-pass';
import { HostSession } from '../../libs/probing/src/host-session';
import type { ProbeCall } from '../../libs/probing/src/http-probe';
import { isRedirect, RedirectChain } from '../../libs/probing/src/redirect-policy';
import { exchange, type Reply } from './evidence';
import { hostName } from './probing';
import { VirtualClock } from './virtual-clock';

/** A request as seen by the host. */
export interface MemoryRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly body?: string | undefined;
}

/** The host's answer; `location` makes a 3xx a redirect, `latencyMs` passes on the virtual clock of the probe. */
export interface MemoryReply extends Reply {
  readonly location?: string;
  readonly latencyMs?: number;
}

export interface MemoryProbeOptions {
  readonly host?: HostName;
  readonly detectors?: readonly Inquiry[];
  readonly phases?: readonly ProbePhase[];
  readonly limits?: Partial<ProbeLimits>;
}

/** The results of a probe, and the requests that the host saw. */
export interface MemoryProbe extends CollectedEvidence {
  /** `METHOD url` of every request, including redirects, in order of arrival. */
  readonly log: readonly string[];
  /** The duration of the probe on its virtual clock. */
  readonly elapsedMs: number;
}

/**
 * A complete probe like the worker's (session, waves, budgets, redirects, deadline) of a host that is a function:
 * without sockets and waiting, so that thousands of hosts can be tried. Faults of sockets and bodies are tested with
 * real ones.
 */
export async function probeInMemory(
  answer: (request: MemoryRequest) => MemoryReply,
  {
    host = hostName(),
    detectors = HOST_INQUIRIES,
    phases = ['presence', 'callability'],
    limits = {},
  }: MemoryProbeOptions,
): Promise<MemoryProbe> {
  return inMemory(answer, host, { ...PROBE_LIMITS, ...limits }, (session, { concurrency }) =>
    collectEvidence(host, { detectors, phases, signals: [] }, session, concurrency),
  );
}

/** A first pass over such a host, and how often it gave way to others. */
export async function firstPassInMemory(
  answer: (request: MemoryRequest) => MemoryReply,
  mayProbe = true,
): Promise<FirstPass & Pick<MemoryProbe, 'log' | 'elapsedMs'> & { readonly gaveWay: number }> {
  const host = hostName();
  let gaveWay = 0;
  const limits = { ...PROBE_LIMITS, requests: FIRST_PASS_REQUESTS, signalRequests: 0 };
  const options = {
    signs: (known: HostEvidenceInput) => Promise.resolve(signsOf(new HostEvidence(known))),
    mayProbe: () => Promise.resolve(mayProbe),
    giveWay: () => Promise.resolve(void (gaveWay += 1)),
  };
  const pass = await inMemory(answer, host, limits, (session) => collectFirstPass(host, options, session));
  return { ...pass, gaveWay };
}

async function inMemory<T>(
  answer: (request: MemoryRequest) => MemoryReply,
  host: HostName,
  limits: ProbeLimits,
  collect: (session: HostSession, limits: ProbeLimits) => Promise<T>,
): Promise<T & Pick<MemoryProbe, 'log' | 'elapsedMs'>> {
  const clock = new VirtualClock();
  const over = new AbortController();
  const log: string[] = [];
  const ask = (request: MemoryRequest) => {
    log.push(`${request.method} ${request.url.href}`);
    return answer(request);
  };
  const session = new HostSession(host, { exchange: (call) => follow(call, ask, clock, limits) }, limits, over.signal);
  clock.at(limits.hostMs, () => {
    over.abort(new ProbeFault('budget_spent'));
  });
  const collected = await clock.run(collect(session, limits));
  return { ...collected, log, elapsedMs: clock.now };
}

/** A chain of requests with the same policy as over sockets. */
async function follow(
  call: ProbeCall,
  ask: (request: MemoryRequest) => MemoryReply,
  clock: VirtualClock,
  limits: ProbeLimits,
): Promise<Exchange> {
  const { request, phase, signal, site, known } = call;
  const chain = new RedirectChain({ site, redirects: limits.redirects, known });
  const end = (reply: Reply) =>
    exchange(request.method, call.url.href, { ...reply, phase, redirects: [...chain.redirects] }, request.body);
  const until = clock.now + limits.exchangeMs;
  for (let url = call.url; ;) {
    if (signal.aborted || !call.maySend()) return end({ failure: 'budget_spent' });
    const reply = ask({ method: request.method, url, body: request.body });
    const wanted = reply.latencyMs ?? 0;
    const granted = Math.min(wanted, limits.headersMs, until - clock.now);
    if (!(await clock.sleep(granted, signal))) return end({ failure: 'budget_spent' });
    if (granted < wanted) return end({ failure: 'timeout' });
    const status = reply.status ?? 200;
    const { location } = reply;
    if (reply.failure) return end({ failure: reply.failure });
    const followed = isRedirect(status) && request.redirects !== 'manual' && request.method === 'GET';
    const answered = { ...reply, finalUrl: url.href, headers: { ...reply.headers, ...(location && { location }) } };
    if (!followed) return end(answered);
    const step = chain.next(url, status, location, reply.headers?.['set-cookie'] !== undefined);
    if (step.kind === 'answer') return end(answered);
    if (step.kind === 'refused') return end({ failure: step.reason });
    url = step.url;
  }
}
