import { within } from '@app/platform';
import type { HeartbeatRepository } from '@app/storage';
import type { Connections } from '../connections';
import type { Drain } from './drain';

/** `off`: not configured. */
export type PartState = 'up' | 'down' | 'off';

type Part = 'database' | 'queue' | 'worker' | 'facilitator';

interface HealthState {
  /** `degraded`: free reports can be served, but without a worker or facilitator there are no paid answers. */
  readonly status: 'ok' | 'degraded' | 'down' | 'stopping';
  readonly parts: Readonly<Record<Part, PartState>>;
}

/** A dependency that takes longer is `down`, in milliseconds. Load balancers wait for a second (behaviour 13.6). */
const TIMEOUT_MS = 800;

interface HealthDeps extends Pick<Connections, 'database' | 'producers' | 'failures'> {
  readonly drain: Pick<Drain, 'underWay'>;
  readonly heartbeats: Pick<HeartbeatRepository, 'capacity'>;
  readonly facilitator: { state(): Promise<PartState> };
}

/** Decides from the state of the dependencies whether this process should get requests. */
export class Health {
  private readonly failed: (error: unknown) => void;
  /** The dependencies in display order; a check that throws means `down`. */
  private readonly parts: Readonly<Record<Part, () => Promise<PartState>>>;

  constructor(private readonly deps: HealthDeps) {
    const { database, producers, heartbeats, facilitator, failures } = deps;
    this.failed = failures.of('health', 'a health check failed');
    this.parts = {
      database: () => database.answers().then(() => 'up'),
      queue: () => producers.live.counts().then(() => 'up'),
      worker: async () => ((await heartbeats.capacity()) > 0 ? 'up' : 'down'),
      facilitator: () => facilitator.state(),
    };
  }

  async isReady(): Promise<boolean> {
    return !['down', 'stopping'].includes((await this.state()).status);
  }

  async state(): Promise<HealthState> {
    const asked = Object.entries(this.parts).map(async ([name, ask]) => [name, await this.stateOf(ask)] as const);
    const parts = Object.fromEntries(await Promise.all(asked)) as HealthState['parts'];
    if (this.deps.drain.underWay) return { status: 'stopping', parts };
    if (parts.database !== 'up') return { status: 'down', parts };
    return { status: Object.values(parts).includes('down') ? 'degraded' : 'ok', parts };
  }

  private async stateOf(ask: () => Promise<PartState>): Promise<PartState> {
    try {
      return await within(TIMEOUT_MS, ask(), () => {
        throw new Error('no answer in time');
      });
    } catch (error) {
      this.failed(error);
      return 'down';
    }
  }
}
