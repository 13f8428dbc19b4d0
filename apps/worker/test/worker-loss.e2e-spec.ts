import type { ChildProcess } from 'node:child_process';
import { newPayer, signPayment } from '../../../test/support/payer';
import { kill, startApp } from '../../../test/support/processes';
import { startService, type Service } from '../../../test/support/service';
import { backends } from '../../../test/support/stack';
import { startTestHost, testCaFile, type TestHost } from '../../../test/support/test-host';
import { until } from '../../../test/support/until';

const SLOW_MS = 700;

describe.each(backends())('a worker that dies during a paid probe, with the queue on %s', (backend) => {
  let service: Service;
  let slow: TestHost;
  let env: Record<string, string>;
  const workers: ChildProcess[] = [];

  const startWorker = async (): Promise<ChildProcess> => {
    const worker = await startApp('worker', env);
    workers.push(worker);
    return worker;
  };
  const firstRequest = async (): Promise<void> => {
    const before = slow.requests.length;
    await until('a request to the slow host', () => slow.requests.length > before);
  };
  const refreshOf = (name: string): string => `${service.baseUrl}/api/v1/hosts/${name}.example.com/refresh`;

  beforeAll(async () => {
    slow = await startTestHost({
      '*': (_request, response) => setTimeout(() => response.writeHead(404).end(), SLOW_MS),
    });
    const connectTo = ['first', 'second'].map((name) => slow.as(`${name}.example.com`));
    const caFile = await testCaFile();
    service = await startService({ backend, connectTo, caFile, worker: false });
    const { database, redis, http } = service.config;
    env = {
      DATABASE_URL: database.url,
      ...(redis ? { REDIS_URL: redis.url } : {}),
      PUBLIC_BASE_URL: http.publicBaseUrl,
      PROBE_CONNECT_TO: connectTo.join(','),
      PROBE_CA_FILE: caFile,
    };
  });
  afterAll(async () => {
    await Promise.all(workers.map(kill));
    await service.stop();
    await slow.close();
  });

  it('asks for no money while no worker lives', async () => {
    const response = await fetch(refreshOf('first'));
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ code: 'no_worker' });
  });

  it('costs nothing but time when another worker starts: the job runs again and the buyer pays once', async () => {
    const doomed = await startWorker();
    const payer = await newPayer();
    const url = refreshOf('first');
    const payment = { headers: { 'payment-signature': await signPayment(payer, await fetch(url)) } };
    const asked = fetch(url, payment);
    await firstRequest();
    await kill(doomed);
    await startWorker();
    const answer = await asked;
    if (answer.status !== 200) {
      // The second probe may end after the deadline: then nothing was charged, and the same payment buys it now.
      expect(answer.status).toBe(504);
      expect(await answer.json()).toMatchObject({ charged: false });
      expect(await payer.balance()).toBe(1_000_000n);
      expect((await fetch(url, payment)).status).toBe(200);
    }
    expect(await payer.balance()).toBe(980_000n);
  });
});

describe('a probe that no worker finishes', () => {
  it('is answered 504 and charged nothing; the same payment buys it later', async () => {
    const host = await startTestHost({});
    const connectTo = [host.as('late.example.com')];
    const caFile = await testCaFile();
    const service = await startService({
      connectTo,
      caFile,
      worker: false,
      env: { REFRESH_DEADLINE_SEC: '5' },
    });
    const env = {
      DATABASE_URL: service.config.database.url,
      PROBE_CONNECT_TO: connectTo.join(','),
      PROBE_CA_FILE: caFile,
    };
    const doomed = await startApp('worker', env);
    await service.admitted();
    const payer = await newPayer();
    const url = `${service.baseUrl}/api/v1/hosts/late.example.com/refresh`;
    const payment = { headers: { 'payment-signature': await signPayment(payer, await fetch(url)) } };
    await kill(doomed); // the gateway counts on it for ten more seconds
    const late = await fetch(url, payment);
    expect(late.status).toBe(504);
    expect(await late.json()).toMatchObject({ code: 'probe_timeout', charged: false });
    expect(await payer.balance()).toBe(1_000_000n);
    const worker = await startApp('worker', env);
    await service.admitted();
    expect((await fetch(url, payment)).status).toBe(200);
    expect(await payer.balance()).toBe(980_000n);
    await kill(worker);
    await service.stop();
    await host.close();
  });
});
