import type { Answer, Failure, Fix, ProbePhase, ProbeRequest, ProtocolCell } from '@app/detectors';
import type { PaymentRails, PayToFinding } from '@app/reports';

/** What a look is about: which inquiries make its requests and which detectors judge what came back. */
export type Subject =
  | { readonly kind: 'host' }
  | { readonly kind: 'protocol'; readonly protocol: string }
  | { readonly kind: 'payto_check' };

/** What the detectors of a subject conclude. */
export interface Verdicts {
  readonly cells: readonly ProtocolCell[];
  readonly fixes: readonly Fix[];
  readonly rails: PaymentRails;
}

/** What a thread is asked about a look, and what it answers. */
export interface Answers {
  readonly plan: readonly ProbeRequest[];
  readonly verdicts: Verdicts;
  readonly payTo: PayToFinding;
  /** Whether the host asks us by name to stay away. */
  readonly robots: boolean;
}

export type Task =
  | { readonly task: 'plan'; readonly phase: ProbePhase }
  | { readonly task: 'verdicts' }
  | { readonly task: 'payTo' }
  | { readonly task: 'robots'; readonly text: string };

/** An exchange on its way to a thread: a body travels once per look, by its digest after that. */
export type SentExchange = Failure | (Omit<Answer, 'body'> & { readonly body: string | null });

/** The look as it is known now: only what the thread has not been sent is in `added`. */
export interface LookUpdate {
  readonly look: number;
  readonly subject: Subject;
  readonly domain: string;
  readonly origin: string;
  readonly site: string;
  readonly added: readonly SentExchange[];
}

export type ToThread =
  | { readonly kind: 'task'; readonly id: number; readonly update: LookUpdate; readonly task: Task }
  | { readonly kind: 'close'; readonly look: number };

/** `failed` only for a bug of ours: what a host sends is never an error here. */
export type FromThread =
  | { readonly ready: true }
  | { readonly id: number; readonly answer: Answers[keyof Answers] }
  | { readonly id: number; readonly failed: string };
