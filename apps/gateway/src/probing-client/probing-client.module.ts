import { Inject, Injectable, Module } from '@nestjs/common';
import type { Config } from '@app/config';
import { OptOuts, TargetBudgets, type LimitStore } from '@app/limits';
import { Failures, type Logger } from '@app/platform';
import { Notices, HeartbeatRepository, RunRepository } from '@app/storage';
import type { ProbeProducer } from '@app/queue';
import { CONFIG, LIMITS, LOGGER, PRODUCERS, type Producers } from '../platform/tokens';
import { FreePresence, type FreePresenceDeps } from './free-presence';
import { ProbeClient } from './probe-client';
import { RunController } from './run.controller';
import { RunEvents } from './run-events';
import { TargetAdmission } from './target-admission';

/** A free probe may wait this long for its turn, in milliseconds. */
const FREE_PROBE_MS = 120_000;

/** The client of free probes, which never stand in front of a buyer, and where their failures go. */
export interface FreeProbes extends Pick<FreePresenceDeps, 'failed' | 'spent'> {
  readonly probes: ProbeClient;
}
/** Injection token of {@link FreeProbes}. */
export const FREE_PROBES = Symbol('FreeProbes');

/** What the clients of both queues share. */
@Injectable()
class ProbeDeps {
  constructor(
    private readonly runs: RunRepository,
    private readonly heartbeats: HeartbeatRepository,
    private readonly notices: Notices,
    private readonly targets: TargetAdmission,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  client(producer: ProbeProducer, deadlineMs: number, failures: Failures): ProbeClient {
    const { runs, heartbeats, notices, targets, logger } = this;
    const failed = failures.of('queue', 'the queue cannot take probes');
    return new ProbeClient({ runs, heartbeats, notices, targets, logger, failed, producer, deadlineMs });
  }
}

/** The gateway's way to the workers: {@link ProbeClient} for callers that wait, {@link FreePresence} for free probes. */
@Module({
  controllers: [RunController],
  providers: [
    RunEvents,
    {
      provide: TargetBudgets,
      useFactory: (limits: LimitStore, { targets, freeProbesPerSiteDay }: Config) =>
        new TargetBudgets(limits, targets, freeProbesPerSiteDay),
      inject: [LIMITS, CONFIG],
    },
    TargetAdmission,
    ProbeDeps,
    {
      provide: ProbeClient,
      useFactory: (deps: ProbeDeps, { live }: Producers, failures: Failures, { refreshDeadlineMs }: Config) =>
        deps.client(live, refreshDeadlineMs, failures),
      inject: [ProbeDeps, PRODUCERS, Failures, CONFIG],
    },
    {
      provide: FREE_PROBES,
      useFactory: (deps: ProbeDeps, { presence }: Producers, failures: Failures): FreeProbes => ({
        probes: deps.client(presence, FREE_PROBE_MS, failures),
        failed: failures.of('presence', 'a free probe failed'),
        spent: () => {
          failures.capReached('free probes of an hour');
        },
      }),
      inject: [ProbeDeps, PRODUCERS, Failures],
    },
    {
      provide: FreePresence, // null when free probes are switched off
      useFactory: ({ freePresenceProbe }: Config, free: FreeProbes, limits: LimitStore, optOuts: OptOuts) =>
        freePresenceProbe ? new FreePresence({ ...free, limits, optOuts }) : null,
      inject: [CONFIG, FREE_PROBES, LIMITS, OptOuts],
    },
  ],
  exports: [ProbeClient, FreePresence, FREE_PROBES],
})
export class ProbingClientModule {}
