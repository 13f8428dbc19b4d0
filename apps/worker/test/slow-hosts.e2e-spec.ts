import { newPayer } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { says, startTestHost, testCaFile, type Route, type TestHost } from '../../../test/support/test-host';

const slowly: Route = (_request, response) => setTimeout(() => response.writeHead(404).end(), 4_500);

describe('slow hosts, and hosts without https', () => {
  let service: Service;
  const hosts = new Map<string, TestHost>();
  /** Supports plain http only. */
  let open: TestHost;

  beforeAll(async () => {
    hosts.set('slow.example.com', await startTestHost({ '*': slowly }));
    hosts.set('quick.example.com', await startTestHost({ '/': says('hello') }));
    const closed = await startTestHost({});
    await closed.close();
    open = await startTestHost({ '*': says('hello') }, { plain: true });
    service = await startService({
      backend: 'postgres',
      connectTo: [
        ...[...hosts].map(([name, host]) => host.as(name)),
        closed.as('open.example.com'),
        open.as('open.example.com', 80),
      ],
      caFile: await testCaFile(),
    });
    await service.admitted();
  });
  afterAll(async () => {
    await service.stop();
    await Promise.all([open, ...hosts.values()].map((host) => host.close()));
  });

  const refresh = (name: string) => `${service.baseUrl}/api/v1/hosts/${name}/refresh`;
  const batch = (domains: readonly string[], fetching: typeof fetch) =>
    fetching(`${service.baseUrl}/api/v1/hosts/refresh`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ domains, mode: 'full' }),
    });

  it('are not charged if they are too slow, and refused before payment afterwards', async () => {
    const payer = await newPayer();
    const before = await payer.balance();
    const sold = await payer.fetch(refresh('slow.example.com'));
    expect([sold.status, await sold.json()]).toMatchObject([503, { code: 'host_too_slow' }]);
    expect(await payer.balance()).toBe(before);
    const asked = hosts.get('slow.example.com')!.requests.length;
    const again = await fetch(refresh('slow.example.com'));
    expect([again.status, await again.json()]).toMatchObject([503, { code: 'host_too_slow' }]);
    const wait = Number(again.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(800);
    expect(wait).toBeLessThanOrEqual(900);
    expect(hosts.get('slow.example.com')!.requests).toHaveLength(asked);
  });

  it('can be sold if they only speak plain http, over REST and MCP', async () => {
    const { fetch: paying } = await newPayer();
    const answers = [
      await paying(refresh('open.example.com')),
      await paying(`${service.baseUrl}/api/v1/hosts/open.example.com/protocols/mcp/refresh`),
      await batch(['open.example.com'], paying),
    ];
    const [report, protocol, several] = await Promise.all(answers.map((answer) => answer.json()));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(report).toMatchObject({ reachable: true, origin: 'http://open.example.com', fixes: [] });
    expect(JSON.stringify(protocol)).toContain('"connect_refused"');
    expect(several).toMatchObject({ results: [{ ok: true, reachable: true, payable: false, present: [] }] });
  });

  it('only fail their own item of a batch', async () => {
    const payer = await newPayer();
    const response = await batch(['slow.example.com', 'quick.example.com'], payer.fetch);
    expect([response.status, await response.json()]).toMatchObject([
      200,
      { results: [{ ok: false, code: 'host_too_slow' }, { ok: true }] },
    ]);
    expect((await batch(['slow.example.com'], fetch)).status).toBe(503);
  });
});
