import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { WebhookKeys } from '@app/owners';
import { VERSION, type Config } from '@app/config';
import { checkSigningKeys, ProberIdentity, userAgentOf } from '@app/signing';
import { NegativeCache, openLimitStore, OptOuts, ReceiverBudgets, TargetBudgets } from '@app/limits';
import { defined, Failures, type Logger } from '@app/platform';
import {
  CensusRepository,
  ClaimRepository,
  Database,
  DeliveryRepository,
  EvidenceRepository,
  HostDayRepository,
  HostRepository,
  OptOutRepository,
  HeartbeatRepository,
  refuseOlderDatabase,
  RunRepository,
} from '@app/storage';
import { createProber, createSender } from '@app/probing';
import { AlertDelivery, ATTEMPT_DEPS } from './schedule/alert-delivery';
import type { AttemptDeps } from './schedule/attempt';
import { CensusShare, FREE_PLACES } from './jobs/census-share';
import { HostRecorder } from './jobs/host-recorder';
import { CensusJobs, CensusLimits } from './jobs/census-jobs';
import { Intake, OpenDeps } from './intake';
import { JobDeps } from './jobs/job';
import { JudgingThreads } from './judging/judging-threads';
import type { JudgingListener } from './judging/task';
import { WorkerMetrics } from './jobs/worker-metrics';
import { probeListener } from './probe-listener';
import { ProbeProcessor } from './probe.processor';
import { Heartbeat } from './heartbeat';
import { WorkerSchedule } from './schedule/worker-schedule';
import { CONFIG, LIMIT_STORE, LOGGER, PROBER } from './jobs/tokens';

/** Composition of the worker: a queue consumer that probes hosts. It knows nothing of money. */
@Module({
  providers: [
    AlertDelivery,
    HostRecorder,
    JobDeps,
    ProbeProcessor,
    WorkerSchedule,
    Heartbeat,
    Intake,
    CensusJobs,
    CensusLimits,
    OpenDeps,
  ],
})
export class WorkerModule {
  /** Opens what is not Nest's. @throws when a part cannot be opened */
  static async open(config: Config, logger: Logger, threadFile: string): Promise<DynamicModule> {
    const { database: storage, redis, targets, http, identity, probing } = config;
    checkSigningKeys(identity.signingKey);
    await refuseOlderDatabase(storage.url);
    const metrics = new WorkerMetrics();
    const failures = new Failures(logger);
    metrics.registry.registerMetric(failures.counter);
    const database = new Database(storage.url, storage);
    const store = openLimitStore({ redisUrl: redis?.url ?? null, pool: database.pool });
    const budgets = new TargetBudgets(store, targets, config.freeProbesPerSiteDay);
    const optOuts = new OptOuts(
      targets.optOut,
      () => new OptOutRepository(database).list(),
      failures.of('opt_outs', 'opt-outs not read'),
    );
    const [judging, { signRequest }, keys] = await Promise.all([
      new JudgingThreads(threadFile, judgingListener(logger, metrics)).ready(),
      ProberIdentity.open({
        configured: identity.signingKey,
        secrets: database.secrets,
        baseUrl: http.publicBaseUrl,
      }),
      webhookKeys(config, database),
      optOuts.start(),
      database.secrets.vault(),
    ]);
    const door = {
      userAgent: userAgentOf(VERSION, http.publicBaseUrl),
      connectTo: probing.connectTo,
      ...defined({ caFile: probing.caFile ?? undefined }),
      ownAddresses: identity.egress,
    };
    const prober = createProber({
      ...door,
      signRequest,
      budget: budgets.ofProbe('paid'),
      negativeCache: new NegativeCache(store),
      optedOut: (host) => optOuts.covers(host),
      listener: probeListener(budgets, metrics),
    });
    const ownName = new URL(http.publicBaseUrl).hostname;
    // Alerts go to no name of this service, and to none that opted out.
    const optedOut = (host: string): boolean => host === ownName || optOuts.covers(host);
    const sender = createSender({ ...door, budget: new ReceiverBudgets(store), optedOut });
    const values: readonly (readonly [symbol | Type, unknown])[] = [
      [CONFIG, config],
      [LOGGER, logger],
      [PROBER, prober],
      [WorkerMetrics, metrics],
      [Failures, failures],
      [Database, database],
      [CensusShare, new CensusShare(FREE_PLACES + config.censusSlots)],
      [CensusRepository, new CensusRepository(database)],
      [ATTEMPT_DEPS, { sender, keys, baseUrl: http.publicBaseUrl }],
      [ClaimRepository, new ClaimRepository(database, config.claimConfirmMs)],
      [DeliveryRepository, new DeliveryRepository(database)],
      [EvidenceRepository, new EvidenceRepository(database)],
      [HostRepository, new HostRepository(database)],
      [HostDayRepository, new HostDayRepository(database)],
      [HeartbeatRepository, new HeartbeatRepository(database)],
      [RunRepository, new RunRepository(database)],
      [TargetBudgets, budgets],
      [OptOuts, optOuts],
      [JudgingThreads, judging],
      [LIMIT_STORE, store],
    ];
    return { module: WorkerModule, providers: values.map(([provide, useValue]) => ({ provide, useValue })) };
  }
}

/** Made from a secret that gateways are not given; they read the public halves. */
async function webhookKeys({ webhooks }: Config, { secrets }: Database): Promise<AttemptDeps['keys']> {
  const { key, former } = webhooks;
  const rest = former.map((secret) => new WebhookKeys(secret));
  return [new WebhookKeys(key ?? (await secrets.obtain('webhook_key'))), ...rest];
}

function judgingListener(logger: Logger, metrics: WorkerMetrics): JudgingListener {
  return {
    onDetectorFailure: ({ detector, stack }, domain) => {
      metrics.detectorFailed(detector);
      logger.error({ detector, domain, stack }, 'detector failed');
    },
    onThreadEnd: (error) => {
      logger.error({ err: error }, 'judging thread ended');
    },
  };
}
