import type { SecureContext } from 'node:tls';
import { FIRST_PASS_REQUESTS, type Exchange } from '@app/detectors';
import { defined } from '@app/platform';
import type { HostName, ProbeUrl } from '@app/hosts';
import { ownAddresses } from './address-policy';
import { connectToKey, parseConnectTo } from './connect-to';
import { askDns } from './dns-questions';
import { DocumentPool, ProbeDocuments } from './document-store';
import { collectEvidence, type CollectedEvidence, type CollectOptions } from './evidence-collector';
import { ProbeFault } from './failure';
import { collectFirstPass, type FirstPass, type FirstPassOptions } from './first-pass';
import { HostSession } from './host-session';
import { HttpProbe, type PhaseListener } from './http-probe';
import { PROBE_LIMITS, type ProbeLimits } from './limits';
import { NO_BUDGET, type RequestBudget } from './request-budget';
import type { SignRequest } from './request-headers';
import { DnsResolver, type Resolver } from './resolver';
import type { TlsFacts } from './certificate';
import { secureContextWith } from './secure-context';
import { SafeDialer, type ConnectionFacts, type NegativeCache } from './safe-dialer';

export interface ProberConfig {
  /** The user agent of every request, with the URL of the page about the prober. */
  readonly userAgent: string;
  /** `PROBE_CONNECT_TO`, as text. */
  readonly connectTo?: string;
  /** `PROBE_CA_FILE`: PEM file of certificates trusted in addition to the public ones. */
  readonly caFile?: string;
  /**
   * Public addresses of this service that its interfaces do not show; they are refused too. Addresses or ranges in CIDR
   * notation; ranges only count if they have a single address (a network may be shared with others).
   */
  readonly ownAddresses?: readonly string[];
  readonly signRequest?: SignRequest;
  /** The budget of calls without their own; without it, only the limits of a single probe apply. */
  readonly budget?: RequestBudget;
  /** Whether the owner of a name opted out; called for every name that a probe reaches. */
  readonly optedOut?: (host: string) => boolean;
  /** Names that recently failed to resolve, shared with other processes. */
  readonly negativeCache?: NegativeCache;
  readonly resolver?: Resolver;
  readonly limits?: Partial<ProbeLimits>;
  readonly listener?: ProberListener;
}

/** Receives events of a prober. */
export interface ProberListener {
  /** The duration of each phase of each request, for metrics. */
  readonly onPhase: PhaseListener;
  /** Gets the answer to `/robots.txt` before the probe's own `mayProbe`; false ends the probe. */
  readonly mayProbe: (host: HostName, robots: Exchange) => Promise<boolean>;
  /** The exchanges of a call, before its caller gets them. If it throws, the call throws. */
  readonly onExchanges: (host: HostName, exchanges: readonly Exchange[]) => Promise<void>;
}

/** How much longer the DNS questions of signals may take than the rest of a probe. */
const DNS_QUESTION_MS = 1_000;

type ProberCollectOptions = CollectOptions & {
  readonly signal?: AbortSignal;
  /** The maximum duration of the whole probe; at most 16.5 s. */
  readonly deadlineMs?: number;
  /** By default the prober's. */
  readonly budget?: RequestBudget;
};

/** The options of a single request. */
interface ProbeOptions {
  /** By default the prober's. */
  readonly budget?: RequestBudget;
  /** The timeout of the exchange, in milliseconds. */
  readonly exchangeMs?: number;
  /** Whether redirects within the site are followed. */
  readonly follow?: boolean;
}

/**
 * One request with the duration of its phases (for endpoint checks), in milliseconds; null for a phase that was not
 * reached.
 */
interface TimedExchange {
  readonly exchange: Exchange;
  readonly timingsMs: {
    readonly dns: number | null;
    readonly connect: number | null;
    readonly tls: number | null;
    /** From the open connection to the end of the response headers. */
    readonly firstByte: number | null;
    readonly total: number;
  };
  readonly tls: TlsFacts | null;
}

export interface Prober {
  /**
   * Probes a host. Faults of the host are part of the result, never exceptions.
   * @throws errors of the request budget or the listener: then the probe does not count
   */
  collect(host: HostName, options: ProberCollectOptions): Promise<CollectedEvidence>;
  /**
   * A free first pass over a host: at most eight requests, one at a time. Faults of the host are part of the result.
   * @throws errors of the request budget or the listener: then the pass does not count
   */
  firstPass(host: HostName, options: FirstPassOptions, budget?: RequestBudget): Promise<FirstPass>;
  /** One request to one URL. A POST has the body `{}`. */
  probe(url: ProbeUrl, method: 'GET' | 'POST', signal?: AbortSignal, options?: ProbeOptions): Promise<TimedExchange>;
  /** Aborts every running probe; its open requests become `budget_spent`. */
  close(): Promise<void>;
}

/**
 * The only way to reach hosts whose names come from outside. Each call has its own dialer, with its own connections and
 * one DNS result per name.
 * @throws Error if the connect-to list or the certificate file cannot be read
 */
export function createProber(config: ProberConfig): Prober {
  return new GuardedProber(config);
}

interface JobTerms {
  readonly deadlineMs: number;
  readonly outer: AbortSignal | undefined;
  /** Whether the host's certificates are recorded. */
  readonly certificates: boolean;
  readonly budget: RequestBudget | undefined;
  /** By default the prober's. */
  readonly limits?: ProbeLimits;
}

type JobWork<T> = (probe: HttpProbe, dialer: SafeDialer, signal: AbortSignal) => Promise<T>;

class GuardedProber implements Prober {
  private readonly limits: ProbeLimits;
  private readonly resolver: Resolver;
  private readonly connectTo;
  private readonly secureContext: SecureContext;
  private readonly ownAddresses: ReadonlySet<string>;
  private readonly pool: DocumentPool;
  private readonly freePool: DocumentPool;
  private readonly running = new Map<Promise<unknown>, AbortController>();

  constructor(private readonly config: ProberConfig) {
    this.limits = { ...PROBE_LIMITS, ...config.limits };
    this.pool = new DocumentPool(this.limits.poolBytes);
    this.freePool = new DocumentPool(this.limits.freePoolBytes);
    this.resolver = config.resolver ?? new DnsResolver({ budgetMs: this.limits.dnsMs });
    this.connectTo = parseConnectTo(config.connectTo ?? '');
    this.secureContext = secureContextWith(config.caFile);
    this.ownAddresses = ownAddresses(config.ownAddresses ?? []);
  }

  async collect(host: HostName, options: ProberCollectOptions): Promise<CollectedEvidence> {
    const { listener } = this.config;
    const { signal: outer, mayProbe, budget } = options;
    const deadlineMs = Math.min(options.deadlineMs ?? this.limits.hostMs, this.limits.hostMs);
    const heard =
      mayProbe && listener
        ? { mayProbe: async (robots: Exchange) => (await listener.mayProbe(host, robots)) && mayProbe(robots) }
        : {};
    // A listed host is on this machine, so name servers do not know it.
    const asks = !this.connectTo.has(connectToKey(host.ascii, 443)) && !outer?.aborted;
    const terms = { deadlineMs, outer, certificates: false, budget };
    const [collected, records] = await Promise.all([
      this.job(terms, (probe, _dialer, signal) => {
        const session = new HostSession(host, probe, this.limits, signal);
        return collectEvidence(host, { ...options, ...heard }, session, this.limits.concurrency);
      }),
      asks && options.signals ? askDns(options.signals, DNS_QUESTION_MS) : [],
    ]);
    if (!collected.disallowedByRobots) await listener?.onExchanges(host, collected.exchanges);
    return { ...collected, records };
  }

  async firstPass(host: HostName, options: FirstPassOptions, budget?: RequestBudget): Promise<FirstPass> {
    const { listener } = this.config;
    const heard = async (robots: Exchange): Promise<boolean> =>
      (await listener?.mayProbe(host, robots)) !== false && options.mayProbe(robots);
    const limits = { ...this.limits, requests: FIRST_PASS_REQUESTS, signalRequests: 0, concurrency: 1 };
    const terms = { deadlineMs: this.limits.hostMs, outer: undefined, certificates: false, budget, limits };
    const pass = await this.job(terms, (probe, _dialer, signal) =>
      collectFirstPass(host, { ...options, mayProbe: heard }, new HostSession(host, probe, limits, signal)),
    );
    if (!pass.disallowedByRobots) await listener?.onExchanges(host, pass.exchanges);
    return pass;
  }

  async probe(
    url: ProbeUrl,
    method: 'GET' | 'POST',
    outer?: AbortSignal,
    options: ProbeOptions = {},
  ): Promise<TimedExchange> {
    const { budget, exchangeMs = this.limits.exchangeMs, follow = false } = options;
    const limits = { ...this.limits, exchangeMs };
    // The exchange has its own deadline, which blames the host; this one also limits the wait for a slot.
    const terms = { deadlineMs: this.limits.hostMs, outer, certificates: true, budget, limits };
    const timed = await this.job(terms, async (probe, dialer, ending) => {
      const started = performance.now();
      let headersAt: number | undefined;
      const exchange = await probe.exchange({
        request: {
          method,
          url: url.href,
          ...defined({ redirects: follow ? undefined : 'manual', body: method === 'POST' ? '{}' : undefined } as const),
        },
        url: new URL(url.href),
        phase: 'callability',
        site: url.host.site,
        signal: ending,
        maySend: () => true,
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
    await this.config.listener?.onExchanges(url.host, [timed.exchange]);
    return timed;
  }

  async close(): Promise<void> {
    for (const controller of this.running.values()) controller.abort(new ProbeFault('budget_spent'));
    await Promise.allSettled(this.running.keys());
  }

  /** Runs a call with its own dialer, which is closed afterwards. */
  private job<T>(terms: JobTerms, work: JobWork<T>): Promise<T> {
    const controller = new AbortController();
    const running = this.run(controller, terms, work);
    this.running.set(running, controller);
    const forget = () => this.running.delete(running);
    running.then(forget, forget);
    return running;
  }

  private async run<T>(controller: AbortController, terms: JobTerms, work: JobWork<T>): Promise<T> {
    const { deadlineMs, outer, certificates, limits = this.limits } = terms;
    const spend = () => {
      controller.abort(new ProbeFault('budget_spent'));
    };
    const timer = setTimeout(spend, deadlineMs);
    if (outer?.aborted) spend();
    outer?.addEventListener('abort', spend, { once: true });
    const { resolver, connectTo, secureContext, ownAddresses } = this;
    const { userAgent, signRequest, negativeCache, listener } = this.config;
    const { optedOut = () => false } = this.config;
    const budget = terms.budget ?? this.config.budget ?? NO_BUDGET;
    const onPhase = listener?.onPhase;
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
    const documents = new ProbeDocuments(budget.free ? this.freePool : this.pool, limits);
    const probe = new HttpProbe({
      dispatcher: dialer.agent,
      userAgent,
      ...defined({ signRequest, onPhase }),
      limits,
      budget,
      documents,
      addressesOf: (url) => dialer.addressesOf(url),
    });
    try {
      return await work(probe, dialer, controller.signal);
    } finally {
      clearTimeout(timer);
      outer?.removeEventListener('abort', spend);
      spend(); // a probe ended by the budget still has other requests running or planned
      await dialer.close();
      documents.close();
      if (onPhase) for (const connection of dialer.connections) tellConnection(connection, onPhase);
    }
  }
}

function tellConnection({ dnsMs, connectMs, tlsMs }: ConnectionFacts, onPhase: PhaseListener): void {
  onPhase('dns', dnsMs);
  onPhase('connect', connectMs);
  if (tlsMs !== null) onPhase('tls', tlsMs);
}

function rounded(ms: number | null | undefined): number | null {
  return ms === null || ms === undefined ? null : Math.round(ms);
}
