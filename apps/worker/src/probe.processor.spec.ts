import { Writable } from 'node:stream';
import { OptOuts } from '@app/limits';
import { createLogger } from '@app/platform';
import type { RunRepository } from '@app/storage';
import { CensusShare } from './jobs/census-share';
import type { JobDeps } from './jobs/job';
import { WorkerMetrics } from './jobs/worker-metrics';
import { ProbeProcessor } from './probe.processor';

describe('a job that fails while the database is unavailable', () => {
  it('fails with its own error, and the log has both', async () => {
    const lines: string[] = [];
    const log = new Writable({
      write: (line: Buffer, _encoding, done) => {
        lines.push(line.toString());
        done();
      },
    });
    const runs = {
      begin: () => Promise.resolve({ id: '7', kind: 'host', domain: 'no host', deadlineAt: new Date() }),
      fail: () => Promise.reject(new Error('the database is away')),
    } as unknown as RunRepository;
    const never = new OptOuts(
      [],
      () => Promise.resolve([]),
      () => undefined,
    );
    // The processor collects garbage some seconds after the last probe, when the test is already over.
    const jobs = { judging: { renew: () => undefined }, share: new CensusShare(0) } as unknown as JobDeps;
    const logger = createLogger('worker', 'error', log);
    const processor = new ProbeProcessor(runs, jobs, never, new WorkerMetrics(), logger);
    await expect(processor.process({ runId: '7' })).rejects.toThrow('a run has the invalid host name no host');
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({
        msg: 'could not mark the run as failed',
        runId: '7',
        err: expect.objectContaining({ message: 'the database is away', stack: expect.stringContaining('at ') }),
      }),
    ]);
  });
});
