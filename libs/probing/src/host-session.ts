import {
  endingOf,
  parseUrl,
  siteMove,
  wildcardRedirects,
  type Exchange,
  type FailureReason,
  type RequestPhase,
  type ProbeRequest,
} from '@app/detectors';
import { parseProbeUrl, type HostName } from '@app/hosts';
import type { HttpProbe } from './http-probe';
import type { ProbeLimits } from './limits';

/**
 * One probe of one host: counts the requests, and sends no more when the budget is spent, the time is up, a name
 * cannot be reached or a bot wall stands in front. A request that is not sent makes no exchange.
 */
export class HostSession {
  private sent = 0;
  /** In the order in which they ended. */
  private readonly came: Exchange[] = [];
  private movedTo: string | undefined;

  constructor(
    private readonly host: HostName,
    private readonly probe: Pick<HttpProbe, 'exchange'>,
    private readonly limits: ProbeLimits,
    private readonly signal: AbortSignal,
  ) {}

  /** Requests sent so far, redirects included. */
  get requests(): number {
    return this.sent;
  }

  /** Why the host gets no further request, if so. */
  get stoppedBy(): FailureReason | undefined {
    if (this.signal.aborted) return 'budget_spent';
    return endingOf(this.came, this.movedTo ?? this.host.origin)?.reason;
  }

  /**
   * Makes a request to the host or another name of its site, or returns undefined when it is not sent; the URL is a path
   * or absolute. The request goes to its normal form, or `https://name./` would be another name to budgets, opt-outs and
   * connections; the exchange has the URL as it was given. Once the host has shown that every path moves to another
   * name, requests go there, past the same guard, and their exchanges have that address.
   */
  async send(request: ProbeRequest, phase: RequestPhase): Promise<Exchange | undefined> {
    const target = parseUrl(request.url, this.host.origin);
    const reading = target && parseProbeUrl(target.href);
    if (!target || !reading?.ok || reading.url.host.site !== this.host.site) return undefined;
    const url = new URL(reading.url.href);
    if (this.movedTo !== undefined && url.origin === this.host.origin) {
      return this.call(request, new URL(url.pathname + url.search, this.movedTo), phase);
    }
    const exchange = await this.call(request, url, phase);
    return exchange && { ...exchange, url: target.href };
  }

  /** The one request over plain http: the home page on port 80, to learn whether the host speaks http only. */
  async sendPlainHttp(): Promise<Exchange | undefined> {
    const request: ProbeRequest = { method: 'GET', url: '/', accept: 'text/html, */*;q=0.1', redirects: 'manual' };
    return this.call(request, new URL(`http://${this.host.ascii}/`), 'presence');
  }

  private async call(request: ProbeRequest, url: URL, phase: RequestPhase): Promise<Exchange | undefined> {
    if (this.signal.aborted || endingOf(this.came, url.origin)) return undefined;
    const own = { requests: 0 };
    const kept = phase === 'signals' ? 0 : this.limits.signalRequests;
    const maySend = () => {
      if (this.sent >= this.limits.requests - kept) return false;
      this.sent += 1;
      own.requests += 1;
      return true;
    };
    const { site } = this.host;
    const wildcard = wildcardRedirects(this.came, this.movedTo);
    const known = (target: string) => wildcard(url.href, target);
    const exchange = await this.probe.exchange({ request, url, phase, site, signal: this.signal, maySend, known });
    if (own.requests === 0) return undefined; // the time ended while it waited, or the budget was spent
    this.came.push(exchange);
    this.movedTo ??= siteMove(this.came, this.host.origin);
    return exchange;
  }
}
