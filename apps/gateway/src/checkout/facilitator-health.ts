import { within } from '@app/platform';
import type { Facilitator } from '@app/payments';
import type { PartState } from '../platform/health/health';

/** An answer is kept this long, so that health checks do not become the facilitator's heaviest client. */
const KEPT_MS = 5_000;
/** A health check does not wait longer for the facilitator. */
const TIMEOUT_MS = 2_000;

/** Whether payments could be verified and settled now, as far as a health check needs to know. */
export class FacilitatorHealth {
  private known: { readonly at: number; readonly state: Promise<PartState> } | undefined;

  constructor(private readonly facilitator: Pick<Facilitator, 'reachable'> | null) {}

  state(): Promise<PartState> {
    if (!this.facilitator) return Promise.resolve('off');
    if (!this.known || Date.now() - this.known.at > KEPT_MS) {
      this.known = { at: Date.now(), state: ask(this.facilitator) };
    }
    return this.known.state;
  }
}

async function ask(facilitator: Pick<Facilitator, 'reachable'>): Promise<PartState> {
  const reachable = await within(TIMEOUT_MS, facilitator.reachable(), () => false);
  return reachable ? 'up' : 'down';
}
