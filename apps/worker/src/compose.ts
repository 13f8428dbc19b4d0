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
  HostRepository,
  OptOutRepository,
  HeartbeatRepository,
  refuseOlderDatabase,
  RunRepository,
} from '@app/storage';
import { createProber, createSender } from '@app/probing';
import { AlertDelivery } from './schedule/alert-delivery';
import type { AttemptDeps } from './schedule/attempt';
import { CensusShare, FREE_PLACES } from './jobs/census-share';
import { HostRecorder } from './jobs/host-recorder';
import { CensusJobs } from './jobs/census-jobs';
import type { JobDeps } from './jobs/job';
import { JudgingThreads } from './judging/judging-threads';
import type { JudgingListener } from './judging/task';
import { WorkerMetrics } from './jobs/worker-metrics';
import { probeListener } from './probe-listener';
import { ProbeProcessor } from './probe.processor';
import { Heartbeat } from './heartbeat';
import { WorkerSchedule } from './schedule/worker-schedule';

/** The parts of a worker. */
export type Parts = Awaited<ReturnType<typeof compose>>;

/** Builds a worker from its configuration. It has nothing to do with payments. @throws if a part cannot be opened */
export async function compose(config: Config, logger: Logger, threadFile: string) {
  checkSigningKeys(config.identity.signingKey);
  await refuseOlderDatabase(config.database.url);
  const shared = openShared(config, logger);
  const { database, failures, metrics, budgets, optOuts } = shared;
  const [judging, identity, keys] = await Promise.all([
    new JudgingThreads(threadFile, judgingListener(logger, metrics)).ready(),
    identityOf(config, database),
    webhookKeys(config, database),
    optOuts.start(),
    database.secrets.vault(),
  ]);
  const { prober, sender } = openDoor(shared, identity);
  const hosts = new HostRepository(database);
  const jobs: JobDeps = {
    ...{ prober, judging, budgets, config },
    recorder: new HostRecorder(hosts, metrics),
    evidence: new EvidenceRepository(database),
    claims: new ClaimRepository(database, config.claimConfirmMs),
    share: new CensusShare(FREE_PLACES + config.censusSlots),
  };
  const attempts = { sender, keys, baseUrl: config.http.publicBaseUrl };
  return {
    ...{ ...shared, prober, judging },
    processor: new ProbeProcessor(new RunRepository(database), jobs, optOuts, metrics, logger),
    census: new CensusJobs(
      new CensusRepository(database),
      jobs,
      optOuts,
      failures.of('census', 'could not store census results'),
    ),
    schedule: new WorkerSchedule(config, failures, database, hosts, budgets),
    heartbeat: new Heartbeat(config.probing.concurrency, logger, new HeartbeatRepository(database)),
    alerts: new AlertDelivery(new DeliveryRepository(database), attempts, metrics, failures),
  };
}

function openShared(config: Config, logger: Logger) {
  const { database: storage, redis, targets, freeProbesPerSiteDay } = config;
  const metrics = new WorkerMetrics();
  const failures = new Failures(logger);
  metrics.registry.registerMetric(failures.counter);
  const database = new Database(storage.url, storage);
  const store = openLimitStore({ redisUrl: redis?.url ?? null, pool: database.pool });
  const listed = new OptOutRepository(database);
  return {
    ...{ config, metrics, failures, database, store },
    budgets: new TargetBudgets(store, targets, freeProbesPerSiteDay),
    optOuts: new OptOuts(targets.optOut, () => listed.list(), failures.of('opt_outs', 'opt-outs not read')),
  };
}

/** Outgoing connections: to hosts, and to receivers of alerts. */
function openDoor(
  { config, store, budgets, optOuts, metrics }: ReturnType<typeof openShared>,
  { signRequest }: ProberIdentity,
) {
  const { http, identity, probing } = config;
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
  // Alerts are never sent to names of this service or to names that opted out.
  const optedOut = (host: string): boolean => host === ownName || optOuts.covers(host);
  return { prober, sender: createSender({ ...door, budget: new ReceiverBudgets(store), optedOut }) };
}

function identityOf({ identity, http }: Config, { secrets }: Database): Promise<ProberIdentity> {
  return ProberIdentity.open({ configured: identity.signingKey, secrets, baseUrl: http.publicBaseUrl });
}

/** Derived from a secret that gateways do not have; they only read the public keys. */
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
      logger.error({ err: error }, 'judging thread died');
    },
  };
}
