import { VERSION } from '@app/config';
import { text, type Exchange, type FailureReason, type ProtocolCell } from '@app/detectors';
import { openMetrics, PREFIX } from '@app/observability';
import type { RunKind } from '@app/persistence';
import { Counter, Gauge, Histogram } from 'prom-client';

/** How a look ended; `failed` is a bug of ours. */
export type LookOutcome = 'done' | 'target_busy' | 'opted_out' | 'failed';

/** What the guard did not let happen, of all the reasons why no answer came. */
const REFUSALS: ReadonlySet<FailureReason> = new Set([
  'address_refused',
  'redirect_refused',
  'redirect_loop',
  'headers_too_large',
  'too_large',
  'bad_encoding',
]);

/** `details.reason` is a closed vocabulary; anything else is not a label. */
const REASON = /^[a-z0-9_]{1,40}$/;

/** What a worker counts while it looks. */
export class WorkerMetrics {
  readonly registry = openMetrics('worker', VERSION);
  private readonly looks = new Counter({
    name: `${PREFIX}looks_total`,
    help: 'Looks ended, by kind and outcome.',
    labelNames: ['kind', 'outcome'],
    registers: [this.registry],
  });
  private readonly lookSeconds = new Histogram({
    name: `${PREFIX}look_seconds`,
    help: 'How long a look took, storing included.',
    labelNames: ['kind'],
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20],
    registers: [this.registry],
  });
  private readonly running = new Gauge({
    name: `${PREFIX}looks_running`,
    help: 'Looks under way in this worker.',
    registers: [this.registry],
  });
  private readonly phases = new Histogram({
    name: `${PREFIX}probe_phase_seconds`,
    help: 'Phases of requests to hosts that succeeded: dns, connect, tls, headers, body.',
    labelNames: ['phase'],
    buckets: [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [this.registry],
  });
  private readonly exchanges = new Counter({
    name: `${PREFIX}exchanges_total`,
    help: 'Requests to hosts, by what came: answer, or the reason why nothing did.',
    labelNames: ['outcome'],
    registers: [this.registry],
  });
  private readonly refusals = new Counter({
    name: `${PREFIX}guard_refused_total`,
    help: 'Requests and answers that the guard refused, by reason.',
    labelNames: ['reason'],
    registers: [this.registry],
  });
  private readonly verdicts = new Counter({
    name: `${PREFIX}probe_outcome_total`,
    help: 'Verdicts stored, by detector, with the reason of an error.',
    labelNames: ['detector', 'outcome', 'reason'],
    registers: [this.registry],
  });
  private readonly busyTargets = new Counter({
    name: `${PREFIX}target_budget_exhausted_total`,
    help: 'Looks given up because the host may not be asked more now.',
    registers: [this.registry],
  });

  lookBegan(): void {
    this.running.inc();
  }

  lookEnded(kind: RunKind, outcome: LookOutcome, ms: number): void {
    this.running.dec();
    this.looks.inc({ kind, outcome });
    if (outcome === 'done') this.lookSeconds.observe({ kind }, ms / 1_000);
    if (outcome === 'target_busy') this.busyTargets.inc();
  }

  phase(phase: string, ms: number): void {
    this.phases.observe({ phase }, ms / 1_000);
  }

  asked(exchanges: readonly Exchange[]): void {
    for (const exchange of exchanges) {
      this.exchanges.inc({ outcome: exchange.kind === 'answer' ? 'answer' : exchange.reason });
      if (exchange.kind === 'failure' && REFUSALS.has(exchange.reason)) this.refusals.inc({ reason: exchange.reason });
    }
  }

  judged(cells: readonly ProtocolCell[]): void {
    for (const { id, status, details } of cells) {
      const said = status === 'error' ? (text(details['reason']) ?? '') : '';
      this.verdicts.inc({ detector: id, outcome: status, reason: REASON.test(said) ? said : '' });
    }
  }
}
