import type { PulseRepository, RunRepository } from '@app/persistence';

const DAY_MS = 86_400_000;

export interface RetentionParts {
  readonly runs: Pick<RunRepository, 'forget'>;
  readonly pulses: Pick<PulseRepository, 'forget'>;
  /** How long finished looks are kept. */
  readonly days: number;
}

/**
 * Forgets what nobody asks for any more: looks, whose findings have long been in a report or an answer, and workers that
 * went without a word. Reports, changes, subscriptions and the ledger stay.
 */
export async function retention({ runs, pulses, days }: RetentionParts): Promise<void> {
  await runs.forget(new Date(Date.now() - days * DAY_MS));
  await pulses.forget();
}
