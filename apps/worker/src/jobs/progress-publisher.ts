import { protocolsAskingFor, type DetectorId, type ProbeRequest, type RequestPhase } from '@app/detectors';
import type { RunProgress } from '@app/storage';
import type { ProbeSession } from '../judging/probe-session';

type Planner = ProbeSession['plan'];

/** The minimum time between two updates in milliseconds, because a probe sends about twenty requests at once. */
const APART_MS = 200;

/**
 * Reports which protocols a run is checking (behaviour 3.14). Only requests that every host gets are reported, each
 * protocol once, and each phase even if it sends no requests. Reporting other requests would reveal what the host
 * answered.
 */
export class ProgressPublisher {
  private phase: RequestPhase = 'presence';
  private readonly named = new Set<DetectorId>();
  private untold: DetectorId[] = [];
  private timer: NodeJS.Timeout | undefined;

  /** @param tell its errors are ignored, so that the run continues */
  constructor(private readonly tell: (progress: RunProgress) => Promise<void>) {}

  /** The callbacks that a prober needs, around the planner of a probe. */
  following(plan: Planner): { readonly plan: Planner; readonly onRequest: (request: ProbeRequest) => void } {
    return {
      plan: (phase, known) => {
        this.reached(phase);
        return plan(phase, known);
      },
      onRequest: ({ url }) => {
        this.asksFor(new URL(url).pathname);
      },
    };
  }

  /** Call it when the probe starts a phase. */
  reached(phase: RequestPhase): void {
    if (phase === this.phase || phase === 'signals') return;
    this.say();
    this.phase = phase;
    this.say();
  }

  /** Call it before the probe requests a path. */
  asksFor(path: string): void {
    const added = protocolsAskingFor(path).filter((id) => !this.named.has(id));
    if (added.length === 0) return;
    for (const id of added) this.named.add(id);
    this.untold.push(...added);
    this.timer ??= setTimeout(() => {
      this.say();
    }, APART_MS);
  }

  /** Stops the updates. */
  end(): void {
    clearTimeout(this.timer);
  }

  private say(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const { phase, untold: protocols } = this;
    this.untold = [];
    this.tell({ phase, protocols }).catch(() => undefined);
  }
}
