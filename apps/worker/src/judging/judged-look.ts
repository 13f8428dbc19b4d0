import type { Exchange, HostEvidenceInput, ProbePhase, ProbeRequest } from '@app/detectors';
import type { HostName, PayToFinding } from '@app/reports';
import type { Answers, SentExchange, Subject, Task, Verdicts } from './task';
import type { ThreadLink } from './thread-link';

/**
 * A look whose documents another thread reads. Every question brings what is known so far; what the thread has already
 * is not sent again. Exchanges are only ever added.
 */
export class JudgedLook {
  private readonly sent = new Set<Exchange>();
  private readonly bodies = new Set<string>();

  constructor(
    private readonly link: ThreadLink,
    private readonly number: number,
    private readonly subject: Subject,
  ) {}

  /** A planner for the prober. */
  readonly plan = (phase: ProbePhase, known: HostEvidenceInput): Promise<readonly ProbeRequest[]> =>
    this.ask({ task: 'plan', phase }, known);

  verdicts(known: HostEvidenceInput): Promise<Verdicts> {
    return this.ask({ task: 'verdicts' }, known);
  }

  payTo(known: HostEvidenceInput): Promise<PayToFinding> {
    return this.ask({ task: 'payTo' }, known);
  }

  /** Whether a robots.txt has a group that names us and disallows the site (RFC 9309); only a file can. */
  async isUnwanted({ ascii, origin, site }: HostName, robots: Exchange): Promise<boolean> {
    if (robots.kind !== 'answer' || robots.status !== 200) return false;
    return this.ask({ task: 'robots', text: robots.body }, { domain: ascii, origin, site, exchanges: [] });
  }

  private async ask<Name extends Task['task']>(
    task: Extract<Task, { readonly task: Name }>,
    { domain, origin, site, exchanges }: HostEvidenceInput,
  ): Promise<Answers[Name]> {
    const added = exchanges.filter((exchange) => !this.sent.has(exchange)).map((exchange) => this.send(exchange));
    const update = { look: this.number, subject: this.subject, domain, origin, site, added };
    return (await this.link.ask(update, task)) as Answers[Name];
  }

  private send(exchange: Exchange): SentExchange {
    this.sent.add(exchange);
    if (exchange.kind === 'failure') return exchange;
    const known = this.bodies.has(exchange.sha256);
    this.bodies.add(exchange.sha256);
    return known ? { ...exchange, body: null } : exchange;
  }
}
