import {
  botWall,
  parseUrl,
  type Exchange,
  type FailureReason,
  type ProbePhase,
  type ProbeRequest,
} from '@app/detectors';
import { parseProbeUrl, type HostName } from '@app/reports';
import type { HttpProbe } from './http-probe';
import type { ProbeLimits } from './limits';

/** Failures after which asking the same name again is pointless: its addresses are known for this job. */
const HOPELESS: ReadonlySet<FailureReason> = new Set(['dns_nxdomain', 'dns_timeout', 'dns_failure', 'address_refused']);

/** Failures to get a connection; a few of them without an answer in between and the name is left alone. */
const UNCONNECTED: ReadonlySet<FailureReason> = new Set([
  'connect_refused',
  'connect_timeout',
  'connection_reset',
  'tls_error',
]);

/**
 * One look at one host: counts what it is asked, and stops asking when the budget is spent, the time is up, a name
 * cannot be reached or a bot wall stands in front. A request that is not made becomes a Failure with the reason why.
 */
export class HostSession {
  private asked = 0;
  private challenges = 0;
  private readonly failures = new Map<string, number>();
  private readonly given = new Map<string, FailureReason>();
  private stopped: FailureReason | undefined;

  constructor(
    private readonly host: HostName,
    private readonly probe: HttpProbe,
    private readonly limits: ProbeLimits,
    private readonly signal: AbortSignal,
  ) {}

  /** Requests sent so far, redirect hops included. */
  get requests(): number {
    return this.asked;
  }

  /** Why nothing more is asked of the host, if so. */
  get stoppedBy(): FailureReason | undefined {
    return this.stopped ?? this.given.get(this.host.origin);
  }

  /**
   * Makes a request to the host or another name of its site; the URL is a path or absolute. It is asked in its normal
   * form, or `https://name./` would be another name to budgets, opt-outs and connections; reported as it was wished for.
   */
  async ask(request: ProbeRequest, phase: ProbePhase): Promise<Exchange> {
    const target = parseUrl(request.url, this.host.origin);
    const reading = target && parseProbeUrl(target.href);
    if (!target || !reading?.ok || reading.url.host.site !== this.host.site) {
      return refused(request, target?.href ?? request.url, phase, 'address_refused');
    }
    return { ...(await this.call(request, new URL(reading.url.href), phase)), url: target.href };
  }

  /** The one request over plain http: the home page on port 80, to learn whether the host speaks http only. */
  async askPlainHttp(): Promise<Exchange> {
    const request: ProbeRequest = { method: 'GET', url: '/', accept: 'text/html, */*;q=0.1', redirects: 'manual' };
    return this.call(request, new URL(`http://${this.host.ascii}/`), 'presence');
  }

  private async call(request: ProbeRequest, url: URL, phase: ProbePhase): Promise<Exchange> {
    const door = url.origin;
    const stopped = this.stopped ?? this.given.get(door);
    if (stopped) return refused(request, url.href, phase, stopped);
    const exchange = await this.probe.exchange({
      request,
      url,
      phase,
      site: this.host.site,
      signal: this.signal,
      mayAsk: () => this.mayAsk(),
    });
    this.learn(exchange, door);
    return exchange;
  }

  private mayAsk(): boolean {
    if (this.asked >= this.limits.requests) return false;
    this.asked += 1;
    return true;
  }

  private learn(exchange: Exchange, door: string): void {
    if (exchange.kind === 'answer') {
      this.challenges = botWall(exchange) ? this.challenges + 1 : 0;
      if (this.challenges >= this.limits.challenges) this.stopped ??= 'bot_challenge';
      this.failures.delete(door);
      return;
    }
    const { reason } = exchange;
    if (this.signal.aborted) this.stopped ??= reason;
    if (exchange.redirects.length > 0) return; // the door opened; what failed lies behind a redirect
    if (HOPELESS.has(reason)) this.given.set(door, reason);
    if (!UNCONNECTED.has(reason)) return;
    const failures = (this.failures.get(door) ?? 0) + 1;
    this.failures.set(door, failures);
    if (failures >= this.limits.connectFailures) this.given.set(door, reason);
  }
}

function refused(request: ProbeRequest, url: string, phase: ProbePhase, reason: FailureReason): Exchange {
  return {
    kind: 'failure',
    reason,
    method: request.method,
    url,
    ...(request.body === undefined ? {} : { requestBody: request.body }),
    phase,
    observedAt: new Date().toISOString(),
    redirects: [],
  };
}
