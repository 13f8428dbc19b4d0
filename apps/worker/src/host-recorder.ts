import type { Exchange, Fix, ProbePhase, ProtocolCell } from '@app/detectors';
import type { HostRepository, Run, StoredHost } from '@app/persistence';
import type { WorkerMetrics } from './metrics/worker-metrics';
import { driftOf, renderFacts, type HostFacts, type HostName, type PaymentRails } from '@app/reports';

/** What a look found, before it meets what was known. */
export interface Finding {
  readonly host: HostName;
  readonly run: Run;
  readonly cells: readonly ProtocolCell[];
  readonly fixes: readonly Fix[];
  /** Null for a look that made no challenge requests: the rails that were known stay. */
  readonly rails: PaymentRails | null;
  /** What the look did: a presence look may see less of what is only seen by calling. */
  readonly phase: ProbePhase;
  readonly at: Date;
  /** Replaces the stored evidence when given. */
  readonly exchanges?: readonly Exchange[];
  /** The report after this look, given the one before. */
  readonly factsAfter: (before: HostFacts | undefined) => HostFacts;
  /** What the waiting gateway gets. */
  readonly outcome: unknown;
}

/** Two looks at one host rarely end at once; each retry meets a report that is newer by a whole look. */
const MAX_TRIES = 5;

/** Stores a finding: report, drift events, evidence and the run's outcome, in one transaction. */
export class HostRecorder {
  constructor(
    private readonly hosts: HostRepository,
    private readonly metrics: Pick<WorkerMetrics, 'judged'>,
  ) {}

  /** Computes on the stored report and writes; when another look came first, computes again on that one. */
  async record(finding: Finding): Promise<void> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const before = await this.hosts.find(finding.host.ascii);
      const saved = await this.save(finding, before);
      // `run_over`: the deadline passed or the same job ran twice; nobody waits for this finding any more.
      if (saved === 'saved') this.metrics.judged(finding.cells);
      if (saved !== 'stale_base') return;
    }
    throw new Error(`the report of ${finding.host.ascii} kept changing`);
  }

  private save(finding: Finding, before: StoredHost | undefined): Promise<'saved' | 'stale_base' | 'run_over'> {
    const facts = finding.factsAfter(before && (JSON.parse(before.facts) as HostFacts));
    const { events, memory } = driftOf(before?.driftMemory ?? null, {
      cells: finding.cells,
      rails: finding.rails,
      phase: finding.phase,
      at: finding.at.toISOString(),
    });
    const { probedAt, callabilityProbedAt } = facts;
    return this.hosts.saveLook({
      runId: finding.run.id,
      domain: finding.host.ascii,
      site: finding.host.site,
      baseVersion: before?.version ?? 0,
      facts: renderFacts(facts),
      clocks: {
        ...(probedAt === undefined ? {} : { probedAt }),
        ...(callabilityProbedAt === undefined ? {} : { callabilityProbedAt }),
      },
      reachable: facts.reachable ?? null,
      payable: facts.paymentRails.payable,
      rails: facts.paymentRails.rails,
      driftMemory: memory,
      events,
      ...(finding.exchanges ? { exchanges: finding.exchanges } : {}),
      outcome: finding.outcome,
    });
  }
}
