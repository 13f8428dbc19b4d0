import fc from 'fast-check';
import { Agent, request, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import type { ChildProcess } from 'node:child_process';
import { privateKeyToAddress, generatePrivateKey } from 'viem/accounts';
import { freePort } from '../../standalone/src/embedded/free-port';
import { object, text as textSchema, type JsonSchema } from '../src/routes/json-schema';
import { templateOf } from '../src/routes/parameters';
import { PAGES } from '../src/pages/page-registry';
import { fleetEnv } from '../../../test/support/chaos/fleet';
import { kill, startApp } from '../../../test/support/processes';
import { backends, stack } from '../../../test/support/stack';
import { says, startTestHost, type TestHost } from '../../../test/support/test-host';

/** The number of requests of each of the two walks in one run. */
const REQUESTS = 1_500;

/** The highest values of limits that these tests do not test. */
const NO_LIMITS = {
  RATE_LIMIT_CHECKS_PER_MIN: '1000000',
  RATE_LIMIT_EVIDENCE_PER_MIN: '1000000',
  RATE_LIMIT_CLAIMS_PER_HOUR: '1000000',
  RATE_LIMIT_OWNER_PROBES_PER_DAY: '1000000',
  FREE_PROBES_PER_SITE_DAY: '1000000',
};

const nested = (open: string, close: string, depth: number): string => open.repeat(depth) + close.repeat(depth);

/** Strings that break parsers of JSON, URLs, base64 and headers. */
const ODD: readonly string[] = [
  '',
  ' ',
  'null',
  '0',
  '-1',
  '1e999',
  '"',
  '{',
  '%',
  '%00',
  '%ff',
  '..',
  '%2e%2e%2f',
  '__proto__',
  'constructor',
  'toString',
  '\u0000',
  '\uD800',
  '\u202E',
  'ａ.example.com',
  'xn--a.example.com',
  `${'a.'.repeat(126)}com`,
  '9'.repeat(400),
  'a'.repeat(2_000),
  'shop.example.com',
  'https://shop.example.com/',
  `0x${'0'.repeat(64)}`,
  `0x${'f'.repeat(40)}`,
  nested('[', ']', 10_000),
  nested('{"a":', '}', 4_000).replace('}', '1}'),
];

const value = fc.oneof(
  fc.constantFrom(...ODD),
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
);

/** By the name of a path parameter: valid values, and values that only the last check rejects. */
const NEAR: Readonly<Record<string, readonly string[]>> = {
  domain: ['shop.example.com', 'shop.example.com.'],
  protocol: ['ucp', 'constructor'],
  day: ['2026-11-21', '2026-02-29', '2026-04-31', '2026-13-01', '0000-01-01', '0001-01-01', '9999-12-31'],
  sha256: ['0'.repeat(64), 'F'.repeat(64), 'A'.repeat(43), '_'.repeat(43)],
  root: ['0'.repeat(64), 'F'.repeat(64), 'A'.repeat(43), '_'.repeat(43)],
  index: ['0', '9999', '10000', '-1', '1e3', '0x1'],
  tx: [`0x${'0'.repeat(64)}`, `0x${'F'.repeat(64)}`],
};
const near = fc.record(
  Object.fromEntries(Object.entries(NEAR).map(([name, texts]) => [name, fc.oneof(fc.constantFrom(...texts), value)])),
);
const asBase64 = value.map((json) => Buffer.from(json).toString('base64'));

/** Shapes that pass the first checks: a payment, a tool call, a batch. */
const shaped = fc.record(
  {
    x402Version: fc.constantFrom(1, 2, 3, '2'),
    scheme: fc.constantFrom('exact', 'upto'),
    network: fc.constantFrom('base', 'eip155:8453'),
    accepted: fc.object({ maxDepth: 2 }),
    payload: fc.record({
      signature: value,
      authorization: fc.dictionary(fc.constantFrom('from', 'to', 'value', 'validAfter', 'validBefore', 'nonce'), value),
    }),
    jsonrpc: fc.constantFrom('2.0', 2, null),
    id: fc.oneof(fc.integer(), value, fc.constant(null)),
    method: fc.constantFrom('tools/call', 'tools/list', 'initialize', 'ping', 'nothing'),
    params: fc.record(
      {
        name: fc.constantFrom('lookup_host', 'refresh_host', 'verify_receipt', 'x'),
        arguments: fc.object({ maxDepth: 2 }),
        _meta: fc.object({ maxDepth: 2 }),
      },
      { requiredKeys: [] },
    ),
    domains: fc.array(fc.oneof(value, fc.jsonValue()), { maxLength: 12 }),
    mode: fc.constantFrom('full', 'presence', 1),
  },
  { requiredKeys: [] },
);
const json = fc.oneof(
  shaped.map((shape) => JSON.stringify(shape)),
  fc.json({ maxDepth: 4 }),
  value,
);
const encoded = json.map((text) => Buffer.from(text).toString('base64'));

const HEADERS = {
  'payment-signature': fc.oneof(encoded, asBase64, value),
  'x-payment': fc.oneof(encoded, asBase64, value),
  'x-402-version': value,
  authorization: fc.oneof(
    value.map((key) => `Bearer ${key}`),
    value.map((key) => `Basic ${key}`),
    value,
  ),
  'sign-in-with-x': fc.oneof(encoded, asBase64),
  'idempotency-key': value,
  accept: fc.oneof(fc.constantFrom('text/html', 'text/markdown', 'application/json, text/event-stream'), value),
  'content-type': fc.oneof(
    fc.constantFrom('application/json', 'application/json; charset=utf-16', 'text/plain'),
    value,
  ),
  'content-encoding': fc.constantFrom('gzip', 'identity', 'x'),
  prefer: fc.oneof(fc.constantFrom('wait=0', 'respond-async'), value),
  'if-none-match': value,
  'x-forwarded-for': value,
  origin: value,
  host: value,
  'mcp-protocol-version': fc.oneof(fc.constantFrom('2025-11-25', '2026-07-28'), value),
  'mcp-method': value,
} as const;
const headers = fc.record(HEADERS, { requiredKeys: [] });

/** Header values as bytes that Node sends. */
const sendable = (text: string): string =>
  Buffer.from(text)
    .toString('latin1')
    .replace(/[^\t\x20-\x7e\x80-\xff]/g, '')
    .slice(0, 14_000);

/** An operation of the OpenAPI document or a tool, with its parameters. */
interface Target {
  readonly name: string;
  readonly method: string;
  /** With parameters as `{name}`; a tool has the path of the MCP endpoint. */
  readonly path: string;
  readonly tool: boolean;
  /** Of path and query. */
  readonly parameters: readonly Parameter[];
  readonly body?: JsonSchema;
}
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}
/** The part of an operation that is read here. */
interface Described {
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: JsonSchema | { readonly $ref: string } }>>;
  };
}
/** Members by name, each with the values it is sent with: two when it is repeated. */
type Sent = readonly (readonly [name: string, value: unknown])[];

const MCP = '/api/v1/mcp';
const JSON_SENT = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** Valid values for text of a name whose schema does not define it. */
const RIGHT: Record<string, string> = {
  domain: 'shop.example.com',
  query: 'shop',
  network: 'base',
  cursor: 'shop.example.com',
  maxPriceUsd: '0.1',
  method: 'GET',
  url: 'https://shop.example.com/llms.txt',
  day: '2026-11-21',
  address: `0x${'1'.repeat(40)}`,
  payTo: `0x${'1'.repeat(40)}`,
  tx: `0x${'0'.repeat(64)}`,
  sha256: '0'.repeat(64),
  root: '0'.repeat(64),
};

/** A value that its schema allows. */
function right(name: string, schema: JsonSchema, example?: unknown): fc.Arbitrary<unknown> {
  const { properties = {}, required, items, minItems = 1, maxItems = 3 } = schema;
  const [type] = [schema.type].flat();
  const options = [schema.const, example, schema.default, RIGHT[name]].filter((known) => known !== undefined);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one) => right(name, one, example)));
  if (type === 'array')
    return fc.array(right(name, items ?? {}), { minLength: minItems, maxLength: Math.min(maxItems, 3) });
  if (type === 'object') {
    const members = Object.entries(properties).map(([key, one]) => [key, right(key, one)] as const);
    return fc.record(Object.fromEntries(members), { requiredKeys: required ? [...required] : [] });
  }
  if (type === 'integer' || type === 'number') return fc.constantFrom(1, schema.minimum ?? 0, schema.maximum ?? 50);
  if (type === 'boolean') return fc.boolean();
  return options.length > 0 ? fc.constantFrom(...options) : fc.constantFrom('shop.example.com', 'a', '1');
}

const wrong = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 1e21, [], {}, [null], ['a', 1], { a: { b: [] } }, [[]]),
  fc.constantFrom(
    'mars',
    'zzz',
    'constructor',
    '__proto__',
    'eip155:0',
    'eip155:999999999',
    'https://',
    'a.b.c',
    '2026-02-30',
  ),
  value,
);

/** Members of a request: valid ones, some of which are made wrong, missing, repeated or unknown. */
function members(parameters: readonly Parameter[]): fc.Arbitrary<Sent> {
  const each = parameters.map(({ name, schema, example, required }) =>
    fc.tuple(
      fc.constant(name),
      right(name, schema, example),
      wrong,
      fc.oneof(
        { weight: required ? 8 : 3, arbitrary: fc.constant('right') },
        { weight: required ? 0 : 3, arbitrary: fc.constant('left out') },
        { weight: 3, arbitrary: fc.constantFrom('wrong', 'missing', 'repeated') },
      ),
    ),
  );
  return fc.tuple(fc.tuple(...each), fc.option(fc.tuple(value, wrong), { freq: 6 })).map(([known, unknown]) => [
    ...known.flatMap(([name, good, bad, fate]): Sent => {
      if (fate === 'right') return [[name, good]];
      if (fate === 'wrong') return [[name, bad]];
      return fate === 'repeated'
        ? [
            [name, good],
            [name, bad],
          ]
        : [];
    }),
    ...(unknown ? [unknown] : []),
  ]);
}

/** JSON text in which a member may occur twice. */
const objectText = (sent: Sent): string =>
  `{${sent.map(([name, one]) => `${JSON.stringify(name)}:${JSON.stringify(one)}`).join(',')}}`;

const propertiesOf = ({ properties = {}, required = [] }: JsonSchema): readonly Parameter[] =>
  Object.entries(properties).map(([name, schema]) => ({ name, in: 'body', required: required.includes(name), schema }));

const textOf = (one: unknown): string =>
  (typeof one === 'string' ? one.toWellFormed() : JSON.stringify(one)).slice(0, 1_500);

describe('any request', () => {
  let host: TestHost;
  let base: string;
  let gateway: ChildProcess;
  let worker: ChildProcess;
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  beforeAll(async () => {
    host = await startTestHost({ '/llms.txt': says('# Shop\n') });
    const port = await freePort();
    base = `http://127.0.0.1:${port}`;
    const env = {
      ...(await fleetEnv(backends()[0]!, {
        payTo: privateKeyToAddress(generatePrivateKey()),
        facilitatorUrl: stack().facilitatorUrl,
        connectTo: [host.as('shop.example.com')],
      })),
      ...NO_LIMITS,
      PORT: String(port),
      PUBLIC_BASE_URL: base,
      TRUSTED_PROXIES: '127.0.0.1',
      LOG_LEVEL: 'silent',
    };
    worker = await startApp('worker', env);
    gateway = await startApp('gateway', env);
  });
  afterEach(() => {
    // The same processes, never restarted, answered everything.
    expect([gateway, worker].map(({ exitCode, signalCode }) => exitCode ?? signalCode)).toEqual([null, null]);
  });
  afterAll(async () => {
    agent.destroy();
    await Promise.all([kill(gateway), kill(worker), host.close()]);
  });

  async function ask(method: string, path: string, sent: Readonly<Record<string, string>>, body?: string) {
    return new Promise<{ readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: string }>(
      (resolve, reject) => {
        const { port } = new URL(base);
        const plain = Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, sendable(value)]));
        const out = request({ port, host: '127.0.0.1', method, path, headers: plain, agent }, (response) => {
          text(response).then((body) => {
            resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
          }, reject);
        });
        out.on('error', (error: NodeJS.ErrnoException) => {
          // Invalid HTTP gets a response with a body, although a HEAD expects none.
          if (error.code?.startsWith('HPE_')) resolve({ status: 0, headers: {}, body: '' });
          else reject(error);
        });
        out.end(body);
      },
    );
  }

  async function paths(): Promise<readonly string[]> {
    const { body } = await ask('GET', '/openapi.json', {});
    return Object.keys((JSON.parse(body) as { readonly paths: object }).paths);
  }

  /** A fault of the service as text; undefined when the response is valid. */
  function fault({ status, headers, body }: Awaited<ReturnType<typeof ask>>): string | undefined {
    if (status < 500 || (status === 503 && headers['retry-after'] !== undefined)) return undefined;
    return `${status} ${/"code":"(\w+)"/.exec(body)?.[1] ?? body.slice(0, 200)}`;
  }

  /** Every operation of the OpenAPI document, every page and every tool. */
  async function targets(): Promise<readonly Target[]> {
    const { paths, components } = JSON.parse((await ask('GET', '/openapi.json', {})).body) as {
      readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
      readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    };
    const resolved = <T>(one: T | { readonly $ref: string }): T => {
      if (typeof one !== 'object' || one === null || !('$ref' in one)) return one;
      const [, , kind = '', name = ''] = one.$ref.split('/');
      return components[kind]![name] as T;
    };
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { parameters = [], requestBody }]): Target => {
        const schema = Object.values(requestBody?.content ?? {})[0]?.schema;
        const name = `${method} ${path}`;
        const taken = parameters.map(resolved);
        return {
          name,
          method: method.toUpperCase(),
          path,
          tool: false,
          parameters: taken,
          ...(schema && { body: resolved(schema) }),
        };
      }),
    );
    const listed = await ask('POST', MCP, JSON_SENT, JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }));
    const { result } = JSON.parse(listed.body) as {
      readonly result: { readonly tools: readonly { readonly name: string; readonly inputSchema: JsonSchema }[] };
    };
    const pages = PAGES.map(({ method = 'GET', path, params = {}, query }): Target => {
      const place = (where: string, schemas: object) =>
        Object.entries(schemas).map(([name, schema]) => ({ name, in: where, required: where === 'path', schema }));
      const parameters = [...place('path', params), ...place('query', query?.properties ?? {})];
      const fields = object({ key: textSchema, step: textSchema }, { email: textSchema, note: textSchema });
      return { name: path, method, path: templateOf(path), tool: false, parameters, body: fields };
    });
    return [
      ...operations,
      ...pages,
      ...result.tools.map(({ name, inputSchema }) => {
        return { name, method: 'POST', path: MCP, tool: true, parameters: [], body: inputSchema };
      }),
    ];
  }

  /** Sends members to a target: in its path, query, headers and body, or as arguments of a tool. */
  async function send(
    { name, method, path, tool, parameters }: Target,
    sent: Sent,
    body: Sent,
    caller: Readonly<Record<string, string>>,
  ) {
    const where = new Map(parameters.map((parameter) => [parameter.name, parameter.in]));
    const inPath = new Map(sent.filter(([key]) => where.get(key) === 'path'));
    const url = path.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(textOf(inPath.get(key) ?? '')));
    const query = sent
      .filter(([key]) => (where.get(key) ?? 'query') === 'query')
      .map(([key, one]): [string, string] => [textOf(key), textOf(one)]);
    const headers = sent
      .filter(([key]) => where.get(key) === 'header')
      .map(([key, one]) => [key, textOf(one)] as const);
    const search = tool || query.length === 0 ? '' : `?${new URLSearchParams(query).toString()}`;
    const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${objectText(body)}}}`;
    const text = method === 'GET' ? undefined : tool ? call : objectText(body);
    return ask(method, `${url}${search}`, { ...Object.fromEntries(headers), ...JSON_SENT, ...caller }, text);
  }

  it('with wrong, missing or repeated fields is answered by every operation, page and tool', async () => {
    const all = await targets();
    const begun = await ask('POST', '/api/v1/hosts/shop.example.com/claims', JSON_SENT, '{}');
    const claim = JSON.parse(begun.body) as { readonly id: string; readonly key: string };
    Object.assign(RIGHT, { id: claim.id });
    expect(all.length).toBeGreaterThan(80);
    const statuses: number[] = [];
    for (const target of all) {
      const request = fc.tuple(members(target.parameters), members(propertiesOf(target.body ?? {})));
      await fc.assert(
        fc.asyncProperty(request, async ([sent, body]) => {
          const n = statuses.length;
          const caller = { 'x-forwarded-for': `100.64.${n >> 8}.${n & 255}`, authorization: `Bearer ${claim.key}` };
          const answer = await send(target, sent, body, caller);
          statuses.push(answer.status);
          expect(fault(answer)).toBeUndefined();
        }),
        { numRuns: Math.ceil(REQUESTS / all.length), endOnFailure: true },
      );
    }
    const answered = statuses.filter((status) => status !== 429 && status !== 503);
    expect(answered.length / statuses.length).toBeGreaterThan(0.9);
    // Shows that requests also get past the first check.
    expect(new Set(statuses)).toEqual(new Set([...statuses, 200, 400, 402, 404]));
  });

  it('is never answered with an internal error', async () => {
    const routes = await paths();
    expect(routes.length).toBeGreaterThan(30);
    const target = fc
      .tuple(
        fc.constantFrom(...routes),
        near,
        value,
        fc.dictionary(
          fc.oneof(
            fc.constantFrom(
              'url',
              'method',
              'address',
              'network',
              'limit',
              'before',
              'cursor',
              'protocol',
              'payTo',
              'amount',
              'wait',
              'statement',
              'form',
              'format',
            ),
            value,
          ),
          value,
          { maxKeys: 4 },
        ),
      )
      .map(([route, named, other, query]) => {
        const path = route.replace(/\{(\w+)\}/g, (_, name: string) =>
          encodeURIComponent((named[name] ?? other).toWellFormed()).slice(0, 3_000),
        );
        const search = new URLSearchParams(query).toString().slice(0, 3_000);
        return search === '' ? path : `${path}?${search}`;
      });
    const method = fc.constantFrom('GET', 'POST', 'DELETE', 'HEAD', 'PUT', 'PATCH', 'OPTIONS');
    await fc.assert(
      fc.asyncProperty(method, target, headers, fc.option(json, { nil: undefined }), async (how, where, sent, body) => {
        const carries = body !== undefined && how !== 'GET' && how !== 'HEAD';
        const typed = carries
          ? { 'content-type': 'application/json', ...sent, 'content-length': String(Buffer.byteLength(body)) }
          : sent;
        expect(fault(await ask(how, where, typed, carries ? body : undefined))).toBeUndefined();
      }),
      { numRuns: REQUESTS, endOnFailure: true },
    );
  });

  it.each([
    ['lists', nested('[', ']', 10_000)],
    ['objects', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
    ['lists in an argument', `{"domains":${nested('[', ']', 10_000)},"mode":"full"}`],
    [
      'lists in a call of a tool',
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"lookup_host","arguments":${nested('[', ']', 10_000)}}}`,
    ],
  ])('with 10,000 nested %s in its JSON gets 400 everywhere', async (_what, body) => {
    for (const path of await paths()) {
      const answer = await ask(
        'POST',
        path.replace(/\{\w+\}/g, 'shop.example.com'),
        { 'content-type': 'application/json' },
        body,
      );
      expect([400, 404, 405]).toContain(answer.status);
    }
    const mcp = await ask(
      'POST',
      '/api/v1/mcp',
      { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body,
    );
    expect([
      mcp.status,
      (await ask('POST', '/api/v1/hosts/refresh', { 'content-type': 'application/json' }, body)).status,
    ]).toEqual([400, 400]);
  });

  it('can have JSON of any depth in its headers', async () => {
    const deep = [nested('[', ']', 5_000), `${'{"a":'.repeat(1_900)}1${'}'.repeat(1_900)}`];
    const payment = deep.map((json) => `{"x402Version":2,"payload":${json},"accepted":${json}}`.slice(0, 11_000));
    for (const json of [...deep, ...payment]) {
      for (const name of ['payment-signature', 'x-payment', 'sign-in-with-x', 'authorization']) {
        const sent = { [name]: Buffer.from(json).toString('base64') };
        for (const path of ['/api/v1/hosts/shop.example.com/refresh', '/api/v1/hosts/shop.example.com/changes']) {
          expect(fault(await ask('GET', path, sent))).toBeUndefined();
        }
        expect(fault(await ask('POST', '/api/v1/hosts/shop.example.com/subscription', sent))).toBeUndefined();
      }
    }
  });
});
