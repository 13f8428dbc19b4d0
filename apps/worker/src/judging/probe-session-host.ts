import { PRODUCT_TOKEN } from '@app/signing';
import { disallowedByRobots } from '@app/limits';
import {
  DETECTORS,
  findDetector,
  firstReading,
  HOST_INQUIRIES,
  HostEvidence,
  judgeHost,
  nextWave,
  type Detector,
  type Exchange,
  type Inquiry,
} from '@app/detectors';
import { offeredRails, paymentRails, payToFinding, WHO_IS_PAID, type SignatureReader } from '@app/reports';
import type { Answers, ProbeUpdate, SentExchange, Subject, Task, Judgement } from './task';

/** The state of one probe in a detector thread. Documents of hosts are only parsed here. */
export class ProbeSessionHost {
  private readonly exchanges: Exchange[] = [];
  private readonly bodies = new Map<string, string>();
  private seen: HostEvidence | undefined;

  constructor(private readonly signatures: SignatureReader) {}

  async answer(update: ProbeUpdate, task: Task): Promise<Answers[Task['task']]> {
    if (task.task === 'robots')
      return disallowedByRobots(task.text, PRODUCT_TOKEN, `${update.origin}${task.path}`, task.crawls);
    const seen = this.learn(update);
    if (task.task === 'plan') return nextWave(inquiriesOf(update.subject), task.phase, seen);
    if (task.task === 'first') return firstReading(seen);
    return task.task === 'judge' ? judgementOf(update, seen) : payToFinding(seen, this.signatures);
  }

  /** Parsed documents stay valid until there is new data. */
  private learn({ domain, origin, site, added, records }: ProbeUpdate): HostEvidence {
    this.exchanges.push(...added.map((exchange) => this.whole(exchange)));
    if (!this.seen || added.length > 0 || records.length > 0 || this.seen.origin !== origin) {
      this.seen = new HostEvidence({ domain, origin, site, exchanges: [...this.exchanges], records }, this.seen);
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

function judgementOf({ subject }: ProbeUpdate, seen: HostEvidence): Judgement {
  return { ...judgeHost(detectorsOf(subject), seen), rails: paymentRails(seen), offered: offeredRails(seen) };
}

/** The inquiries of a probe with this subject. */
function inquiriesOf(subject: Subject): readonly Inquiry[] {
  if (subject.kind === 'payto_check') return WHO_IS_PAID;
  return subject.kind === 'host' ? HOST_INQUIRIES : detectorsOf(subject);
}

/** The detectors for this subject; none for a check that changes no report. */
function detectorsOf(subject: Subject): readonly Detector[] {
  if (subject.kind === 'host') return DETECTORS;
  return subject.kind === 'protocols' ? subject.protocols.map(detectorOf) : [];
}

function detectorOf(id: string): Detector {
  const detector = findDetector(id);
  if (!detector) throw new Error(`there is no detector ${id}`);
  return detector;
}
