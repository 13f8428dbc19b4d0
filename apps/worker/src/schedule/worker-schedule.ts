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
/** Age of replaced evidence: a statement is valid for a day at most, and its evidence is kept for 30 more (behaviour 12.13). */
export const SUPERSEDED_DAYS = 31;
/** Of hosts that are not read, and of all evidence (behaviour 12.11). */
export const RETENTION_UNREAD_HOSTS = {
  days: 90,
  evidenceBytes: 8 * GIB,
  freeReports: 200_000,
  freeReportBytes: 4 * GIB,
} as const;
const THREE_YEARS = 1_096;
/** Of what else strangers make grow (docs/threat-model.md); runs have an age that operators choose, and counters one of their own. */
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
/** How long the days of censuses are kept, in days: releases are files, and a year of them stays to compare. */
const CENSUS_DAYS = 400;
/** A probe that was put into the queue may wait this long for its turn, in milliseconds. */
const PROBE_MS = 120_000;

/** Hosts of censuses that stand in the queue at once: a minute of work, so that a lost queue is little to fill again. */
const CENSUS_HOSTS = 5_000;

/** Claims that are checked in a minute, so that all of 100,000 have their turn in a day. */
const CLAIMS_PER_ROUND = 100;

/** Watched hosts that are probed in a minute, so that 14,400 have their turn in six hours. */
const WATCHED_PER_ROUND = 40;

/** One lock per job: no number that another kind of work uses. */
const LOCKS = {
  presence: 7_402_006,
  retention: 7_402_007,
  claims: 7_402_008,
  watches: 7_402_009,
  census: 7_402_010,
} as const;

/** What a run goes through on its way into the queue. */
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

  /** @throws when the queue is out of reach */
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
        // What has an age or a cap is forgotten, and the documents of hosts that opted out. Subscriptions and the ledger stay.
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
    await removeOrphanedObjects(database); // Last, so that a bucket that is down does not keep other data from being deleted.
  }

  /** Waits for the job that runs. */
  async close(): Promise<void> {
    for (const part of this.open) await part.close();
  }

  /**
   * Asks for free probes of known hosts that are due: one a day for each (behaviour 3.9), few at a time, so that a day's
   * probes are spread over the day. Whether a host wants to be probed is judged where the probe is made.
   */
  private async presenceRound(runs: RunRepository, producer: ProbeProducer): Promise<void> {
    const { hosts, config, budgets } = this;
    const room = config.scheduledProbesPerMin - (await runs.waiting('presence'));
    if (room <= 0) return;
    await this.each(await hosts.dueForPresence(room), (host) =>
      enqueue({ budgets, producer, runs }, { kind: 'presence', host, pot: 'scheduled' }),
    );
  }

  /** Asks for probes of hosts that somebody watches (behaviour 19.3), which other free ones do not hold up. */
  private async watchRound(runs: RunRepository, producer: ProbeProducer): Promise<void> {
    const { hosts, budgets } = this;
    await this.each(await hosts.dueForWatch(WATCHED_PER_ROUND), (host) =>
      enqueue({ budgets, producer, runs }, { kind: 'watch', host }),
    );
  }

  /** Asks for checks of claims that are due (behaviour 17.3): two requests at most each, which the host's own limits bound. */
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

  /** A job that takes longer than its period never meets itself in another worker. */
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
