import { TargetBusyError, type TargetBudgets } from '@app/limits';
import type { HostRepository, RunRepository } from '@app/persistence';
import { enqueueRun, type ProbeProducer } from '@app/queue';

/** A look that was put into the queue may wait this long for its turn, in milliseconds. */
const LOOK_MS = 120_000;

export interface PresenceRoundParts {
  readonly hosts: Pick<HostRepository, 'dueForPresence'>;
  readonly runs: Pick<RunRepository, 'open' | 'fail' | 'waiting'>;
  readonly budgets: Pick<TargetBudgets, 'beginLook'>;
  /** On the queue for free looks. */
  readonly producer: Pick<ProbeProducer, 'add'>;
  /** Looks asked for in one round, together with those still waiting. */
  readonly atOnce: number;
}

/**
 * Asks for free looks at known hosts that are due: one a day for each (contract 3), few at a time, so that a day's looks
 * are spread over the day. Whether a host wants to be looked at is judged where the look is made.
 */
export async function presenceRound({ hosts, runs, budgets, producer, atOnce }: PresenceRoundParts): Promise<void> {
  const room = atOnce - (await runs.waiting('free'));
  if (room <= 0) return;
  for (const domain of await hosts.dueForPresence(room)) {
    const { run, fresh } = await runs.open({ kind: 'presence', domain }, new Date(Date.now() + LOOK_MS));
    if (!fresh) continue;
    await enqueueRun({ budgets, producer, runs }, run).catch((error: unknown) => {
      if (!(error instanceof TargetBusyError)) throw error;
    });
  }
}
