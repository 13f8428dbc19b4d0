import type { FailureReason } from '@app/detectors';
import type { Answered } from '@app/reports';

/** How hosts fail when this machine reaches no host at all. */
const SILENCE: ReadonlySet<FailureReason> = new Set<FailureReason>([
  'dns_failure',
  'connect_refused',
  'connect_timeout',
  'connection_reset',
]);
/** So many other sites, the last ones that were probed, were silent as well. */
const OTHERS = 2;
const RECENT_MS = 900_000;

/**
 * Tells hosts that do not answer from a way out that is cut: when the last other sites were silent as well, it is not
 * known whose fault it is.
 */
export class EgressDoubt {
  /** The newest last, each site once. */
  private readonly last = new Map<string, { readonly at: number; readonly silent: boolean }>();

  /** The outcome of a probe for its day. @param site registrable domain @param at milliseconds */
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
