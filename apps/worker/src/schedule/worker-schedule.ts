import type { Config } from '@app/config';
import type { TargetBudgets } from '@app/limits';
import { PulseRepository, RunRepository, type Database, type HostRepository } from '@app/persistence';
import { createProducer, keepSchedule, type QueueConnection, type ScheduledJob } from '@app/queue';
import { presenceRound } from './presence-round';
import { retention } from './retention';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** One lock per job: no number that another kind of work uses. */
const LOCKS = { presence: 7_402_006, retention: 7_402_007 } as const;

export interface WorkerScheduleParts {
  readonly config: Config;
  readonly connection: QueueConnection;
  readonly database: Database;
  readonly hosts: HostRepository;
  readonly budgets: TargetBudgets;
  readonly onError: (error: Error) => void;
}

/** What workers do by the clock. `close` waits for the job that runs. */
export async function startSchedule(parts: WorkerScheduleParts): Promise<{ close(): Promise<void> }> {
  const { config, connection, database, hosts, budgets, onError } = parts;
  const runs = new RunRepository(database);
  const producer = createProducer(connection, 'presence');
  const round = { hosts, runs, budgets, producer, atOnce: config.scheduledLooksPerMin };
  const looks = config.freePresenceProbe && config.scheduledLooksPerMin > 0;
  const upkeep = { runs, pulses: new PulseRepository(database), days: config.retentionDays };
  const schedule = await keepSchedule(
    connection,
    {
      presence: looks ? alone('presence', MINUTE_MS, () => presenceRound(round)) : null,
      retention: alone('retention', DAY_MS, () => retention(upkeep)),
    },
    onError,
  );
  return {
    close: async () => {
      await schedule.close();
      await producer.close();
    },
  };

  /** A job that takes longer than its period never meets itself in another worker. */
  function alone(name: keyof typeof LOCKS, everyMs: number, work: () => Promise<void>): ScheduledJob {
    const run = async (): Promise<void> => {
      await database.exclusively(LOCKS[name], work);
    };
    return { everyMs, run };
  }
}
