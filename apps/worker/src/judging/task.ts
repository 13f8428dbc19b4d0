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

/** The subject of a probe; it decides which inquiries make its requests and which detectors evaluate the answers. */
export type Subject =
  | { readonly kind: 'host' }
  | { readonly kind: 'protocols'; readonly protocols: readonly string[] }
  | { readonly kind: 'payto_check' };

/** The results of a subject's detectors. */
export interface Judgement extends HostJudgement {
  readonly rails: PaymentRails;
  /** Each payment option of each route, for the change history. */
  readonly offered: readonly PaymentRail[];
}

/** The answers of a thread, by kind of question. */
export interface Answers {
  readonly plan: readonly ProbeRequest[];
  readonly judge: Judgement;
  /** The result of a first pass. */
  readonly first: FirstReading;
  readonly payTo: PayToFinding;
  /** Whether robots.txt disallows the probe. */
  readonly robots: boolean;
}

/** The question about a robots.txt. */
export interface RobotsQuestion {
  readonly path: string;
  /** Whether nobody requested the probe. */
  readonly crawls: boolean;
}

export type Task =
  | { readonly task: 'plan'; readonly phase: RequestPhase }
  | { readonly task: 'judge' }
  | { readonly task: 'first' }
  | { readonly task: 'payTo' }
  | ({ readonly task: 'robots'; readonly text: string } & RobotsQuestion);

/** An exchange for a thread: each body is sent once per probe; after that, its digest is sent. */
export type SentExchange = Failure | (Omit<Answer, 'body' | 'raw'> & { readonly body: string | null });

/** The state of the probe; `added` only contains exchanges that the thread does not have yet. */
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

/** `failed` always means a bug in this program; input from a host never causes an error here. */
export type FromThread =
  | { readonly ready: true }
  | { readonly id: number; readonly answer: Answers[keyof Answers] }
  | { readonly id: number; readonly failed: Error };

/**
 * Receives bugs found in detector threads. Nothing else reports them, because the run continues or fails for another
 * reason.
 */
export interface JudgingListener {
  readonly onDetectorFailure: (failure: DetectorFailure, domain: string) => void;
  /** Called when a thread crashed. */
  readonly onThreadEnd: (error: Error) => void;
}
