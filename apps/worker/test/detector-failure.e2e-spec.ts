import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Writable } from 'node:stream';
import { newPayer } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { backends } from '../../../test/support/stack';
import { says, startTestHost, type TestHost } from '../../../test/support/test-host';
import { WorkerMetrics } from '../src/jobs/worker-metrics';

/** The built entry of a judging thread, with a bug in the llms.txt detector: it throws `planted`. */
async function threadWithFaultyDetector(): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), 'hostprobe-faulty-')), 'thread.js');
  const built = (path: string) => JSON.stringify(resolve('dist', path));
  await writeFile(
    file,
    `const { DETECTORS } = require(${built('libs/detectors/src/index.js')});
DETECTORS.find(({ id }) => id === 'llms').judge = () => { throw new Error('planted'); };
require(${built('apps/worker/src/judging/judging-thread.js')});
`,
  );
  return file;
}

describe('a worker whose detector throws', () => {
  const lines: string[] = [];
  let service: Service;
  let shop: TestHost;

  beforeAll(async () => {
    shop = await startTestHost({ '/': says('<h1>Shop</h1>') });
    service = await startService({
      backend: backends()[0]!,
      connectTo: [shop.as('shop.example.com')],
      threadFile: await threadWithFaultyDetector(),
      logTo: new Writable({
        write: (line: Buffer, _encoding, done) => {
          lines.push(line.toString());
          done();
        },
      }),
    });
    await service.admitted();
  });
  afterAll(async () => {
    await service.stop();
    await shop.close();
  });

  it('logs the stack with detector and host, counts it, and reports an error in that cell only', async () => {
    const { fetch } = await newPayer();
    const answer = await fetch(`${service.baseUrl}/api/v1/hosts/shop.example.com/refresh`);
    const { protocols } = (await answer.json()) as { protocols: readonly { id: string; status: string }[] };
    expect(protocols.filter(({ status }) => status === 'error').map(({ id }) => id)).toEqual(['llms']);
    const logged = lines.map((line) => JSON.parse(line) as object).filter((line) => 'detector' in line);
    expect(logged).toEqual([
      expect.objectContaining({
        msg: 'detector failed',
        detector: 'llms',
        domain: 'shop.example.com',
        stack: expect.stringMatching(/^Error: planted\n +at /),
      }),
    ]);
    expect(await service.workers[0]!.get(WorkerMetrics).registry.metrics()).toContain(
      'hostprobe_detector_errors_total{detector="llms",process="worker"} 1',
    );
  });
});
