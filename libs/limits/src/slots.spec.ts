import { RateLimiterMemory, type RateLimiterStoreAbstract } from 'rate-limiter-flexible';
import type { Counters } from './limit-store';
import { Slots } from './slots';

/** Processes that share a limit store with this many slots per host. */
function processes(perHost: number): () => Slots {
  const shared = new RateLimiterMemory({ keyPrefix: 'slot', points: 1, duration: 12 });
  const store: Counters = { limiter: () => shared as unknown as RateLimiterStoreAbstract };
  return () => new Slots(store, perHost);
}

const over = (): AbortSignal => AbortSignal.timeout(150);
const HOST = 'shop.example.com';

describe('the slots of a host', () => {
  it('are limited across all processes', async () => {
    const process = processes(2);
    const [one, other] = [process(), process()];
    await one.occupy(HOST, over());
    await other.occupy(HOST, over());
    await expect(one.occupy(HOST, over())).rejects.toThrow();
    await expect(process().occupy(HOST, over())).rejects.toThrow();
    await one.occupy('other.example.com', over());
  });

  it('are kept for the next request of the same process, and released if there is none', async () => {
    const process = processes(1);
    const [one, other] = [process(), process()];
    const leave = await one.occupy(HOST, over());
    await leave();
    const again = await one.occupy(HOST, over());
    await expect(other.occupy(HOST, over())).rejects.toThrow();
    await again();
    await other.occupy(HOST, AbortSignal.timeout(2_000));
  });

  it('are half reserved for paid probes', async () => {
    const slots = processes(4)();
    await slots.occupy(HOST, over(), true);
    await slots.occupy(HOST, over(), true);
    await expect(slots.occupy(HOST, over(), true)).rejects.toThrow();
    await slots.occupy(HOST, over());
  });
});
