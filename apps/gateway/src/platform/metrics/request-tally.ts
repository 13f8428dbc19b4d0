import { PREFIX } from '@app/platform';
import { Counter, type Metric, type MetricValueWithName, type Registry } from 'prom-client';

/** An answered request. */
export interface Answered {
  readonly method: string;
  /** The route pattern. */
  readonly route: string;
  readonly status: number;
}

/** Upper bounds of the histogram buckets, in seconds. */
const BOUNDS = [0.001, 0.005, 0.02, 0.1, 0.5, 1, 2.5, 5, 10, 30] as const;

interface RouteTally {
  readonly answers: { readonly method: string; readonly status: number; count: number }[];
  /** The number of requests in each bucket of {@link BOUNDS}, not cumulative; the last entry is for longer ones. */
  readonly within: number[];
  seconds: number;
}

/**
 * Counts every request. The metrics library builds text from the labels and the bucket for each observation, which
 * costs an eighth of the time of a small answer; here this happens at the scrape.
 */
export class RequestTally {
  private readonly routes = new Map<string, RouteTally>();

  constructor(registry: Registry) {
    const answers = (): IterableIterator<[string, RouteTally]> => this.routes.entries();
    new Counter({
      name: `${PREFIX}http_requests_total`,
      help: 'Answered requests by route.',
      labelNames: ['method', 'route', 'status'],
      registers: [registry],
      collect() {
        this.reset();
        for (const [route, tally] of answers()) {
          for (const { method, status, count } of tally.answers) this.inc({ method, route, status }, count);
        }
      },
    });
    const name = `${PREFIX}http_request_seconds`;
    const help = 'Duration from the request line to the end of the answer.';
    const get = () => {
      const values = [...this.routes].flatMap(([route, tally]) => valuesOf(name, route, tally));
      return Promise.resolve({ name, help, type: 'histogram', aggregator: 'sum', values });
    };
    registry.registerMetric({ name, get } as unknown as Metric);
  }

  /** @param seconds from the request line to the end of the answer */
  note({ method, route, status }: Answered, seconds: number): void {
    const tally = this.of(route);
    const answer = tally.answers.find((known) => known.status === status && known.method === method);
    if (answer) answer.count += 1;
    else tally.answers.push({ method, status, count: 1 });
    const bound = BOUNDS.findIndex((bound) => seconds <= bound);
    const bucket = bound < 0 ? BOUNDS.length : bound;
    tally.within[bucket] = (tally.within[bucket] ?? 0) + 1;
    tally.seconds += seconds;
  }

  private of(route: string): RouteTally {
    const known = this.routes.get(route);
    if (known) return known;
    const begun = { answers: [], within: [...BOUNDS.map(() => 0), 0], seconds: 0 };
    this.routes.set(route, begun);
    return begun;
  }
}

/** The metric lines of one route for Prometheus, with cumulative buckets. */
function valuesOf(name: string, route: string, { within, seconds }: RouteTally): MetricValueWithName<string>[] {
  let count = 0;
  const buckets = within.map((more, index) => ({
    metricName: `${name}_bucket`,
    labels: { route, le: BOUNDS[index] ?? '+Inf' },
    value: (count += more),
  }));
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels: { route }, value: seconds },
    { metricName: `${name}_count`, labels: { route }, value: count },
  ];
}
