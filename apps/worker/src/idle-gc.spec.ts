import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../../test/support/until';
import { garbageCollector, IdleGc } from './idle-gc';

const MB = 1024 * 1024;

/** A worker whose memory is what the test says. */
function quietWorker(quietMs: number) {
  const memory = { held: 100 * MB, collections: 0 };
  const collect = () => {
    memory.collections += 1;
    memory.held = 110 * MB;
  };
  const quiet = new IdleGc(collect, { held: () => memory.held, quietMs });
  const probeThatLeaves = (held: number) =>
    quiet.after(() => {
      memory.held = held;
      return Promise.resolve();
    });
  return { memory, quiet, probeThatLeaves };
}

describe('a worker that is quiet', () => {
  it('collects what probes have left', async () => {
    const { memory, probeThatLeaves } = quietWorker(1);
    await probeThatLeaves(300 * MB);
    await until('a collection', () => memory.collections > 0);
    expect(memory).toEqual({ held: 110 * MB, collections: 1 });
  });

  it('collects nothing when little was left', async () => {
    const { memory, probeThatLeaves } = quietWorker(1);
    await probeThatLeaves(120 * MB);
    await sleep(20);
    expect(memory.collections).toBe(0);
  });

  it('is not quiet while a probe is under way, and hears how a probe failed', async () => {
    const { memory, quiet } = quietWorker(1);
    let end = (): void => undefined;
    const long = quiet.after(() => new Promise<void>((resolve) => (end = resolve)));
    memory.held = 300 * MB;
    await expect(quiet.after(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await sleep(20);
    expect(memory.collections).toBe(0);
    end();
    await long;
    await until('a collection', () => memory.collections > 0);
  });

  it('has the collector of V8', async () => {
    const heldByNobody = new WeakRef({});
    await sleep(1); // what a turn of the event loop has probed lives until its end
    garbageCollector()();
    expect(heldByNobody.deref()).toBeUndefined();
  });
});
