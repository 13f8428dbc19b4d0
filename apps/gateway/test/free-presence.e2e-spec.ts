import type { HostReport } from '@app/reports';
import { newPayer } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { backends } from '../../../test/support/stack';
import { says, startTestHost, type TestHost } from '../../../test/support/test-host';

describe.each(backends().slice(0, 1))('a free probe, with the queue on %s', (backend) => {
  let service: Service;
  let shop: TestHost;
  let shy: TestHost;

  beforeAll(async () => {
    shop = await startTestHost({ '/llms.txt': says('# Shop\n') });
    shy = await startTestHost({
      '/robots.txt': says('User-agent: hostprobe\nDisallow: /\n'),
      '/llms.txt': says('# Shy\n'),
    });
    const names = ['new', 'bought', 'pressed', 'shy'].map((name) =>
      (name === 'shy' ? shy : shop).as(`${name}.example.com`),
    );
    service = await startService({ backend, connectTo: names });
  });
  afterAll(async () => {
    await service.stop();
    await Promise.all([shop.close(), shy.close()]);
  });

  const readReport = async (name: string, headers: Record<string, string> = {}): Promise<HostReport> => {
    const response = await fetch(`${service.baseUrl}/api/v1/hosts/${name}.example.com`, { headers });
    expect(response.status).toBe(200);
    return (await response.json()) as HostReport;
  };

  it('is made for an unknown host; a caller with Prefer: wait gets its report', async () => {
    const report = await readReport('new', { prefer: 'wait=10' });
    expect(report).toMatchObject({ reachable: true, cache: { presenceStale: false, callabilityStale: true } });
    expect(report.callabilityProbedAt).toBeUndefined();
    expect(report.protocols.find(({ id }) => id === 'llms')).toMatchObject({ status: 'present' });
    expect(report.paymentRails).toEqual({ payable: false, checkedAt: null, rails: [] });
  });

  it('is made once for many concurrent lookups', async () => {
    const before = shop.requests.filter((line) => line === 'GET /llms.txt').length;
    await Promise.all(Array.from({ length: 20 }, () => readReport('new')));
    expect(shop.requests.filter((line) => line === 'GET /llms.txt')).toHaveLength(before);
  });

  it('is not made after a recent paid probe', async () => {
    const payer = await newPayer();
    expect((await payer.fetch(`${service.baseUrl}/api/v1/hosts/bought.example.com/refresh`)).status).toBe(200);
    const before = shop.requests.length;
    await readReport('bought', { prefer: 'wait=2' });
    expect(shop.requests).toHaveLength(before);
  });

  const press = (name: string) =>
    fetch(`${service.baseUrl}/hosts/${name}.example.com/probe`, {
      method: 'POST',
      headers: { accept: 'text/html' },
      redirect: 'manual',
    });

  it('is started by the button of a page, unless the report is fresh', async () => {
    for (const name of ['pressed', 'pressed', 'bought', 'new']) {
      const answer = await press(name);
      expect([answer.status, answer.headers.get('location')]).toEqual([303, `/hosts/${name}.example.com`]);
    }
    expect((await readReport('pressed')).reachable).toBe(true);
    const before = shop.requests.length;
    await press('pressed');
    expect(shop.requests).toHaveLength(before);
  });

  it('is not made if a robots.txt group for our crawler disallows it', async () => {
    const report = await readReport('shy', { prefer: 'wait=10' });
    expect(report.protocols).toEqual([]);
    expect(shy.requests).toEqual(['GET /robots.txt']);
  });

  it('of a host that had its own today shows a page that says so', async () => {
    const refused = await press('shy');
    expect([refused.status, refused.headers.get('content-type')]).toEqual([429, 'text/html; charset=utf-8']);
    expect(await refused.text()).toContain('The free probe for this host was used today');
    expect(shy.requests).toEqual(['GET /robots.txt']);
  });
});
