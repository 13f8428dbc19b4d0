import type { HeartbeatRepository } from '@app/storage';
import type { Connections } from '../connections';

/** `off`: not configured. */
export type PartState = 'up' | 'down' | 'off';

/** What a health check asks, in the order it is shown; whatever throws is `down`. */
export type HealthParts = Readonly<Record<'database' | 'queue' | 'worker' | 'facilitator', () => Promise<PartState>>>;

/** Injection token of {@link HealthParts}. */
export const HEALTH_PARTS = Symbol('HealthParts');

/** The parts of a gateway. */
export function healthParts(
  { database, producers: { live } }: Pick<Connections, 'database' | 'producers'>,
  heartbeats: Pick<HeartbeatRepository, 'capacity'>,
  facilitator: { state(): Promise<PartState> },
): HealthParts {
  return {
    database: async () => {
      await database.answers();
      return 'up';
    },
    queue: async () => {
      await live.counts();
      return 'up';
    },
    worker: async () => ((await heartbeats.capacity()) > 0 ? 'up' : 'down'),
    facilitator: () => facilitator.state(),
  };
}
