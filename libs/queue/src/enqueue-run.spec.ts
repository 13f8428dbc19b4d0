import { TargetBusyError } from '@app/limits';
import { enqueueRun } from './enqueue-run';
import type { ProbeJob } from './probe-jobs';

const RUN = { id: 'run-1', kind: 'host', domain: 'shop.example.com' };

/** Dependencies that record their calls. */
function way(faults: { readonly budget?: Error; readonly queue?: Error } = {}) {
  const done: string[] = [];
  const step = (what: string, fault?: Error): Promise<void> => {
    done.push(what);
    return fault ? Promise.reject(fault) : Promise.resolve();
  };
  return {
    done,
    count: () => step('count', faults.budget),
    producer: { add: (name: string, job: ProbeJob) => step(`add ${name} ${JSON.stringify(job)}`, faults.queue) },
    runs: { fail: (id: string, failure: string) => step(`fail ${id} ${failure}`) },
  };
}

describe('enqueueing a new run', () => {
  it('counts it against its host first, and passes on the request id', async () => {
    const deps = way();
    await enqueueRun(deps, RUN, 'request-1');
    expect(deps.done).toEqual(['count', 'add host shop.example.com {"runId":"run-1","requestId":"request-1"}']);
  });

  it('has no request id for a scheduled run', async () => {
    const deps = way();
    await enqueueRun(deps, RUN);
    expect(deps.done.at(-1)).toBe('add host shop.example.com {"runId":"run-1"}');
  });

  it('fails as busy, without a job, if the budget of the host is used up', async () => {
    const busy = new TargetBusyError(5_000);
    const deps = way({ budget: busy });
    await expect(enqueueRun(deps, RUN)).rejects.toBe(busy);
    expect(deps.done).toEqual(['count', 'fail run-1 target_busy']);
  });

  it('fails as not enqueued if counters or queue are unavailable', async () => {
    for (const faults of [{ budget: new Error('away') }, { queue: new Error('away') }]) {
      const deps = way(faults);
      await expect(enqueueRun(deps, RUN)).rejects.toThrow('away');
      expect(deps.done.at(-1)).toBe('fail run-1 not_enqueued');
    }
  });
});
