import { VERSION } from '@app/config';
import { text, type Exchange, type FailureReason, type ProtocolCell } from '@app/detectors';
import { openMetrics, PREFIX } from '@app/platform';
import { Counter, Gauge, Histogram } from 'prom-client';

/** The outcome of a probe; `failed` means a bug in this program. */
export type ProbeOutcome = 'done' | 'target_busy' | 'host_too_slow' | 'opted_out' | 'failed';

/** The failure reasons that mean that the network guard blocked something. */
const BLOCKED: ReadonlySet<FailureReason> = new Set([
  'address_refused',
  'redirect_refused',
  'redirect_loop',
  'headers_too_large',
  'too_large',
  'bad_encoding',
]);

/** Reasons come from a closed list; anything else must not become a metric label. */
const REASON = /^[a-z0-9_]{1,40}$/;

/** The metrics of a worker. */
export class WorkerMetrics {
  readonly registry = openMetrics('worker', VERSION);
  private readonly probes = this.counter('probes_total', 'Finished probes by kind and outcome.', 'kind', 'outcome');
  private readonly probeSeconds = new Histogram({
    name: `${PREFIX}probe_seconds`,
    help: 'Duration of a probe, including storage.',
    labelNames: ['kind'],
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20],
    registers: [this.registry],
  });
  private readonly running = new Gauge({
    name: `${PREFIX}probes_running`,
    help: 'Probes running in this worker.',
    registers: [this.registry],
  });
  private readonly phases = new Histogram({
    name: `${PREFIX}probe_phase_seconds`,
    help: 'Duration of each phase of successful requests to hosts: dns, connect, tls, headers, body.',
    labelNames: ['phase'],
    buckets: [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [this.registry],
  });
  private readonly exchanges = this.counter(
    'exchanges_total',
    'Requests to hosts by outcome: answer, or the reason for the failure.',
    'outcome',
  );
  private readonly blocked = this.counter(
    'guard_refused_total',
    'Requests and responses blocked by the network guard, by reason.',
    'reason',
  );
  private readonly cells = this.counter(
    'probe_outcome_total',
    'Stored cells by detector and status, with the reason of an error.',
    'detector',
    'outcome',
    'reason',
  );
  private readonly detectorErrors = this.counter(
    'detector_errors_total',
    'Detector exceptions, each of which is a bug; the log has the stack.',
    'detector',
  );
  private readonly busyTargets = this.counter(
    'target_budget_exhausted_total',
    'Probes abandoned because the request budget of the host was used up.',
  );

  private readonly alerts = this.counter('alert_attempts_total', 'Alert deliveries attempted, by outcome.', 'outcome');

  private counter<Label extends string>(name: string, help: string, ...labelNames: readonly Label[]): Counter<Label> {
    return new Counter({ name: `${PREFIX}${name}`, help, labelNames, registers: [this.registry] });
  }

  probeBegan(): void {
    this.running.inc();
  }

  probeEnded(kind: string, outcome: ProbeOutcome, ms: number): void {
    this.running.dec();
    this.probes.inc({ kind, outcome });
    if (outcome === 'done') this.probeSeconds.observe({ kind }, ms / 1_000);
    if (outcome === 'target_busy') this.busyTargets.inc();
  }

  phase(phase: string, ms: number): void {
    this.phases.observe({ phase }, ms / 1_000);
  }

  asked(exchanges: readonly Exchange[]): void {
    for (const exchange of exchanges) {
      this.exchanges.inc({ outcome: exchange.kind === 'answer' ? 'answer' : exchange.reason });
      if (exchange.kind === 'failure' && BLOCKED.has(exchange.reason)) this.blocked.inc({ reason: exchange.reason });
    }
  }

  judged(cells: readonly ProtocolCell[]): void {
    for (const { id, status, details } of cells) {
      const said = status === 'error' ? (text(details['reason']) ?? '') : '';
      this.cells.inc({ detector: id, outcome: status, reason: REASON.test(said) ? said : '' });
    }
  }

  alertTried(taken: boolean): void {
    this.alerts.inc({ outcome: taken ? 'delivered' : 'failed' });
  }

  detectorFailed(detector: string): void {
    this.detectorErrors.inc({ detector });
  }
}
