import { PRODUCT_TOKEN } from '@app/identity';
import { asksToStayAway } from '@app/limits';
import { HostEvidence, judgeHost, nextWave, type Exchange } from '@app/detectors';
import { paymentRails, payToFinding, type SignatureReader } from '@app/reports';
import { detectorsOf, inquiriesOf } from './inquiries';
import type { Answers, LookUpdate, SentExchange, Task, Verdicts } from './task';

/** What a judging thread knows of one look. Everything that reads a stranger's documents happens here. */
export class KnownLook {
  private readonly exchanges: Exchange[] = [];
  private readonly bodies = new Map<string, string>();
  private seen: HostEvidence | undefined;

  constructor(private readonly signatures: SignatureReader) {}

  async answer(update: LookUpdate, task: Task): Promise<Answers[Task['task']]> {
    if (task.task === 'robots') return asksToStayAway(task.text, PRODUCT_TOKEN, `${update.origin}/`);
    const seen = this.learn(update);
    if (task.task === 'plan') return nextWave(inquiriesOf(update.subject), task.phase, seen);
    return task.task === 'verdicts' ? verdictsOf(update, seen) : payToFinding(seen, this.signatures);
  }

  /** Documents that were read stay read until something new is known. */
  private learn({ domain, origin, site, added }: LookUpdate): HostEvidence {
    this.exchanges.push(...added.map((exchange) => this.whole(exchange)));
    if (!this.seen || added.length > 0 || this.seen.origin !== origin) {
      this.seen = new HostEvidence({ domain, origin, site, exchanges: [...this.exchanges] }, this.seen);
    }
    return this.seen;
  }

  private whole(sent: SentExchange): Exchange {
    if (sent.kind === 'failure') return sent;
    const body = sent.body ?? this.bodies.get(sent.sha256);
    if (body === undefined) throw new Error('a body was never sent');
    this.bodies.set(sent.sha256, body);
    return { ...sent, body };
  }
}

function verdictsOf({ subject }: LookUpdate, seen: HostEvidence): Verdicts {
  return { ...judgeHost(detectorsOf(subject), seen), rails: paymentRails(seen) };
}
