import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { ERROR_CODES } from '../src/http/error-codes';
import { startService, type Service } from '../../../test/support/service';
import { PAGES } from '../src/pages/page-registry';
import { PRODUCTS } from '../src/products/registry';

const DOMAIN = 'shop.example.com';
const REPORT = `/api/v1/hosts/${DOMAIN}`;
/** One value for each parameter of a path in the OpenAPI document; the `name` of an asset is read from the start page. */
const SAMPLES: Readonly<Record<string, string>> = {
  domain: DOMAIN,
  protocol: 'llms',
  tx: `0x${'ab'.repeat(32)}`,
  code: 'target_busy',
  file: `${DOMAIN}.svg`,
  sha256: 'ab'.repeat(32),
  day: '2026-11-22',
};

describe('HTTP', () => {
  let service: Service;

  beforeAll(async () => {
    service = await startService({ env: { FREE_PRESENCE_PROBE: 'off' } });
    await service.admitted();
  });
  afterAll(() => service.stop());

  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`${service.baseUrl}${path}`, { redirect: 'manual', ...init });

  /** Everything that is received after sending these bytes, until the connection closes. */
  async function answerTo(bytes: string): Promise<{ readonly head: string; readonly body: string }> {
    const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1');
    socket.write(bytes);
    const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
    return { head, body };
  }

  async function pathsWithGet(): Promise<readonly string[]> {
    const [name = ''] = /(?<=\/assets\/)\w+\.js/.exec(await (await ask('/')).text()) ?? [];
    const samples: Readonly<Record<string, string>> = { ...SAMPLES, name };
    const { paths } = (await (await ask('/openapi.json')).json()) as { paths: Record<string, object> };
    return Object.entries(paths)
      .filter(([, operations]) => 'get' in operations)
      .map(([path]) => path.replace(/\{(\w+)\}/g, (_, parameter: string) => samples[parameter]!));
  }

  /** HEAD never sells (behaviour 9.10). */
  const sells = (path: string): boolean =>
    PRODUCTS.some(
      (product) =>
        product.method === 'GET' && new RegExp(`^${product.path.replace(/:\w+/g, '[^/]+')}$`).test(path.split('?')[0]!),
    );

  it('answers HEAD like GET without the body, for every free GET in the document', async () => {
    const paths = await pathsWithGet();
    expect(paths.length).toBeGreaterThan(20);
    for (const path of paths) {
      const [get, head] = [await ask(path), await ask(path, { method: 'HEAD' })];
      const [status, allow] = sells(path) ? [405, 'GET'] : [get.status, null];
      expect([path, head.status, head.headers.get('allow'), head.headers.get('content-type')]).toEqual([
        path,
        status,
        allow,
        get.headers.get('content-type'),
      ]);
      expect(await head.text()).toBe('');
    }
  });

  it('has the request id in every answer, using the one of the request if present', async () => {
    const targets = [...(await pathsWithGet()), ...PAGES.map(({ path }) => path), '/nowhere', '/api/v1/hosts/%ff.com'];
    for (const path of targets.map((target) => target.replace(/:\w+/g, DOMAIN))) {
      // The second time, a cached response is sent without the framework.
      for (const method of ['GET', 'GET', 'HEAD', 'OPTIONS', 'PUT']) {
        const answer = await ask(path, { method, headers: { 'request-id': 'order-2026_11' } });
        expect([method, path, answer.headers.get('request-id')]).toEqual([method, path, 'order-2026_11']);
        const isRefused = answer.status >= 400 && answer.status !== 402 && method !== 'HEAD';
        if (isRefused && answer.headers.get('content-type')?.startsWith('application/json'))
          expect([path, await answer.json()]).toMatchObject([path, { requestId: 'order-2026_11' }]);
      }
    }
  });

  it('generates a request id if there is none or an invalid one', async () => {
    const ids = await Promise.all(
      ['', 'short', 'a'.repeat(65), 'with space', 'order-2026, order-2026'].map(async (id) => {
        const answer = await ask(REPORT, { headers: { 'request-id': id } });
        expect(answer.headers.get('access-control-expose-headers')).toContain('Request-Id');
        return answer.headers.get('request-id');
      }),
    );
    expect(new Set(ids).size).toBe(5);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}-\d+$/);
  });

  it('answers OPTIONS with the allowed methods, without a body', async () => {
    for (const path of await pathsWithGet()) {
      const options = await ask(path, { method: 'OPTIONS' });
      expect([path, options.status, await options.text()]).toEqual([path, 204, '']);
      expect([path, options.headers.get('allow')?.split(', ')]).toEqual([
        path,
        expect.arrayContaining(['GET', ...(sells(path) ? [] : ['HEAD']), 'OPTIONS']),
      ]);
    }
    expect((await ask('/api/v1/hosts/refresh', { method: 'OPTIONS' })).headers.get('allow')).toContain('POST');
  });

  it('allows pages to send every header of the MCP clients of both generations', async () => {
    const preflight = await ask('/api/v1/mcp', {
      method: 'OPTIONS',
      headers: { origin: 'https://page.example.com', 'access-control-request-method': 'POST' },
    });
    const allowed = preflight.headers.get('access-control-allow-headers')?.toLowerCase().split(', ');
    expect(allowed).toEqual(
      expect.arrayContaining(['content-type', 'mcp-protocol-version', 'mcp-session-id', 'mcp-method', 'mcp-name']),
    );
    expect(preflight.headers.get('access-control-max-age')).toBe('7200');
  });

  it.each([
    ['bytes that are not UTF-8', '/api/v1/hosts/%ff.com', 400, 'bad_request'],
    ['a broken escape', '/api/v1/hosts/%zz/refresh', 400, 'bad_request'],
    ['a name longer than any URL', `/api/v1/hosts/${'a'.repeat(3_000)}.com`, 414, 'path_too_long'],
  ])(
    'refuses %s in a path with a sentence and a code, readable by pages of every origin',
    async (_, path, ...expected) => {
      const refused = await ask(path);
      const body = (await refused.json()) as Record<string, unknown>;
      expect([refused.status, body['code']]).toEqual(expected);
      expect(Object.keys(body)).toEqual(['error', 'code', 'requestId']);
      expect(JSON.stringify(body)).not.toContain('aaaa');
      expect(Object.fromEntries(refused.headers)).toMatchObject({
        'access-control-allow-origin': '*',
        'cache-control': 'no-store',
      });
    },
  );

  it('shows a page to people for an unreadable path', async () => {
    const page = await ask('/hosts/%ff.com', { headers: { accept: 'text/html' } });
    expect([page.status, page.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8']);
    expect(await page.text()).toContain('bad_request');
  });

  it.each([
    ['no HTTP', 'HELLO\r\n\r\n', 400, 'bad_request'],
    ['an unknown method', `BREW ${REPORT} HTTP/1.1\r\nhost: a\r\n\r\n`, 400, 'bad_request'],
    [
      'headers of 40 KiB',
      `GET ${REPORT} HTTP/1.1\r\nhost: a\r\nx-long: ${'a'.repeat(40_960)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
  ])('rejects %s with a sentence and a code, and closes', async (_, bytes, status, code) => {
    const { head, body } = await answerTo(bytes);
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} \\S`));
    expect(head).toMatch(/\r\nconnection: close(?:\r\n|$)/);
    const [, requestId] = /\r\nrequest-id: (\S+)/.exec(head) ?? [];
    expect(JSON.parse(body)).toEqual({ error: expect.any(String), code, requestId });
    expect(ERROR_CODES).toHaveProperty([code, 'status'], status);
  });

  it('says why a body is invalid', async () => {
    const send = async (body: string) => {
      const refused = await ask('/api/v1/hosts/refresh', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      return [refused.status, await refused.json()];
    };
    expect(await send('{')).toMatchObject([400, { error: 'The body is not valid JSON.', code: 'bad_request' }]);
    const listed = { error: 'domains must be a list of 1 to 10 host names', code: 'invalid_domains' };
    expect(await send('{"domains":"shop.example.com","mode":"full"}')).toMatchObject([400, listed]);
    for (const body of ['', '{}'])
      expect(await send(body)).toMatchObject([400, { ...listed, error: 'domains is required' }]);
    for (const body of ['[]', '7', '"domains"']) {
      expect(await send(body)).toMatchObject([400, { error: 'The body must be a JSON object.', code: 'bad_request' }]);
    }
  });

  it('treats an empty body as no body, with any content type', async () => {
    const headers = { 'content-type': 'application/json' };
    for (const body of ['', undefined]) {
      const sold = await ask(`${REPORT}/subscription`, {
        method: 'POST',
        headers,
        ...(body === undefined ? {} : { body }),
      });
      expect([sold.status, ((await sold.json()) as { sku: string }).sku]).toEqual([402, 'subscription']);
    }
    expect((await ask('/api/v1/mcp', { method: 'POST', headers, body: '' })).status).toBe(400);
  });
});
