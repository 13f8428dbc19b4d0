import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../../test/support/until';
import { garbageCollector, IdleGc } from './idle-gc';

const MB = 1024 * 1024;

/** A worker whose memory use is set by the test. */
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

describe('an idle worker', () => {
  it('collects garbage after probes', async () => {
    const { memory, probeThatLeaves } = quietWorker(1);
    await probeThatLeaves(300 * MB);
    await until('a collection', () => memory.collections > 0);
    expect(memory).toEqual({ held: 110 * MB, collections: 1 });
  });

  it('does not collect if there is little garbage', async () => {
    const { memory, probeThatLeaves } = quietWorker(1);
    await probeThatLeaves(120 * MB);
    await sleep(20);
    expect(memory.collections).toBe(0);
  });

  it('is not idle while a probe is running, and passes on its error', async () => {
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

  it('can call the V8 garbage collector', async () => {
    const heldByNobody = new WeakRef({});
    await sleep(1); // objects of one turn of the event loop live until its end
    garbageCollector()();
    expect(heldByNobody.deref()).toBeUndefined();
  });
});
