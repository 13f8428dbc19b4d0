import { protocolsAskingFor, type DetectorId, type RequestPhase } from '@app/detectors';
import type { RunProgress } from '@app/storage';

/** Shortest time between two updates in milliseconds, because a probe makes some twenty requests at once. */
const APART_MS = 200;

/**
 * Tells those that follow a run which protocols it asks for (behaviour 3.14). Only requests that every host gets are told,
 * each protocol once, and each phase whether or not it has anything to ask: what an answer led to would tell the answer.
 */
export class ProgressPublisher {
  private phase: RequestPhase = 'presence';
  private readonly named = new Set<DetectorId>();
  private untold: DetectorId[] = [];
  private timer: NodeJS.Timeout | undefined;

  /** @param tell its errors are ignored, so that the run continues */
  constructor(private readonly tell: (progress: RunProgress) => Promise<void>) {}

  /** The probe plans the requests of a phase. */
  reached(phase: RequestPhase): void {
    if (phase === this.phase || phase === 'signals') return;
    this.say();
    this.phase = phase;
    this.say();
  }

  /** The probe is about to ask for a path. */
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
