import { VERSION } from '@app/config';
import { openMetrics, PREFIX } from '@app/observability';
import { atomicToUsd, type Attempt, type AttemptState } from '@app/payments';
import type { FastifyInstance } from 'fastify';
import { Counter, Histogram } from 'prom-client';

/** Codes beyond this many become `other`: a facilitator's refusal is not a closed vocabulary. */
const MAX_CODES = 150;
const CODE = /^[a-z0-9_]{1,60}$/;

/** What a gateway counts while it serves. What it is asked at a scrape is in service-state.ts. */
export class GatewayMetrics {
  readonly registry = openMetrics('gateway', VERSION);
  private readonly codes = new Set<string>();
  private readonly requests = new Counter({
    name: `${PREFIX}http_requests_total`,
    help: 'Requests answered, by route as declared.',
    labelNames: ['method', 'route', 'status'],
    registers: [this.registry],
  });
  private readonly durations = new Histogram({
    name: `${PREFIX}http_request_seconds`,
    help: 'From the request line to the end of the answer.',
    labelNames: ['route'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 1, 2.5, 5, 10, 30],
    registers: [this.registry],
  });
  private readonly errors = new Counter({
    name: `${PREFIX}errors_total`,
    help: 'Errors answered, by their code: bad input, limits, outages, refused payments.',
    labelNames: ['status', 'code'],
    registers: [this.registry],
  });
  private readonly payments = new Counter({
    name: `${PREFIX}payment_state_total`,
    help: 'Transitions of payment attempts, by the state reached.',
    labelNames: ['state'],
    registers: [this.registry],
  });
  private readonly revenue = new Counter({
    name: `${PREFIX}revenue_usd_total`,
    help: 'Settled USDC; the ledger is the truth, this is for graphs.',
    labelNames: ['sku'],
    registers: [this.registry],
  });
  private readonly busyTargets = new Counter({
    name: `${PREFIX}target_budget_exhausted_total`,
    help: 'Looks refused because the host may not be asked more now.',
    registers: [this.registry],
  });

  /** Counts every request of a server. */
  observe(fastify: Pick<FastifyInstance, 'addHook'>): void {
    fastify.addHook('onResponse', (request, reply, done) => {
      const route = request.routeOptions.url ?? 'unknown';
      this.requests.inc({ method: request.method, route, status: reply.statusCode });
      this.durations.observe({ route }, reply.elapsedTime / 1_000);
      done();
    });
  }

  error(status: number, code: unknown): void {
    if (code === 'target_busy') this.busyTargets.inc();
    this.errors.inc({ status, code: this.known(code) });
  }

  /** An attempt reached a state. */
  reached({ state, sku, amount }: Pick<Attempt, 'state' | 'sku' | 'amount'>): void {
    this.payments.inc({ state });
    if (state === 'settled') this.revenue.inc({ sku }, Number(atomicToUsd(amount)));
  }

  /** Attempts reached a state in one statement. */
  reachedAtOnce(state: AttemptState, count: number): void {
    this.payments.inc({ state }, count);
  }

  private known(code: unknown): string {
    if (typeof code !== 'string' || !CODE.test(code)) return 'other';
    if (this.codes.size >= MAX_CODES && !this.codes.has(code)) return 'other';
    this.codes.add(code);
    return code;
  }
}
