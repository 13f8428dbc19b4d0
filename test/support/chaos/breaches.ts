import type { Answer, Purchase } from './buyer';

/** A promise of the paywall that a purchase violates. */
export interface Breach {
  readonly nonce: string;
  readonly promise: string;
  readonly answers: readonly string[];
}

/** The data about a purchase at the end. */
export interface Outcome {
  readonly purchase: Purchase;
  /** Whether the chain has a transfer with its authorization. */
  readonly paid: boolean;
  /** Whether, by the ledger, the transfer was on the chain, vanished with its block and could not be repeated. */
  readonly vanished: boolean;
  /** The answer to the same payment now; only requested for paid purchases. */
  readonly again: Answer | undefined;
}

const PROMISES: Readonly<Record<string, (outcome: Outcome) => boolean>> = {
  'a paid answer can be fetched again with the same header': ({ paid, again }) => !paid || again?.status === 200,
  'every copy of the answer has the same bytes': ({ purchase, again }) =>
    new Set([...purchase.answers, ...(again ? [again] : [])].filter(isBought).map(({ body }) => body)).size <= 1,
  'a buyer whose money moved is never asked to pay again': ({ purchase, paid }) =>
    !paid || purchase.answers.every(({ status }) => status !== 402),
  'no answer is released unpaid, except if a block vanished': ({ purchase, paid, vanished }) =>
    paid || vanished || !purchase.answers.some(isBought),
  'a payment is never reported as used for another request': ({ purchase }) =>
    purchase.answers.every(({ status }) => status !== 409),
  'no request ends in an unexpected error': ({ purchase }) => purchase.answers.every(({ status }) => status !== 500),
};

export function breachesOf(outcome: Outcome): readonly Breach[] {
  const { nonce, answers } = outcome.purchase;
  return Object.entries(PROMISES)
    .filter(([, holds]) => !holds(outcome))
    .map(([promise]) => ({
      nonce,
      promise,
      answers: [...answers, ...(outcome.again ? [outcome.again] : [])].map(
        ({ status, code }) => `${status} ${code ?? ''}`,
      ),
    }));
}

/** The number of answers by status and code. */
export function tally(purchases: readonly Purchase[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { answers, lost } of purchases) {
    for (const { status, code } of answers) {
      const kind = code === null ? String(status) : `${status} ${code}`;
      counts[kind] = (counts[kind] ?? 0) + 1;
    }
    counts['no answer'] = (counts['no answer'] ?? 0) + lost;
  }
  return counts;
}

function isBought({ status }: Answer): boolean {
  return status === 200;
}
