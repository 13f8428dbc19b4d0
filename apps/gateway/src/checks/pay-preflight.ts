import { offer, type Offer } from '@app/payments';
import type { HostRepository, StoredReport } from '@app/persistence';
import { cacheState, payPreflight, type HostFacts, type HostName, type PayIntent } from '@app/reports';
import { liveReport } from '../hosts/live-report';
import { hostLook } from '../hosts/looks';
import { reportUrl } from '../hosts/refresh-offer';
import { hostArgument, memberOf } from '../http/arguments';
import { validated } from '../http/validated';
import type { PaidOperation } from '../paywall/paid-operation';
import type { Job, Work } from '../paywall/paywall.service';
import type { ProbeClient } from '../probes/probe-client';
import { PayPreflightDto } from './dto/pay-preflight.dto';
import { envelope } from './paid-envelope';
import { PAY_PREFLIGHT } from './check-routes';

export interface PreflightArgs {
  readonly host: HostName;
  readonly intent: PayIntent;
}

export interface PayPreflightParts {
  readonly hosts: HostRepository;
  readonly probes: ProbeClient;
  readonly baseUrl: string;
}

/** Endpoint 7: can an agent pay at this host. Callability that is still fresh is used, otherwise the host is looked at. */
export class PayPreflightCheck implements PaidOperation<PreflightArgs> {
  constructor(private readonly parts: PayPreflightParts) {}

  parse(raw: unknown): PreflightArgs {
    const { intent = 'any' } = validated(PayPreflightDto, raw);
    return { host: hostArgument(memberOf(raw, 'domain')), intent };
  }

  offer({ host, intent }: PreflightArgs): Offer {
    const query = intent === 'any' ? '' : `?intent=${intent}`;
    const resource = `${reportUrl(this.parts.baseUrl, host)}/pay-preflight${query}`;
    return offer('pay_preflight', { method: 'GET', resource, route: PAY_PREFLIGHT });
  }

  job(args: PreflightArgs): Job {
    return { admit: () => this.admit(args), work: () => this.work(args) };
  }

  /** What is known and fresh needs no worker, and asks nothing of the host. */
  private async admit({ host }: PreflightArgs): Promise<void> {
    if (!(await this.fresh(host))) await this.parts.probes.admit([hostLook(host)]);
  }

  private async work({ host, intent }: PreflightArgs): Promise<Work> {
    const cached = await this.fresh(host);
    if (cached) return answer(cached, intent, 'cache');
    return answer(await liveReport(this.parts, host), intent, 'live');
  }

  private async fresh(host: HostName): Promise<StoredReport | undefined> {
    const stored = await this.parts.hosts.findReport(host.ascii);
    return stored && !cacheState(stored.clocks, new Date()).callabilityStale ? stored : undefined;
  }
}

function answer({ facts, clocks }: StoredReport, intent: PayIntent, source: 'live' | 'cache'): Work {
  const observedAt = clocks.callabilityProbedAt;
  if (observedAt === undefined) throw new Error('a host look sets the callability clock');
  const data = payPreflight(JSON.parse(facts) as HostFacts, intent, { observedAt, source, now: new Date() });
  return envelope('pay_preflight', data);
}
