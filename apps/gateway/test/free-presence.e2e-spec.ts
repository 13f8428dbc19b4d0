import type { HostReport } from '@app/reports';
import { newPayer } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { backends } from '../../../test/support/stack';
import { says, startTestHost, testCaFile, type TestHost } from '../../../test/support/test-host';

describe.each(backends())('a free look, with the queue on %s', (backend) => {
  let service: Service;
  let shop: TestHost;
  let shy: TestHost;

  beforeAll(async () => {
    shop = await startTestHost({ '/llms.txt': says('# Shop\n') });
    shy = await startTestHost({
      '/robots.txt': says('User-agent: hostprobe\nDisallow: /\n'),
      '/llms.txt': says('# Shy\n'),
    });
    const names = ['new', 'bought', 'shy'].map((name) => (name === 'shy' ? shy : shop).as(`${name}.example.com`));
    service = await startService({ backend, connectTo: names, caFile: await testCaFile() });
  });
  afterAll(async () => {
    await service.stop();
    await Promise.all([shop.close(), shy.close()]);
  });

  const lookUp = async (name: string, headers: Record<string, string> = {}): Promise<HostReport> => {
    const response = await fetch(`${service.baseUrl}/api/v1/hosts/${name}.example.com`, { headers });
    expect(response.status).toBe(200);
    return (await response.json()) as HostReport;
  };

  it('is made for a host nobody looked at; who prefers to wait gets its report', async () => {
    const report = await lookUp('new', { prefer: 'wait=10' });
    expect(report).toMatchObject({ reachable: true, cache: { presenceStale: false, callabilityStale: true } });
    expect(report.callabilityProbedAt).toBeUndefined();
    expect(report.protocols.find(({ id }) => id === 'llms')).toMatchObject({ status: 'present' });
    expect(report.paymentRails).toEqual({ payable: false, checkedAt: null, rails: [] });
  });

  it('is made once: many look-ups at once cost the host one', async () => {
    const before = shop.requests.filter((line) => line === 'GET /llms.txt').length;
    await Promise.all(Array.from({ length: 20 }, () => lookUp('new')));
    expect(shop.requests.filter((line) => line === 'GET /llms.txt')).toHaveLength(before);
  });

  it('is not needed where a bought look is fresh', async () => {
    const payer = await newPayer();
    expect((await payer.fetch(`${service.baseUrl}/api/v1/hosts/bought.example.com/refresh`)).status).toBe(200);
    const before = shop.requests.length;
    await lookUp('bought', { prefer: 'wait=2' });
    expect(shop.requests).toHaveLength(before);
  });

  it('is not made against the will of a robots.txt group that names us', async () => {
    const report = await lookUp('shy', { prefer: 'wait=10' });
    expect(report.protocols).toEqual([]);
    expect(shy.requests).toEqual(['GET /robots.txt']);
  });
});
