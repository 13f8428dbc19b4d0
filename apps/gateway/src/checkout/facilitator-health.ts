import { within } from '@app/platform';
import type { Facilitator } from '@app/payments';
import type { PartState } from '../platform/health/health';

/** Health checks reuse an answer for this long, so that they do not flood the facilitator. */
const KEPT_MS = 5_000;
/** How long a health check waits for the facilitator. */
const TIMEOUT_MS = 2_000;

/** Tells health checks whether payments can be verified and settled right now. */
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
