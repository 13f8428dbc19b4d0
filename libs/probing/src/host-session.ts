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
 * One probe of one host. It counts the requests, and stops sending when the budget or the time is used up, a name
 * cannot be reached, or there is a bot wall. An unsent request leaves no exchange.
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

  /** The number of sent requests, including redirects. */
  get requests(): number {
    return this.sent;
  }

  /** Why the host gets no more requests, if so. */
  get stoppedBy(): FailureReason | undefined {
    if (this.signal.aborted) return 'budget_spent';
    return endingOf(this.came, this.movedTo ?? this.host.origin)?.reason;
  }

  /**
   * Sends a request to the host or another name of its site, or returns undefined if it may not be sent. The URL is a
   * path or absolute. It is requested in normalized form, because otherwise `https://name./` would be a different name
   * to budgets, opt-outs and connections; the exchange has the original URL. If the host redirects every path to
   * another name, requests go there directly, with the same checks, and their exchanges have that URL.
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

  /** The only plain HTTP request: the home page on port 80, to find out whether the host only speaks HTTP. */
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
    if (own.requests === 0) return undefined; // the time ran out while it waited, or the budget was used up
    this.came.push(exchange);
    this.movedTo ??= siteMove(this.came, this.host.origin);
    return exchange;
  }
}
