import { orderOf } from '@app/queue';
import type { HostReport } from '@app/reports';
import { Database, RunRepository } from '@app/storage';
import { newPayer } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { hostName } from '../../../test/support/report';
import { backends } from '../../../test/support/stack';
import { says, startTestHost, type TestHost } from '../../../test/support/test-host';
import { until } from '../../../test/support/until';

const DISALLOWED = 'User-agent: hostprobe\nDisallow: /\n';

describe.each(backends().slice(0, 1))('a free probe, with the queue on %s', (backend) => {
  let service: Service;
  let shop: TestHost;
  let shy: TestHost;
  let busy: TestHost;
  let robots = DISALLOWED;
  let database: Database;

  beforeAll(async () => {
    shop = await startTestHost({ '/llms.txt': says('# Shop\n') });
    shy = await startTestHost({
      '/robots.txt': (request, response) => {
        says(robots)(request, response);
      },
      '/llms.txt': says('# Shy\n'),
    });
    busy = await startTestHost({ '*': says('slow down', { 'retry-after': '600' }, 429) });
    const names = ['new', 'bought', 'pressed'].map((name) => shop.as(`${name}.example.com`));
    service = await startService({
      backend,
      connectTo: [...names, shy.as('shy.example.com'), busy.as('busy.example.com')],
      env: { OPT_OUT: 'out.example.com' },
    });
    database = new Database(service.config.database.url, service.config.database);
  });
  afterAll(async () => {
    await database.close();
    await service.stop();
    await Promise.all([shop.close(), shy.close(), busy.close()]);
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

  const ask = (path: string, method = 'GET') =>
    fetch(`${service.baseUrl}${path}`, { method, headers: { accept: 'text/html' }, redirect: 'manual' });
  const press = (name: string) => ask(`/hosts/${name}.example.com/probe`, 'POST');

  /** Presses the button, and loads the page of its progress until that leads to the report. @returns pages of progress */
  const pressed = async (name: string): Promise<readonly string[]> => {
    const pages: string[] = [];
    const report = `/hosts/${name}.example.com`;
    let answer = await press(name);
    await until('the report', async () => {
      const location = answer.headers.get('location') ?? '';
      if (answer.status === 303 && location === report) return true;
      if (answer.status === 200) pages.push(await answer.text());
      answer = await ask(answer.status === 303 ? location : answer.url.slice(service.baseUrl.length));
      return false;
    });
    return pages;
  };

  it('is started by the button of a page, unless the report is fresh', async () => {
    for (const page of await pressed('pressed')) {
      expect(page).toContain('<h1>Probing pressed.example.com …</h1>');
      expect(page).toContain('<noscript><meta http-equiv="refresh" content="2" /></noscript>');
    }
    for (const name of ['pressed', 'bought', 'new']) {
      const answer = await press(name);
      expect([answer.status, answer.headers.get('location')]).toEqual([303, `/hosts/${name}.example.com`]);
    }
    expect((await readReport('pressed')).reachable).toBe(true);
    const before = shop.requests.length;
    await press('pressed');
    expect(shop.requests).toHaveLength(before);
  });

  const pageOf = async (name: string, accept = 'text/html'): Promise<string> =>
    (await fetch(`${service.baseUrl}/hosts/${name}.example.com`, { headers: { accept } })).text();

  it('is not made if a robots.txt group for our crawler disallows it, and the report says so', async () => {
    const report = await readReport('shy', { prefer: 'wait=10' });
    const skipped = { reason: 'robots_txt', at: expect.any(String) as string };
    expect(report).toMatchObject({ protocols: [], skipped });
    expect(report.skipped?.until).toBeUndefined();
    expect(await readReport('shy')).toMatchObject({ skipped });
    expect(shy.requests).toEqual(['GET /robots.txt']);
    for (const accept of ['text/html', 'text/markdown']) {
      expect(await pageOf('shy', accept)).toContain('Its robots.txt asks us to stay away, checked ');
      expect(await pageOf('shy', accept)).toContain('A paid probe goes ahead');
    }
    expect(await pageOf('shy')).toContain('Try again, free');
  });

  it('is made by the button as soon as the robots.txt allows it', async () => {
    await pressed('shy');
    expect(shy.requests).toEqual(['GET /robots.txt', 'GET /robots.txt']);
    robots = '';
    await pressed('shy');
    const report = await readReport('shy');
    expect(report).toMatchObject({ reachable: true });
    expect(report.skipped).toBeUndefined();
  });

  it('that was skipped leaves the last report, and says so until the next probe', async () => {
    const runs = new RunRepository(database);
    const skip = async (at: string): Promise<void> => {
      const order = orderOf({ kind: 'presence', host: hostName('shy.example.com'), pot: 'scheduled' });
      const { run } = await runs.open(order, new Date(Date.now() + 60_000));
      await runs.finish(run.id, { domain: 'shy.example.com', skipped: { reason: 'robots_txt', at } });
    };
    const now = new Date().toISOString();
    await skip(now);
    await until('the skipped probe', async () => (await readReport('shy')).skipped?.at === now);
    expect(await readReport('shy')).toMatchObject({
      reachable: true,
      protocols: expect.arrayContaining([expect.objectContaining({ id: 'llms', status: 'present' })]) as unknown,
    });
    expect(await pageOf('shy')).toContain('asks us to stay away');
    await skip('2026-01-01T00:00:00.000Z');
    await until('the newer probe', async () => (await readReport('shy')).skipped === undefined);
  });

  it('waits as long as the host asks, and its page has no button meanwhile', async () => {
    const { skipped } = await readReport('busy', { prefer: 'wait=10' });
    expect(skipped).toMatchObject({ reason: 'rate_limited' });
    expect(Date.parse(skipped?.until ?? '') - Date.parse(skipped?.at ?? '')).toBe(600_000);
    const page = await pageOf('busy');
    expect(page).toContain('It limits our requests');
    expect(page).toContain('Next free probe: ');
    expect(page).not.toContain('/hosts/busy.example.com/probe');
    let refused = await press('busy');
    await until('the press is refused', async () => {
      if (refused.status !== 429) refused = await press('busy');
      return refused.status === 429;
    });
    expect(refused.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await refused.text()).toContain('The free probe for this host was used today');
    expect([...new Set(busy.requests)]).toEqual(['GET /robots.txt']);
  });

  it('is not made where the owner opted out', async () => {
    const { skipped, optedOut } = await readReport('out', { prefer: 'wait=10' });
    expect([skipped?.reason, optedOut]).toEqual(['opted_out', true]);
    expect(await pageOf('out')).toContain('Paid probes are refused before any price is shown.');
    expect(await pageOf('out')).not.toContain('/hosts/out.example.com/probe');
  });
});
