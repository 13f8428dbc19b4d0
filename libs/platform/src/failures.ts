import { inspect } from 'node:util';
import { Counter } from 'prom-client';
import type { Logger } from './logger';
import { PREFIX } from './metrics';

/** Background work whose failures no response reports. */
type Part =
  | 'alerts'
  | 'census'
  | 'facilitator'
  | 'gauge'
  | 'growth'
  | 'health'
  | 'notices'
  | 'opt_outs'
  | 'presence'
  | 'queue'
  | 'readers'
  | 'receipt'
  | 'reconciler'
  | 'schedule'
  | 'sealing'
  | 'unhandled_rejection';

/** Caps on data that strangers can add to the database (docs/threat-model.md). */
export type GrowthCap =
  | 'evidence'
  | 'free reports'
  | 'refused payments'
  | 'free probes per hour'
  | 'alert'
  | 'change_event'
  | 'claim'
  | 'host_day'
  | 'probe_run'
  | 'report_text'
  | 'watch'
  | 'watched_host'
  | 'limit_counter';

/**
 * Background failures. Each one is counted, and logged with its stack unless the same message was logged in the last
 * seconds.
 */
export class Failures {
  /** Registered with the process's other metrics. */
  readonly counter = new Counter({
    name: `${PREFIX}failures_total`,
    help: 'Background failures by part; the log has the reason.',
    labelNames: ['part'],
    registers: [],
  });

  private readonly growth: (error: unknown) => void;

  constructor(private readonly logger: Logger) {
    this.growth = this.of('growth', 'growth cap reached');
  }

  /** Counts data beyond a cap, which is then deleted or refused. */
  capReached(cap: GrowthCap): void {
    this.growth(new Error(cap));
  }

  /** Returns the reporter for one part; `sentence` is its log message. */
  of(part: Part, sentence: string, level: 'warn' | 'error' = 'warn'): (error: unknown) => void {
    const report = throttleRepeatedErrors((err, leftOut) => {
      this.logger[level]({ err, leftOut, part }, sentence);
    });
    return (error) => {
      this.counter.inc({ part });
      report(error instanceof Error ? error : new Error(typeof error === 'string' ? error : inspect(error)));
    };
  }
}

/** A backend that is down fails many times a second with the same message. */
const EVERY_MS = 10_000;

/** Reports an error; `leftOut` is how often the same error was suppressed since the last report. */
type Report = (error: Error, leftOut: number) => void;

/**
 * Reports equal messages once per `everyMs`, so that the log stays readable during an outage.
 * @param now a monotonic clock in milliseconds
 */
export function throttleRepeatedErrors(
  report: Report,
  everyMs = EVERY_MS,
  now = () => performance.now(),
): (error: Error) => void {
  const told = new Map<string, { readonly at: number; leftOut: number }>();
  return (error) => {
    const last = told.get(error.message);
    if (last && now() - last.at < everyMs) {
      last.leftOut += 1;
      return;
    }
    if (told.size >= MOST_MESSAGES) told.clear();
    told.set(error.message, { at: now(), leftOut: 0 });
    report(error, last?.leftOut ?? 0);
  };
}

/** Messages may contain ports and ids. The memory is cleared after this many different ones. */
const MOST_MESSAGES = 100;
