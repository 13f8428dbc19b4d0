import type { ProbePhase, ProtocolCell, FailureReason } from '@app/detectors';
import type { Bundle } from '@app/evidence';
import { defined } from '@app/platform';
import { FREE_RUNS, type HostRepository, type StoredHost } from '@app/storage';
import type { Run, RunKind, RunOutcome } from '@app/queue';
import {
  driftOf,
  readFacts,
  renderFacts,
  type Answered,
  type HostFacts,
  type HostSample,
  type PaymentRails,
} from '@app/reports';
import type { WorkerMetrics } from './worker-metrics';

/** The failures that also occur when this machine has no network. */
const SILENCE: ReadonlySet<FailureReason> = new Set<FailureReason>([
  'dns_failure',
  'connect_refused',
  'connect_timeout',
  'connection_reset',
]);
/** We assume an outage when the last probes of this many other sites got no answer either. */
const OTHERS = 2;
const RECENT_MS = 900_000;

/**
 * Detects an outage of our own network: if the last other sites did not answer either, we cannot tell who is at fault.
 */
export class EgressOutageDetector {
  /** Each site once, the newest last. */
  private readonly last = new Map<string, { readonly at: number; readonly silent: boolean }>();

  /** The outcome of a probe for the availability of its day. @param site registrable domain @param at milliseconds */
  outcome(site: string, answered: Answered, at: number): Answered {
    const silent = answered.outcome === 'down' && SILENCE.has(answered.reason);
    const others = [...this.last].filter(([other]) => other !== site).slice(-OTHERS);
    this.last.delete(site);
    this.last.set(site, { at, silent });
    for (const oldest of [...this.last.keys()].slice(0, -(OTHERS + 1))) this.last.delete(oldest);
    const doubted = others.length === OTHERS && others.every(([, one]) => one.silent && at - one.at < RECENT_MS);
    return silent && doubted ? { ...answered, outcome: 'unknown' } : answered;
  }
}

/** The findings of a probe, before they are merged with the stored report. */
export interface Finding<Kind extends RunKind = RunKind> {
  readonly run: Run<Kind>;
  readonly cells: readonly ProtocolCell[];
  /** Null if the probe requested no challenges; then the known options stay. */
  readonly rails: PaymentRails | null;
  /** The phase of the probe. A presence probe may miss what a callability probe sees. */
  readonly phase: ProbePhase;
  readonly at: Date;
  /** The new evidence of the report, if any. */
  readonly bundle?: Bundle;
  /** Whether the host answered; missing for a probe of one protocol. */
  readonly answered?: Answered;
  /** Computes the new report from the previous one. */
  readonly factsAfter: (before: HostFacts | undefined) => HostFacts;
  /** The answer for the waiting gateway. */
  readonly outcome: RunOutcome<Kind>;
}

/**
 * Two probes of one host rarely end at the same time; each retry means that a whole other probe was stored meanwhile.
 */
const MAX_TRIES = 5;

/** Stores a finding in one transaction: report, changes, evidence and the run's outcome. */
export class HostRecorder {
  private readonly egress = new EgressOutageDetector();

  constructor(
    readonly hosts: HostRepository,
    private readonly metrics: WorkerMetrics,
  ) {}

  /** Computes the report from the stored one and writes it. If another probe was stored first, it computes again. */
  async record<Kind extends RunKind>(finding: Finding<Kind>): Promise<void> {
    const { ascii } = finding.run.host;
    const sample = this.sampleOf(finding);
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const before = await this.hosts.find(ascii);
      const saved = await this.save(finding, before, sample);
      // `run_over`: the deadline has passed or the same job ran twice, so no request is waiting for this finding.
      if (saved === 'saved') this.metrics.judged(finding.cells);
      if (saved !== 'stale_base') return;
    }
    throw new Error(`too many concurrent changes to the report of ${ascii}`);
  }

  private save(
    finding: Finding,
    before: StoredHost | undefined,
    sample: HostSample | undefined,
  ): Promise<'saved' | 'stale_base' | 'run_over'> {
    const facts = finding.factsAfter(before && readFacts(before.facts));
    const { events, memory } = driftOf(before?.driftMemory ?? null, {
      cells: finding.cells,
      rails: finding.rails,
      phase: finding.phase,
      at: finding.at.toISOString(),
    });
    const { probedAt, callabilityProbedAt } = facts;
    return this.hosts.saveProbe({
      runId: finding.run.id,
      bought: isBought(finding.run),
      domain: finding.run.host.ascii,
      site: finding.run.host.site,
      baseVersion: before?.version ?? 0,
      facts: renderFacts(facts),
      clocks: defined({ probedAt, callabilityProbedAt }),
      reachable: facts.reachable ?? null,
      payable: facts.paymentRails.payable,
      rails: facts.paymentRails.rails,
      driftMemory: memory,
      events,
      outcome: finding.outcome,
      ...defined({ bundle: finding.bundle, sample }),
    });
  }

  private sampleOf({ answered, at, run }: Finding): HostSample | undefined {
    if (!answered) return undefined;
    return {
      ...this.egress.outcome(run.host.site, answered, at.getTime()),
      at,
      bought: isBought(run),
    };
  }
}

function isBought({ kind }: Pick<Run, 'kind'>): boolean {
  return !FREE_RUNS.includes(kind);
}
