import { readFileSync } from 'node:fs';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import type { Exchange } from '@app/detectors';
import type { HostName, ProbeUrl } from '@app/reports';
import { canonicalAddress, interfaceAddresses } from './address-policy';
import { parseConnectTo } from './connect-to';
import { collectEvidence, type CollectedEvidence, type CollectOptions } from './evidence-collector';
import { ProbeFault } from './failure';
import { HostSession } from './host-session';
import { HttpProbe, type PhaseListener } from './http-probe';
import { PROBE_LIMITS, type ProbeLimits } from './limits';
import { NO_MEMORY, type NegativeCache } from './negative-cache';
import { NO_BUDGET, type RequestBudget } from './request-budget';
import type { SignRequest } from './request-headers';
import { DnsResolver, type Resolver } from './resolver';
import { SafeDialer, type ConnectionFacts, type TlsFacts } from './safe-dialer';

export interface ProberConfig {
  /** Sent with every request: who asks, and where that is explained. */
  readonly userAgent: string;
  /** `PROBE_CONNECT_TO`, as text. */
  readonly connectTo?: string;
  /** `PROBE_CA_FILE`: PEM file of certificates trusted beside the public ones. */
  readonly caFile?: string;
  /** Public addresses of this service that its interfaces do not show, refused like those they do. */
  readonly ownAddresses?: readonly string[];
  readonly signRequest?: SignRequest;
  /** Shared budgets of the targets; without one, only the limits of a single look hold. */
  readonly budget?: RequestBudget;
  /** Whether a name asked not to be probed; asked for every name a look leads to. */
  readonly optedOut?: (host: string) => boolean;
  /** Names that were not found lately, shared with other processes. */
  readonly negativeCache?: NegativeCache;
  readonly resolver?: Resolver;
  readonly limits?: Partial<ProbeLimits>;
  /** Told how long each phase of each request took; for measuring only. */
  readonly onPhase?: PhaseListener;
}

export type ProberCollectOptions = CollectOptions & {
  readonly signal?: AbortSignal;
  /** Wall time for the whole look; never more than the limit of 16.5 s. */
  readonly deadlineMs?: number;
};

/** One request and how it went, phase by phase (endpoint health). Milliseconds; null for a phase that was not reached. */
export interface TimedExchange {
  readonly exchange: Exchange;
  readonly timingsMs: {
    readonly dns: number | null;
    readonly connect: number | null;
    readonly tls: number | null;
    /** From the connection being ready to the end of the response headers. */
    readonly firstByte: number | null;
    readonly total: number;
  };
  readonly tls: TlsFacts | null;
}

export interface Prober {
  /**
   * Looks at a host. Faults of the host are data in the result, never an exception.
   * @throws what the request budget throws: then the look did not happen
   */
  collect(host: HostName, options: ProberCollectOptions): Promise<CollectedEvidence>;
  /** One request to one URL, without following redirects. A POST carries `{}`. */
  probe(url: ProbeUrl, method: 'GET' | 'POST', signal?: AbortSignal): Promise<TimedExchange>;
  /** Ends every look in progress; what they asked for becomes `budget_spent`. */
  close(): Promise<void>;
}

/**
 * The door to hosts that strangers name; there is no other. One dialer, and so one set of connections and one DNS
 * answer per name, lives for one call.
 * @throws Error when the connect-to list or the certificate file cannot be read
 */
export function createProber(config: ProberConfig): Prober {
  return new GuardedProber(config);
}

interface JobTerms {
  readonly deadlineMs: number;
  readonly outer: AbortSignal | undefined;
  /** Whether the host's certificates are noted. */
  readonly certificates: boolean;
}

type JobWork<T> = (probe: HttpProbe, dialer: SafeDialer, signal: AbortSignal) => Promise<T>;

class GuardedProber implements Prober {
  private readonly limits: ProbeLimits;
  private readonly resolver: Resolver;
  private readonly connectTo;
  private readonly secureContext: SecureContext;
  private readonly ownAddresses: ReadonlySet<string>;
  private readonly running = new Map<Promise<unknown>, AbortController>();

  constructor(private readonly config: ProberConfig) {
    this.limits = { ...PROBE_LIMITS, ...config.limits };
    this.resolver = config.resolver ?? new DnsResolver({ budgetMs: this.limits.dnsMs });
    this.connectTo = parseConnectTo(config.connectTo ?? '');
    this.secureContext = secureContextWith(config.caFile);
    this.ownAddresses = new Set([...interfaceAddresses(), ...(config.ownAddresses ?? []).map(canonicalAddress)]);
  }

  collect(host: HostName, options: ProberCollectOptions): Promise<CollectedEvidence> {
    const deadlineMs = Math.min(options.deadlineMs ?? this.limits.hostMs, this.limits.hostMs);
    return this.job({ deadlineMs, outer: options.signal, certificates: false }, (probe, _dialer, signal) => {
      const session = new HostSession(host, probe, this.limits, signal);
      return collectEvidence(host, options, session, this.limits.concurrency);
    });
  }

  probe(url: ProbeUrl, method: 'GET' | 'POST', signal?: AbortSignal): Promise<TimedExchange> {
    // The exchange has a deadline of its own, which says that the host was too slow; this one also bounds waiting to ask.
    const terms = { deadlineMs: this.limits.hostMs, outer: signal, certificates: true };
    return this.job(terms, async (probe, dialer, ending) => {
      const started = performance.now();
      let headersAt: number | undefined;
      const exchange = await probe.exchange({
        request: { method, url: url.href, redirects: 'manual', ...(method === 'POST' ? { body: '{}' } : {}) },
        url: new URL(url.href),
        phase: 'callability',
        site: url.host.site,
        signal: ending,
        mayAsk: () => true,
        onHeaders: () => (headersAt = performance.now()),
      });
      const total = performance.now() - started;
      const [connection] = dialer.connections;
      const ready = connection ? connection.dnsMs + connection.connectMs + (connection.tlsMs ?? 0) : 0;
      const timingsMs = {
        dns: rounded(connection?.dnsMs),
        connect: rounded(connection?.connectMs),
        tls: rounded(connection?.tlsMs),
        firstByte: rounded(headersAt === undefined ? null : Math.max(0, headersAt - started - ready)),
        total: Math.round(total),
      };
      return { exchange, timingsMs, tls: connection?.tls ?? null };
    });
  }

  async close(): Promise<void> {
    for (const controller of this.running.values()) controller.abort(new ProbeFault('budget_spent'));
    await Promise.allSettled(this.running.keys());
  }

  /** Runs one call with a dialer of its own, which does not outlive it. */
  private job<T>(terms: JobTerms, work: JobWork<T>): Promise<T> {
    const controller = new AbortController();
    const running = this.run(controller, terms, work);
    this.running.set(running, controller);
    const forget = () => this.running.delete(running);
    running.then(forget, forget);
    return running;
  }

  private async run<T>(controller: AbortController, terms: JobTerms, work: JobWork<T>): Promise<T> {
    const { deadlineMs, outer, certificates } = terms;
    const spend = () => {
      controller.abort(new ProbeFault('budget_spent'));
    };
    const timer = setTimeout(spend, deadlineMs);
    if (outer?.aborted) spend();
    outer?.addEventListener('abort', spend, { once: true });
    const { limits, resolver, connectTo, secureContext, ownAddresses } = this;
    const {
      userAgent,
      signRequest,
      budget = NO_BUDGET,
      negativeCache = NO_MEMORY,
      optedOut = () => false,
      onPhase,
    } = this.config;
    const dialer = new SafeDialer({
      resolver,
      negativeCache,
      connectTo,
      ownAddresses,
      optedOut,
      secureContext,
      certificates,
      limits,
    });
    const probe = new HttpProbe({
      dispatcher: dialer.agent,
      userAgent,
      ...(signRequest ? { signRequest } : {}),
      limits,
      budget,
      addressesOf: (url) => dialer.addressesOf(url),
      ...(onPhase ? { onPhase } : {}),
    });
    try {
      return await work(probe, dialer, controller.signal);
    } finally {
      clearTimeout(timer);
      outer?.removeEventListener('abort', spend);
      spend(); // a look that the budget ended has other requests under way or to come
      await dialer.close();
      if (onPhase) for (const connection of dialer.connections) tellConnection(connection, onPhase);
    }
  }
}

function tellConnection({ dnsMs, connectMs, tlsMs }: ConnectionFacts, onPhase: PhaseListener): void {
  onPhase('dns', dnsMs);
  onPhase('connect', connectMs);
  if (tlsMs !== null) onPhase('tls', tlsMs);
}

/** Parsing the public roots takes milliseconds, so it is done once and not per connection. */
function secureContextWith(caFile: string | undefined): SecureContext {
  if (caFile === undefined) return createSecureContext();
  let extra: string;
  try {
    extra = readFileSync(caFile, 'utf8');
  } catch {
    throw new Error('the file of extra CA certificates cannot be read');
  }
  if (!extra.includes('-----BEGIN CERTIFICATE-----')) {
    throw new Error('the file of extra CA certificates holds no PEM certificate');
  }
  return createSecureContext({ ca: [...rootCertificates, extra] });
}

function rounded(ms: number | null | undefined): number | null {
  return ms === null || ms === undefined ? null : Math.round(ms);
}
