import { TargetBudgets } from '@app/limits';
import type { ProbeProducer } from '@app/queue';
import { HeartbeatRepository, RunRepository } from '@app/storage';
import type { Connections } from '../platform/connections';
import { FreePresence } from './free-presence';
import { ProbeClient } from './probe-client';
import { RunEvents } from './run-events';
import { TargetAdmission } from './target-admission';

/** How long a free probe may wait in the queue, in milliseconds. */
const FREE_PROBE_MS = 120_000;

/**
 * Builds the gateway's access to the workers: {@link ProbeClient} for callers that wait, {@link FreePresence} for free
 * probes.
 */
export function openProbing({ config, database, failures, limits, logger, notices, optOuts, producers }: Connections) {
  const { targets, freeProbesPerSiteDay, refreshDeadlineMs, freePresenceProbe } = config;
  const runs = new RunRepository(database);
  const heartbeats = new HeartbeatRepository(database);
  const admission = new TargetAdmission(new TargetBudgets(limits, targets, freeProbesPerSiteDay), optOuts, runs);
  const failed = failures.of('queue', 'the queue does not accept probes');
  const client = (producer: ProbeProducer, deadlineMs: number): ProbeClient =>
    new ProbeClient({ runs, heartbeats, notices, targets: admission, logger, failed, producer, deadlineMs });
  const free = {
    probes: client(producers.presence, FREE_PROBE_MS), // the queue that never delays buyers
    spent: () => {
      failures.capReached('free probes per hour');
    },
  };
  const freeFailed = failures.of('presence', 'a free probe failed');
  return {
    ...{ runs, heartbeats, free },
    events: new RunEvents(runs, notices),
    probes: client(producers.live, refreshDeadlineMs),
    /** Null if free probes are disabled. */
    presence: freePresenceProbe ? new FreePresence({ ...free, failed: freeFailed, limits, optOuts }) : null,
  };
}
