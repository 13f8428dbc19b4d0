import type { Config } from '@app/config';
import { TargetBudgets, TargetBusyError } from '@app/limits';
import { HostName } from '@app/hosts';
import { Failures } from '@app/platform';
import {
  CensusRepository,
  ClaimRepository,
  Database,
  RetentionRepository,
  HeartbeatRepository,
  HostRepository,
  OptOutRepository,
  ReaderRepository,
  removeOrphanedObjects,
  RunRepository,
  type RetainedTableName,
  type Retention,
} from '@app/storage';
import {
  createProducer,
  enqueueClaimCheck,
  enqueueRun,
  keepSchedule,
  orderOf,
  potOf,
  queueConnection,
  type ProbeProducer,
  type RunRequest,
  type ScheduledJob,
} from '@app/queue';

const MINUTE_MS = 60_000;
const CENSUS_MS = 10_000;
const HOUR_MS = 60 * MINUTE_MS;
const GIB = 1_024 ** 3;
/**
 * How long replaced evidence is kept: a statement is valid for a day at most, and its evidence is kept for 30 more days
 * (behaviour 12.13).
 */
export const SUPERSEDED_DAYS = 31;
/** Limits on data of hosts without readers, and on all evidence (behaviour 12.11). */
export const RETENTION_UNREAD_HOSTS = {
  days: 90,
  evidenceBytes: 8 * GIB,
  freeReports: 200_000,
  freeReportBytes: 4 * GIB,
} as const;
const THREE_YEARS = 1_096;
/**
 * Limits on other data that strangers can make grow (docs/threat-model.md). Operators choose the age of runs; counters
 * have their own.
 */
export const RETENTION = {
  change_event: { days: THREE_YEARS, rows: 2_000_000, bytes: 4 * GIB },
  host_day: { days: THREE_YEARS, rows: 5_000_000, bytes: GIB },
  probe_run: { days: THREE_YEARS, rows: 2_000_000, bytes: 4 * GIB },
  limit_counter: { days: 0, rows: 1_000_000, bytes: GIB },
  claim: { days: 30, rows: 100_000, bytes: GIB },
  watch: { days: 30, rows: 100_000, bytes: GIB },
  watched_host: { days: 30, rows: 100_000, bytes: GIB },
  alert: { days: 30, rows: 1_000_000, bytes: GIB },
  report_text: { days: 0, rows: 500_000, bytes: 8 * GIB },
} as const satisfies Readonly<Record<RetainedTableName, Retention>>;
/** How long the days of a census are kept: releases are files, and the rows of a year stay for comparison. */
const CENSUS_DAYS = 400;
/** How long an enqueued probe may wait, in milliseconds. */
const PROBE_MS = 120_000;

/** How many census hosts are in the queue at once: a minute of work, so that a lost queue is quickly refilled. */
const CENSUS_HOSTS = 5_000;

/** How many claims are checked per minute, so that all of 100,000 are checked every day. */
const CLAIMS_PER_ROUND = 100;

/** How many watched hosts are probed per minute, so that 14,400 are probed every six hours. */
const WATCHED_PER_ROUND = 40;

/** One lock per job; no other kind of work uses these numbers. */
const LOCKS = {
  presence: 7_402_006,
  retention: 7_402_007,
  claims: 7_402_008,
  watches: 7_402_009,
  census: 7_402_010,
} as const;

/** The dependencies for enqueueing a run. */
interface Round {
  readonly budgets: TargetBudgets;
  readonly producer: ProbeProducer;
  readonly runs: RunRepository;
}

/** The scheduled jobs of workers. */
export class WorkerSchedule {
  private readonly open: { close(): Promise<void> }[] = [];
  private readonly failed: (error: unknown) => void;

  constructor(
    private readonly config: Config,
    private readonly failures: Failures,
    private readonly database: Database,
    private readonly hosts: HostRepository,
    private readonly budgets: TargetBudgets,
  ) {
    this.failed = failures.of('schedule', 'scheduled job failed', 'error');
  }

  /** @throws if the queue is unavailable */
  async start(): Promise<void> {
    const { config, database } = this;
    const runs = new RunRepository(database);
    const connection = queueConnection(config.redis?.url ?? null, config.database.url);
    const onError = this.failed;
    const producer = createProducer(connection, 'presence', onError);
    const claims = createProducer(connection, 'claims', onError);
    const probes = config.freePresenceProbe && config.scheduledProbesPerMin > 0;
    const schedule = await keepSchedule(
      connection,
      {
        presence: probes ? this.alone('presence', MINUTE_MS, () => this.presenceRound(runs, producer)) : null,
        watches: this.alone('watches', MINUTE_MS, () => this.watchRound(runs, producer)),
        claims: this.alone('claims', MINUTE_MS, () => this.claimRound(runs, claims)),
        census: this.alone('census', CENSUS_MS, async () => {
          const room = await producer.censusRoom(CENSUS_HOSTS);
          if (room > 0) await producer.addCensus(await new CensusRepository(database).due(room));
        }),
        // Deletes data beyond its age or limit, and the evidence of hosts that opted out. Subscriptions and the ledger
        // are kept.
        retention: this.alone('retention', HOUR_MS, () =>
          database.withoutStatementTimeout((unlimited) => this.forget(unlimited)),
        ),
      },
      onError,
    );
    this.open.push(schedule, producer, claims);
  }

  private async forget(database: Database): Promise<void> {
    const { retentionDays, targets } = this.config;
    const { probe_run: runs } = RETENTION;
    const kept = { ...RETENTION, probe_run: { ...runs, days: retentionDays } };
    for (const table of await new RetentionRepository(database).forget(kept)) this.failures.capReached(table);
    await new HeartbeatRepository(database).forget();
    await new CensusRepository(database).forget(CENSUS_DAYS);
    await new OptOutRepository(database).removeDocuments(targets.optOut);
    const readers = new ReaderRepository(database);
    await readers.forgetSuperseded(SUPERSEDED_DAYS);
    const beyond = await readers.forget(RETENTION_UNREAD_HOSTS);
    if (beyond.evidence > 0) this.failures.capReached('evidence');
    if (beyond.freeReports > 0) this.failures.capReached('free reports');
    await removeOrphanedObjects(database); // Last, so that an unavailable bucket does not keep other data from being deleted.
  }

  /** Waits for the running job. */
  async close(): Promise<void> {
    for (const part of this.open) await part.close();
  }

  /**
   * Enqueues free probes of known hosts that are due: one per host and day (behaviour 3.9), a few at a time, so that
   * they are spread over the day. The probe itself checks whether the host allows it.
   */
  private async presenceRound(runs: RunRepository, producer: ProbeProducer): Promise<void> {
    const { hosts, config, budgets } = this;
    const room = config.scheduledProbesPerMin - (await runs.waiting('presence'));
    if (room <= 0) return;
    await this.each(await hosts.dueForPresence(room), (host) =>
      enqueue({ budgets, producer, runs }, { kind: 'presence', host, pot: 'scheduled' }),
    );
  }

  /** Enqueues probes of watched hosts (behaviour 19.3); other free probes do not delay them. */
  private async watchRound(runs: RunRepository, producer: ProbeProducer): Promise<void> {
    const { hosts, budgets } = this;
    await this.each(await hosts.dueForWatch(WATCHED_PER_ROUND), (host) =>
      enqueue({ budgets, producer, runs }, { kind: 'watch', host }),
    );
  }

  /** Enqueues claim checks that are due (behaviour 17.3): at most two requests each, within the host's own limits. */
  private async claimRound(runs: RunRepository, producer: ProbeProducer): Promise<void> {
    const claims = new ClaimRepository(this.database, this.config.claimConfirmMs);
    const due = await claims.takeDue(CLAIMS_PER_ROUND);
    await this.each(due, async ({ id, domain }) => {
      const reading = HostName.parse(domain);
      if (reading.ok) await enqueueClaimCheck({ runs, producer }, reading.host, id);
    });
  }

  /** A run that cannot be started is reported and does not stop the others. */
  private async each<T>(due: readonly T[], begin: (one: T) => Promise<void>): Promise<void> {
    for (const one of due) await begin(one).catch(this.failed);
  }

  /** If a job takes longer than its period, it does not run twice in different workers. */
  private alone(name: keyof typeof LOCKS, everyMs: number, work: () => Promise<void>): ScheduledJob {
    const run = async (): Promise<void> => {
      await this.database.exclusively(LOCKS[name], work);
    };
    return { everyMs, run };
  }
}

/** Starts a scheduled run, unless the same is running or the budgets of the host are used up. */
async function enqueue({ budgets, ...way }: Round, request: RunRequest<'presence' | 'watch'>): Promise<void> {
  const { run, fresh } = await way.runs.open(orderOf(request), new Date(Date.now() + PROBE_MS));
  if (!fresh) return;
  const target = { host: request.host.ascii, site: request.host.site };
  await enqueueRun({ ...way, count: () => budgets.begin(target, potOf(request)) }, run).catch((error: unknown) => {
    if (!(error instanceof TargetBusyError)) throw error;
  });
}
