import type {
  Answer,
  DetectorFailure,
  DnsRecords,
  Failure,
  FirstReading,
  HostJudgement,
  RequestPhase,
  ProbeRequest,
} from '@app/detectors';
import type { PaymentRail, PaymentRails, PayToFinding } from '@app/reports';

/** What a probe is about: which inquiries make its requests and which detectors judge what came back. */
export type Subject =
  | { readonly kind: 'host' }
  | { readonly kind: 'protocols'; readonly protocols: readonly string[] }
  | { readonly kind: 'payto_check' };

/** What the detectors of a subject conclude. */
export interface Judgement extends HostJudgement {
  readonly rails: PaymentRails;
  /** Each option of each route: what the history compares. */
  readonly offered: readonly PaymentRail[];
}

/** Requests to a thread about a probe, and their responses. */
export interface Answers {
  readonly plan: readonly ProbeRequest[];
  readonly judge: Judgement;
  /** What a first pass tells. */
  readonly first: FirstReading;
  readonly payTo: PayToFinding;
  /** Whether robots.txt disallows the probe. */
  readonly robots: boolean;
}

/** The request about a robots.txt. */
export interface RobotsQuestion {
  readonly path: string;
  /** Whether the probe is made without a request for it. */
  readonly crawls: boolean;
}

export type Task =
  | { readonly task: 'plan'; readonly phase: RequestPhase }
  | { readonly task: 'judge' }
  | { readonly task: 'first' }
  | { readonly task: 'payTo' }
  | ({ readonly task: 'robots'; readonly text: string } & RobotsQuestion);

/** An exchange on its way to a thread: a body travels once per probe, by its digest after that. */
export type SentExchange = Failure | (Omit<Answer, 'body' | 'raw'> & { readonly body: string | null });

/** The current state of the probe; `added` has only what the thread does not have yet. */
export interface ProbeUpdate {
  readonly probe: number;
  readonly subject: Subject;
  readonly domain: string;
  readonly origin: string;
  readonly site: string;
  readonly added: readonly SentExchange[];
  readonly records: readonly DnsRecords[];
}

export type ToThread =
  | { readonly kind: 'task'; readonly id: number; readonly update: ProbeUpdate; readonly task: Task }
  | { readonly kind: 'close'; readonly probe: number }
  | { readonly kind: 'warm' };

/** `failed` only for a bug in this program: what a host sends is never an error here. */
export type FromThread =
  | { readonly ready: true }
  | { readonly id: number; readonly answer: Answers[keyof Answers] }
  | { readonly id: number; readonly failed: Error };

/** Receives the bugs found while judging. Nothing else reports them, because the run continues or fails for another reason. */
export interface JudgingListener {
  readonly onDetectorFailure: (failure: DetectorFailure, domain: string) => void;
  /** A thread ended by itself. */
  readonly onThreadEnd: (error: Error) => void;
}
