import { randomUUID } from 'node:crypto';
import { newPayer } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { backends } from '../../../test/support/stack';
import { says, startTestHost, type TestHost } from '../../../test/support/test-host';
import { until } from '../../../test/support/until';
import { MAX_READERS_PER_CALLER } from '../src/probing-client/run-events';

interface UnderWay {
  readonly run: { readonly id: string; readonly status: string; readonly events: string } | null;
}

describe.each(backends())('the progress of a run over %s', (backend) => {
  let open: () => void = () => undefined;
  let shop: TestHost;
  let service: Service;

  beforeAll(async () => {
    shop = await startTestHost({
      '/llms.txt': (request, response) => {
        void new Promise<void>((resolve) => (open = resolve)).then(() => {
          says('# Shop\n\nA secret map\n')(request, response);
        });
      },
    });
    service = await startService({
      backend,
      connectTo: [shop.as('shop.example.com')],
    });
    await service.admitted();
  });
  afterAll(async () => {
    await service.stop();
    await shop.close();
  });

  const underWay = async (): Promise<UnderWay['run']> =>
    ((await (await fetch(`${service.baseUrl}/api/v1/hosts/shop.example.com/run`)).json()) as UnderWay).run;

  /** Buys a probe, which the host delays until `open`; resolves when it has started, with the URL of its progress. */
  async function buyProbe(): Promise<{ readonly bought: Promise<Response>; readonly address: string }> {
    const asked = shop.requests.length;
    const bought = (await newPayer()).fetch(`${service.baseUrl}/api/v1/hosts/shop.example.com/refresh`);
    await until('the host is asked for its map', () => shop.requests.slice(asked).includes('GET /llms.txt'));
    return { bought, address: `${service.baseUrl}${(await underWay())!.events}` };
  }

  it('reports the protocols being checked but no results, to a limited number of readers, until the end', async () => {
    expect(await underWay()).toBeNull();
    const { bought, address } = await buyProbe();
    const readers = await Promise.all(Array.from({ length: MAX_READERS_PER_CALLER }, () => fetch(address)));
    expect(readers.map(({ status }) => status)).toEqual(readers.map(() => 200));
    expect(readers[0]!.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const refused = await fetch(address);
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([503, 'too_many_connections']);

    open();
    expect((await bought).status).toBe(200);
    const texts = await Promise.all(readers.map((reader) => reader.text()));
    for (const text of texts) {
      expect(text).toMatch(/event: status\ndata: \{"status":"running"\}\n\n/);
      expect(text).toMatch(/event: end\ndata: \{"status":"done"\}\n\n$/);
      expect(text).not.toMatch(/present|absent|secret|payable|shop/);
    }
    expect(texts[0]).toMatch(/event: asking\ndata: \{"phase":"presence","protocols":\[.*"llms"/);
    expect(texts[0]).toContain('event: asking\ndata: {"phase":"callability","protocols":[]}');
    const late = await fetch(address);
    expect(await late.text()).toMatch(/"llms".*event: end\ndata: \{"status":"done"\}\n\n$/s);
    expect(await underWay()).toBeNull();
  });

  it.each([randomUUID(), 'no-id', '%00'])('of an unknown run is 404: %s', async (id) => {
    const answer = await fetch(`${service.baseUrl}/api/v1/runs/${id}/events`);
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([404, 'run_unknown']);
  });

  it('releases readers that disconnect', async () => {
    const { bought, address } = await buyProbe();
    for (let turn = 0; turn < 3 * MAX_READERS_PER_CALLER; turn += 1) {
      const gone = new AbortController();
      await until('room for a reader', async () => (await fetch(address, gone)).status === 200);
      gone.abort();
    }
    open();
    expect((await bought).status).toBe(200);
  });
});
