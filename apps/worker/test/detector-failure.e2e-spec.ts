import { Writable } from 'node:stream';
import { threadWithFaultyDetector } from '../../../test/support/faulty-detector';
import { newPayer } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { backends } from '../../../test/support/stack';
import { says, startTestHost, testCaFile, type TestHost } from '../../../test/support/test-host';
import { WorkerMetrics } from '../src/jobs/worker-metrics';

describe('a worker whose detector throws', () => {
  const lines: string[] = [];
  let service: Service;
  let shop: TestHost;

  beforeAll(async () => {
    shop = await startTestHost({ '/': says('<h1>Shop</h1>') });
    service = await startService({
      backend: backends()[0]!,
      connectTo: [shop.as('shop.example.com')],
      caFile: await testCaFile(),
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

  it('logs the stack with detector and host, counts it, and answers with an error of that cell alone', async () => {
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
