import { mkdtempSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import type { Answer } from '@app/detectors';
import { parseProbeUrl, type ProbeUrl } from '@app/hosts';
import { asking, exchangeAt, get, hostName, testProber } from '../../../test/support/probing';
import { redirects, says, startTestHost, type Route, type TestHost } from '../../../test/support/test-host';
import { createProber } from './prober';
import type { RequestBudget } from './request-budget';

let host: TestHost;
afterEach(() => host.close());

const serve = async (routes: Readonly<Record<string, Route>>) => (host = await startTestHost(routes));

function urlOf(text: string): ProbeUrl {
  const reading = parseProbeUrl(text);
  if (!reading.ok) throw new Error(reading.sentence);
  return reading.url;
}

describe('one request', () => {
  it('returns the answer with its phases and the certificate', async () => {
    await serve({ '/pay': says('{"x402Version":1}', {}, 402) });
    const prober = await testProber({ connectTo: host.as('api.example.com') });
    const { exchange, timingsMs, tls } = await prober.probe(urlOf('https://api.example.com/pay'), 'GET');
    expect(exchange).toMatchObject({ kind: 'answer', status: 402, body: '{"x402Version":1}' });
    for (const phase of ['dns', 'connect', 'tls', 'firstByte'] as const) {
      expect(timingsMs[phase]).toBeGreaterThanOrEqual(0);
      expect(timingsMs[phase]).toBeLessThanOrEqual(timingsMs.total);
    }
    expect(tls).toMatchObject({ protocol: 'TLSv1.3', issuer: 'hostprobe test authority' });
    expect(Date.parse(tls!.validTo!)).toBeGreaterThan(Date.now());
  });

  it('keeps the bytes of a body that is not UTF-8, and otherwise only the text', async () => {
    const bytes = Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x80]);
    const large = Buffer.alloc(300_000, 0xfe);
    await serve({ '/bytes': says(bytes), '/large': says(large), '/text': says('\u{feff}é') });
    const prober = await testProber({ connectTo: host.as('api.example.com') });
    const exchangeOf = async (path: string) =>
      (await prober.probe(urlOf(`https://api.example.com${path}`), 'GET')).exchange as Answer;
    expect(await exchangeOf('/bytes')).toMatchObject({ raw: Uint8Array.from(bytes), bytes: 5 });
    const { raw, bytes: read } = await exchangeOf('/large');
    expect([raw?.length, read]).toEqual([256 * 1_024, 262_144]);
    expect(await exchangeOf('/text')).not.toHaveProperty('raw');
  });

  it('is a single request: a redirect is the answer', async () => {
    await serve({ '/a': redirects('/b', 307) });
    const prober = await testProber({ connectTo: host.as('api.example.com') });
    const { exchange } = await prober.probe(urlOf('https://api.example.com/a'), 'POST');
    expect(exchange).toMatchObject({ kind: 'answer', status: 307, requestBody: '{}' });
    expect(host.requests).toEqual(['POST /a']);
  });

  it('reports a timeout if the host never ends its answer', async () => {
    await serve({ '*': (_request, response) => response.writeHead(200).write('half') });
    const prober = await testProber({ connectTo: host.as('api.example.com'), limits: { exchangeMs: 100 } });
    const { exchange } = await prober.probe(urlOf('https://api.example.com/'), 'GET');
    expect(exchange).toMatchObject({ kind: 'failure', reason: 'timeout' });
  });

  it('leaves unreached phases empty', async () => {
    await serve({});
    const prober = await testProber();
    const result = await prober.probe(urlOf('https://gone.example.com/'), 'GET');
    expect(result).toMatchObject({
      exchange: { kind: 'failure', reason: 'dns_nxdomain' },
      timingsMs: { dns: null, connect: null, tls: null, firstByte: null },
      tls: null,
    });
  });
});

/** Bodies that fail after a correct head. */
const FAULTS: Readonly<Record<string, readonly [header: string, write: (socket: Socket) => void]>> = {
  'cut short': ['content-length: 500', (socket) => socket.end('{}')],
  'cut within a chunk': ['transfer-encoding: chunked', (socket) => socket.end('500\r\n{}')],
  'ended within a chunk': ['transfer-encoding: chunked', (socket) => socket.write('500\r\n{}', () => socket.destroy())],
  'in invalid chunks': ['transfer-encoding: chunked', (socket) => socket.end('zz\r\n{}')],
  'in an unknown coding': ['content-encoding: UTF-8\r\ncontent-length: 2', (socket) => socket.end('{}')],
  'in another coding': ['content-encoding: gzip\r\ncontent-length: 2', (socket) => socket.end('{}')],
  endless: ['x-drips: yes', (socket) => socket.write('{')],
};
const DECIDED = [301, 307, 400, 401, 403, 404, 405, 410, 418, 422, 429, 500, 502, 503].map(
  (code) => [code, 'x: y'] as const,
);
const OFFERS = [
  'payment-required: e30=',
  'www-authenticate: Payment id="1"',
  'www-authenticate: Bearer, Payment id="1"',
];

describe('an answer with a faulty body', () => {
  /** The exchanges of a probe, for each head before a body with that fault. */
  const exchangesOf = async (fault: string, heads: readonly (readonly [code: number, line: string])[]) => {
    const [framing, write] = FAULTS[fault]!;
    await serve({
      '*': ({ socket, url }) => {
        const [code, line] = heads[Number(url?.slice(1))]!;
        socket.write(`HTTP/1.1 ${code} Some\r\nretry-after: 60\r\n${line}\r\n${framing}\r\n\r\n`);
        write(socket);
      },
    });
    const limits = { eventStreamMs: 50, ...(fault === 'endless' && { exchangeMs: 2_000 }) };
    const prober = await testProber({ connectTo: host.as('api.example.com'), limits });
    const probes = heads.map((_, i) => prober.probe(urlOf(`https://api.example.com/${i}`), 'GET'));
    return (await Promise.all(probes)).map(({ exchange }) => exchange);
  };

  it.each(Object.keys(FAULTS))('%s still has status and headers, if they are sufficient', async (fault) => {
    const heads = [...DECIDED, ...OFFERS.map((offer) => [402, offer] as const)];
    const due = heads.map(([code, line]) => {
      const headers: unknown = expect.arrayContaining([['retry-after', '60'], line.split(': ')]);
      return { kind: 'answer', status: code, headers, truncated: true };
    });
    expect(await exchangesOf(fault, heads)).toMatchObject(due);
  });

  it.each(Object.keys(FAULTS))('%s is still followed if it is a redirect', async (fault) => {
    const [framing, write] = FAULTS[fault]!;
    const sendOn: Route = ({ socket }) => {
      socket.write(`HTTP/1.1 302 Found\r\nlocation: /there\r\n${framing}\r\n\r\n`);
      write(socket);
    };
    await serve({ '/doc': sendOn, '/there': says('{}') });
    const prober = await testProber({ connectTo: host.as('shop.example.com'), limits: { eventStreamMs: 50 } });
    const seen = await prober.collect(hostName(), { detectors: [asking([get('/doc')])], phases: ['presence'] });
    expect(exchangeAt(seen, '/doc')).toMatchObject({ status: 200, finalUrl: 'https://shop.example.com/there' });
  });

  it.each(Object.keys(FAULTS))('%s is a failure if the body is needed', async (fault) => {
    const heads = [200, 206, 402].map((code) => [code, 'x: y'] as const);
    expect(await exchangesOf(fault, heads)).toMatchObject(heads.map(() => ({ kind: 'failure' })));
  });
});

describe('unrequested interim responses', () => {
  it('are skipped, even if they are split, and a body that looks like one is unchanged', async () => {
    const members = fc.record({
      method: fc.constantFrom('GET' as const, 'POST' as const),
      interim: fc.array(fc.constantFrom('100 Continue', '102 Processing', '103 Early Hints\r\nlink: </a>'), {
        maxLength: 8,
      }),
      cuts: fc.array(fc.nat(400), { maxLength: 6 }),
    });
    const body = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n';
    let next: { readonly interim: readonly string[]; readonly cuts: readonly number[] };
    await serve({
      '*': ({ socket }) => {
        const heads = [...next.interim, `200 OK\r\ncontent-length: ${body.length}`];
        const text = heads.map((head) => `HTTP/1.1 ${head}\r\n\r\n`).join('') + body;
        const cuts = [0, ...next.cuts.toSorted((a, b) => a - b), text.length];
        socket.setNoDelay();
        cuts.slice(1).forEach((cut, i) => setImmediate(() => socket.write(text.slice(cuts[i], cut))));
      },
    });
    const prober = await testProber({ connectTo: host.as('api.example.com') });
    await fc.assert(
      fc.asyncProperty(members, async ({ method, ...sent }) => {
        next = sent;
        const { exchange } = await prober.probe(urlOf('https://api.example.com/'), method);
        expect(exchange).toMatchObject({ kind: 'answer', status: 200, body });
      }),
      { numRuns: 100 },
    );
  });
});

describe('a prober', () => {
  it('signs every request if it has a signer', async () => {
    await serve({ '/': redirects('/home'), '*': says('{}') });
    const signed: string[] = [];
    const prober = await testProber({
      connectTo: host.as('shop.example.com'),
      signRequest: ({ method, url, headers }) => {
        signed.push(`${method} ${url} ${headers['user-agent'] ?? ''}`);
        return { 'signature-agent': '"a"', 'signature-input': 'sig1=()', signature: `sig1=:${signed.length}:` };
      },
    });
    await prober.collect(hostName(), { detectors: [], phases: ['presence'] });
    expect(signed).toContain('GET https://shop.example.com/home hostprobe/test (+https://probe.example.org/prober)');
    expect(new Set(host.received.map((request) => request.headers['signature'])).size).toBe(4);
  });

  it('trusts only public authorities by default', async () => {
    await serve({ '*': says('{}') });
    const prober = createProber({ userAgent: 'hostprobe/test', connectTo: host.as('shop.example.com') });
    const seen = await prober.collect(hostName(), { detectors: [], phases: ['presence'] });
    expect(seen.exchanges[0]).toMatchObject({ reason: 'tls_error', detail: 'untrusted_issuer' });
  });

  it('rejects an unusable certificate file, without naming it', async () => {
    await serve({});
    const file = join(mkdtempSync(join(tmpdir(), 'hostprobe-')), 'ca.pem');
    expect(() => createProber({ userAgent: 'x', caFile: file })).toThrow(new Error('cannot read PROBE_CA_FILE'));
    writeFileSync(file, 'no certificate');
    expect(() => createProber({ userAgent: 'x', caFile: file })).toThrow(
      new Error('PROBE_CA_FILE has no PEM certificate'),
    );
  });

  it('ends probes in progress when it is closed', async () => {
    let asked = () => undefined;
    const firstRequest = new Promise<void>((resolve) => {
      asked = () => {
        resolve();
      };
    });
    await serve({
      '*': () => {
        asked();
      },
    });
    const prober = await testProber({ connectTo: host.as('shop.example.com') });
    const probing = prober.collect(hostName(), { detectors: [], phases: ['presence'] });
    await firstRequest;
    await prober.close();
    expect((await probing).stoppedBy).toBe('budget_spent');
  });

  it('stops calling its budget once that is used up', async () => {
    await serve({ '*': says('{}') });
    let asked = 0;
    const budget: RequestBudget = {
      free: false,
      occupy: () => Promise.resolve(() => Promise.resolve()),
      spend: () => {
        asked += 1;
        return asked === 4 ? Promise.reject(new Error('spent')) : Promise.resolve();
      },
    };
    const prober = await testProber({ connectTo: host.as('shop.example.com'), budget });
    const detectors = [asking(Array.from({ length: 15 }, (_, i) => get(`/${i}`)))];
    await expect(prober.collect(hostName(), { detectors, phases: ['presence'] })).rejects.toThrow('spent');
    const atTheEnd = asked;
    await setTimeout(50);
    expect(asked).toBe(atTheEnd);
    expect(asked).toBeLessThan(10);
  });

  it('closes its connections after a probe', async () => {
    await serve({ '*': says('{}') });
    const prober = await testProber({ connectTo: host.as('shop.example.com') });
    await prober.collect(hostName(), { detectors: [], phases: ['presence'] });
    const before = host.connections();
    await prober.collect(hostName(), { detectors: [], phases: ['presence'] });
    expect(host.connections()).toBeGreaterThan(before);
  });

  it('throws for a forbidden header, which is a bug', async () => {
    await serve({ '*': says('{}') });
    const prober = await testProber({ connectTo: host.as('shop.example.com') });
    const detectors = [asking([get('/doc', { headers: { authorization: 'Bearer x' } })])];
    await expect(prober.collect(hostName(), { detectors, phases: ['presence'] })).rejects.toThrow('authorization');
  });
});

describe('a free probe', () => {
  it('does not use document memory of paid ones, and uses its own budget', async () => {
    await serve({ '*': says('x'.repeat(3_000)) });
    const asked: boolean[] = [];
    const budgetOf = (free: boolean): RequestBudget => ({
      free,
      occupy: () => {
        asked.push(free);
        return Promise.resolve(() => Promise.resolve());
      },
      spend: () => Promise.resolve(),
    });
    const prober = await testProber({
      connectTo: host.as('shop.example.com'),
      limits: { ownDocumentBytes: 0, poolBytes: 3_000, freePoolBytes: 1_000, concurrency: 1 },
      budget: budgetOf(false),
    });
    const plan = { plan: () => Promise.resolve([]), phases: ['presence'] } as const;
    const free = await prober.collect(hostName('shop.example.com'), { ...plan, budget: budgetOf(true) });
    const paid = await prober.collect(hostName('shop.example.com'), plan);
    const sizes = ({ exchanges }: typeof free) => exchanges.map((one) => one.kind === 'answer' && one.bytes);
    expect(Math.max(...sizes(free).map(Number))).toBe(1_000);
    expect(Math.max(...sizes(paid).map(Number))).toBe(3_000);
    expect(new Set(asked.slice(0, 3))).toEqual(new Set([true]));
    expect(new Set(asked.slice(3))).toEqual(new Set([false]));
  });
});
