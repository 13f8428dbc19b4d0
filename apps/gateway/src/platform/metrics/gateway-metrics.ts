import { VERSION } from '@app/config';
import { openMetrics, PREFIX } from '@app/platform';
import { atomicToUsd, type Attempt, type AttemptState } from '@app/payments';
import type { FastifyInstance } from 'fastify';
import { Counter } from 'prom-client';
import { RequestTally, type Answered } from './request-tally';

/** Further codes are counted as `other`, because a facilitator may use any code. */
const MAX_CODES = 150;
const CODE = /^[a-z0-9_]{1,60}$/;

/** The counters of a gateway. Gauges that are read at a scrape are in service-state.ts. */
export class GatewayMetrics {
  readonly registry = openMetrics('gateway', VERSION);
  private readonly codes = new Set<string>();
  private readonly requests = new RequestTally(this.registry);
  private readonly errors = new Counter({
    name: `${PREFIX}errors_total`,
    help: 'Error responses by code: bad input, limits, outages, refused payments.',
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
    help: 'Settled USDC, for graphs. For accounting, use the ledger.',
    labelNames: ['sku'],
    registers: [this.registry],
  });
  private readonly busyTargets = new Counter({
    name: `${PREFIX}target_budget_exhausted_total`,
    help: 'Probes refused because the budget of the host is used up.',
    registers: [this.registry],
  });

  /** Counts every request of a server. */
  observe(fastify: Pick<FastifyInstance, 'addHook'>): void {
    fastify.addHook('onResponse', (request, reply, done) => {
      const route = request.routeOptions.url ?? 'unknown';
      this.answered({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1_000);
      done();
    });
  }

  /** Counts one request. @param seconds from the request line to the end of the answer */
  answered(request: Answered, seconds: number): void {
    this.requests.note(request, seconds);
  }

  error(status: number, code: unknown): void {
    if (code === 'target_busy') this.busyTargets.inc();
    this.errors.inc({ status, code: this.known(code) });
  }

  /** Records that an attempt reached a state. */
  reached({ state, sku, amount }: Pick<Attempt, 'state' | 'sku' | 'amount'>): void {
    this.payments.inc({ state });
    if (state === 'settled') this.revenue.inc({ sku }, Number(atomicToUsd(amount)));
  }

  /** Records that several attempts reached a state at once. */
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
