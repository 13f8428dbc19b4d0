import type { Config } from '@app/config';
import { TargetBudgets, type LimitStore, type OptOuts } from '@app/limits';
import type { Logger } from '@app/observability';
import { PulseRepository, RunRepository, type Database, type Notices } from '@app/persistence';
import { createProducer, queueConnection, type ProbeProducer, type ProbeQueue } from '@app/queue';
import { FreePresence } from './free-presence';
import { ProbeClient } from './probe-client';
import { TargetAdmission } from './target-admission';

/** A free look may wait this long for its turn, in milliseconds. */
const FREE_LOOK_MS = 120_000;

/** The gateway's way to the workers. */
export interface ProbeParts {
  readonly producers: Readonly<Record<ProbeQueue, ProbeProducer>>;
  readonly pulses: PulseRepository;
  readonly runs: RunRepository;
  /** Looks that somebody waits for. */
  readonly live: ProbeClient;
  /** Free ones in the background; null when they are switched off. */
  readonly presence: FreePresence | null;
}

interface Surroundings {
  readonly database: Database;
  readonly notices: Notices;
  readonly limits: LimitStore;
  readonly optOuts: OptOuts;
  readonly logger: Logger;
}

export function createProbeParts(
  config: Config,
  { database, notices, limits, optOuts, logger }: Surroundings,
): ProbeParts {
  const connection = queueConnection(config.redis?.url ?? null, config.database.url);
  const producers = {
    live: createProducer(connection, 'live'),
    presence: createProducer(connection, 'presence'),
  };
  const pulses = new PulseRepository(database);
  const runs = new RunRepository(database);
  const targets = new TargetAdmission({ budgets: new TargetBudgets(limits, config.targets), optOuts, runs });
  const looking = { runs, pulses, notices, targets, logger };
  const background = new ProbeClient({ ...looking, producer: producers.presence, deadlineMs: FREE_LOOK_MS });
  return {
    producers,
    pulses,
    runs,
    live: new ProbeClient({ ...looking, producer: producers.live, deadlineMs: config.refreshDeadlineMs }),
    presence: config.freePresenceProbe ? new FreePresence({ probes: background, limits, optOuts }) : null,
  };
}
