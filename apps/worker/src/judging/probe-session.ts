import type { Exchange, FirstReading, HostEvidenceInput, RequestPhase, ProbeRequest } from '@app/detectors';
import type { HostName } from '@app/hosts';
import type { PayToFinding } from '@app/reports';
import { without } from '@app/platform';
import type { JudgingPool } from './judging-pool';
import type {
  Answers,
  Judgement,
  JudgingListener,
  ProbeUpdate,
  RobotsQuestion,
  Subject,
  Task,
  SentExchange,
} from './task';
import { bytesOf, ThreadEndedError, type WorkerChannel } from './worker-channel';

/** What was sent to a thread: every exchange is sent once, and every body once; after that, its digest is sent. */
class SentExchanges {
  private readonly exchanges = new Set<Exchange>();
  private readonly bodies = new Set<string>();

  /** Returns the exchanges that the thread does not have yet, and marks them as sent. */
  add(known: readonly Exchange[]): readonly SentExchange[] {
    return known.filter((exchange) => !this.exchanges.has(exchange)).map((exchange) => this.send(exchange));
  }

  private send(exchange: Exchange): SentExchange {
    this.exchanges.add(exchange);
    if (exchange.kind === 'failure') return exchange;
    const known = this.bodies.has(exchange.sha256);
    this.bodies.add(exchange.sha256);
    const read = without(exchange, 'raw'); // the thread only needs the text
    return known ? { ...read, body: null } : read;
  }
}

/**
 * A probe whose documents are parsed in another thread. Every question includes new exchanges only; exchanges are never
 * removed. If the thread crashes before answering, the question is repeated on a thread without other probes.
 */
export class ProbeSession {
  private thread: { readonly link: WorkerChannel; readonly sent: SentExchanges } | undefined;

  constructor(
    private readonly pool: JudgingPool,
    private readonly number: number,
    private readonly subject: Subject,
    private readonly listener: Pick<JudgingListener, 'onDetectorFailure'>,
  ) {}

  /** A planner for the prober. */
  readonly plan = (phase: RequestPhase, known: HostEvidenceInput): Promise<readonly ProbeRequest[]> =>
    this.ask({ task: 'plan', phase }, known);

  async judge(known: HostEvidenceInput): Promise<Judgement> {
    const judgement = await this.ask({ task: 'judge' }, known);
    for (const failure of judgement.failures) this.listener.onDetectorFailure(failure, known.domain);
    return judgement;
  }

  /** The preliminary result of a first pass. */
  first(known: HostEvidenceInput): Promise<FirstReading> {
    return this.ask({ task: 'first' }, known);
  }

  payTo(known: HostEvidenceInput): Promise<PayToFinding> {
    return this.ask({ task: 'payTo' }, known);
  }

  /** Whether robots.txt disallows a path (RFC 9309); an answer that is not a file never does. */
  async isDisallowedByRobots(
    { ascii, origin, site }: HostName,
    robots: Exchange,
    { path = '/', crawls = false }: Partial<RobotsQuestion> = {},
  ): Promise<boolean> {
    if (robots.kind !== 'answer' || robots.status !== 200) return false;
    return this.ask(
      { task: 'robots', text: robots.body, path, crawls },
      { domain: ascii, origin, site, exchanges: [] },
    );
  }

  /** Ends the session. */
  end(): void {
    if (this.thread) this.pool.leave(this.thread.link, this.number);
    this.thread = undefined;
  }

  private async ask<Name extends Task['task']>(
    task: Extract<Task, { readonly task: Name }>,
    known: HostEvidenceInput,
  ): Promise<Answers[Name]> {
    const { link, sent } = this.livingThread();
    try {
      return (await link.ask(this.update(known, sent), task)) as Answers[Name];
    } catch (error) {
      if (!(error instanceof ThreadEndedError)) throw error;
      const update = this.update(known, new SentExchanges());
      return this.pool.spare(error.suspect).alone(bytesOf(update, task), async (spare) => {
        try {
          return (await spare.ask(update, task)) as Answers[Name];
        } finally {
          spare.forget(this.number);
        }
      });
    }
  }

  private livingThread(): { readonly link: WorkerChannel; readonly sent: SentExchanges } {
    if (this.thread?.link.dead) this.end();
    this.thread ??= { link: this.pool.take(), sent: new SentExchanges() };
    return this.thread;
  }

  private update(
    { domain, origin, site, exchanges, records = [] }: HostEvidenceInput,
    sent: SentExchanges,
  ): ProbeUpdate {
    return { probe: this.number, subject: this.subject, domain, origin, site, added: sent.add(exchanges), records };
  }
}
