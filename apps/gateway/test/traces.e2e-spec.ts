import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ChildProcess } from 'node:child_process';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { freePort } from '../../standalone/src/embedded/free-port';
import { fleetEnv } from '../../../test/support/chaos/fleet';
import { newPayer } from '../../../test/support/payer';
import { end, startApp } from '../../../test/support/processes';
import { backends, stack } from '../../../test/support/stack';
import { startTestHost, type TestHost } from '../../../test/support/test-host';

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
}

interface Export {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly Span[] }[] }[];
}

const CALLER = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
const REFRESH = 'GET /api/v1/hosts/:domain/refresh';

/** A collector that stores received spans (OTLP over HTTP as JSON). */
async function startCollector(): Promise<{ server: Server; spans: Span[]; url: string }> {
  const spans: Span[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      const { resourceSpans = [] } = JSON.parse(body) as Partial<Export>;
      spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, spans, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe('with OTEL_EXPORTER_OTLP_ENDPOINT', () => {
  let collector: Awaited<ReturnType<typeof startCollector>>;
  let shop: TestHost;
  let processes: readonly ChildProcess[] = [];

  /** Starts a gateway and a worker, buys one refresh in the caller's trace, and stops both, which sends the spans. */
  async function spansOfOneSale(variables: Readonly<Record<string, string>>, flags: string): Promise<readonly Span[]> {
    collector.spans.length = 0;
    const payTo = privateKeyToAddress(generatePrivateKey());
    const { facilitatorUrl } = stack();
    const base = await fleetEnv(backends()[0]!, { payTo, facilitatorUrl, connectTo: [shop.as('shop.example.com')] });
    const port = await freePort();
    const otel = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' };
    const env = { ...base, ...otel, ...variables, PORT: String(port), SHUTDOWN_DRAIN_SEC: '0', LOG_LEVEL: 'error' };
    processes = await Promise.all([startApp('gateway', env), startApp('worker', env)]);
    const { fetch } = await newPayer();
    const bought = await fetch(`http://127.0.0.1:${port}/api/v1/hosts/shop.example.com/refresh`, {
      headers: { traceparent: `00-${CALLER.traceId}-${CALLER.spanId}-${flags}` },
    });
    expect(bought.status).toBe(200);
    for (const one of processes) await end(one);
    processes = [];
    return collector.spans;
  }

  beforeAll(async () => {
    collector = await startCollector();
    shop = await startTestHost({});
  });
  afterEach(() => {
    for (const one of processes) one.kill('SIGKILL');
  });
  afterAll(async () => {
    collector.server.close();
    await shop.close();
  });

  it('one trace covers the caller, the request, verification, queue, each request of the probe and the settlement', async () => {
    const spans = await spansOfOneSale({}, '00');
    const sold = spans.find(
      ({ name, spanId }) => name === REFRESH && spans.some((one) => one.parentSpanId === spanId),
    )!;
    expect(sold).toMatchObject({ traceId: CALLER.traceId, parentSpanId: CALLER.spanId });
    const [probe] = spans.filter(({ name }) => name === 'probe');
    const under = (parent: Span) =>
      spans.filter(({ parentSpanId }) => parentSpanId === parent.spanId).map(({ name }) => name);
    expect(under(sold).sort()).toEqual(['probe', 'settle payment', 'verify payment']);
    expect(under(probe!).filter((name) => name === 'probe request').length).toBeGreaterThan(10);
  });

  it('no trace is sent to a probed host', () => {
    const sent = new Set(shop.received.flatMap(({ headers }) => Object.keys(headers)));
    expect([...sent].filter((name) => /^(?:traceparent|tracestate|baggage|b3|x-b3-.*)$/.test(name))).toEqual([]);
    expect(shop.received.length).toBeGreaterThan(10);
  });

  it('a caller cannot force its requests to be traced', async () => {
    expect(await spansOfOneSale({ OTEL_TRACES_SAMPLER_ARG: '0' }, '01')).toEqual([]);
  });
});
