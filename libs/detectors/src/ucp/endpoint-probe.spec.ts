import fc from 'fast-check';
import { failure, html, json, plain, status, type Reply } from '../../../../test/support/evidence';
import { probeSite, type Replies } from '../../../../test/support/site';
import type { FailureReason, TlsFault } from '../evidence/exchange';
import { mcp } from '../mcp/mcp.detector';
import { runDetector } from '../run-detector';
import { ucp } from './ucp.detector';

const ENDPOINT = 'https://shop.example.com/ucp';
const CACHED = { headers: { 'cache-control': 'public, max-age=600', etag: '"1"' } };

const profileWith = (transport: string) => {
  const version = '2026-08-25';
  const services = { 'dev.ucp.shopping': [{ version, transport, endpoint: ENDPOINT }] };
  return json({ ucp: { version, services, payment_handlers: {} } }, CACHED);
};

/** The cells for a host whose endpoint of a transport has the given answers. */
async function probed(transport: string, replies: Replies, rest = status(404)) {
  const seen = await probeSite({ '/.well-known/ucp': profileWith(transport), ...replies }, rest, [ucp, mcp]);
  const [own, other] = [runDetector(ucp, seen).cell, runDetector(mcp, seen).cell];
  const findings = (own.details['findings'] ?? []) as readonly { readonly id: string }[];
  const states = own.details['endpointStates'] as Readonly<Record<string, string>> | undefined;
  const { fixes } = runDetector(ucp, seen);
  return { status: own.status, state: states?.[transport], findings: findings.map(({ id }) => id), fixes, mcp: other };
}

const tls = (detail: TlsFault) => failure('tls_error', { detail });

describe('the REST endpoint of a UCP profile', () => {
  it('is up with every answer below 500, and otherwise down', async () => {
    const code = fc.integer({ min: 200, max: 599 }).filter((one) => ![403, 429, 495, 496].includes(one));
    const page = fc.constantFrom('', '{"error":"missing"}', '<!doctype html><h1>No</h1>');
    await fc.assert(
      fc.asyncProperty(code, page, async (answered, body) => {
        const { status: cell, state, findings } = await probed('rest', { '/ucp': status(answered, { body }) });
        const down = answered >= 500;
        expect([cell, state, findings]).toEqual([
          'present',
          down ? 'unreachable' : 'reachable',
          down ? ['endpoint_unreachable'] : [],
        ]);
      }),
      { numRuns: 40 },
    );
  });

  it.each<[string, Reply, string | undefined, readonly string[]]>([
    ['asks for a certificate in the handshake', tls('client_certificate'), 'protected', []],
    ['asks for one in words', plain('<h1>No required SSL certificate was sent</h1>', { status: 400 }), 'protected', []],
    ['asks for one by 495', status(495), 'protected', []],
    ['asks for one by 496', status(496), 'protected', []],
    ['refuses the handshake', tls('handshake_refused'), 'unknown', ['endpoint_state_unknown']],
    ['has no valid certificate itself', tls('expired'), 'unreachable', ['endpoint_unreachable']],
    ['has a certificate for another name', tls('name_mismatch'), 'unreachable', ['endpoint_unreachable']],
    ['answers more than is read', failure('too_large'), 'reachable', []],
    ['redirects to http', failure('redirect_refused'), 'unreachable', ['endpoint_unreachable']],
    ['redirects in a circle', failure('redirect_loop'), 'unreachable', ['endpoint_unreachable']],
    ['was not requested because time ran out', failure('budget_spent'), undefined, []],
  ])('that %s', async (_, reply, expected, ids) => {
    const { state, findings } = await probed('rest', { '/ucp': reply });
    expect([state, findings]).toEqual([expected, ids]);
  });

  it('is down without a connection or an answer', async () => {
    const reasons: readonly FailureReason[] = [
      'dns_nxdomain',
      'dns_timeout',
      'connect_refused',
      'connection_reset',
      'timeout',
    ];
    for (const reason of reasons) {
      expect((await probed('rest', { '/ucp': failure(reason) })).findings).toEqual(['endpoint_unreachable']);
    }
  });
});

describe('a wall in front of an endpoint of a UCP profile', () => {
  const walls = fc.constantFrom(
    status(403),
    json({ message: 'Forbidden' }, { status: 403 }),
    status(429, { headers: { 'retry-after': '60' } }),
    html('<title>Just a moment...</title>', { status: 403, headers: { 'cf-mitigated': 'challenge' } }),
    html('<title>Just a moment...</title>', { status: 503, headers: { 'cf-mitigated': 'challenge' } }),
    html('<!doctype html><title>Request Rejected</title><p>The requested URL was rejected. Support ID: 1</p>'),
  );

  it('is a fix of priority 1 for any transport', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('rest', 'mcp', 'a2a'), walls, fc.boolean(), async (transport, wall, isUsual) => {
        const rest = isUsual && wall.status === 403 ? wall : undefined;
        const { status: cell, findings, fixes } = await probed(transport, { '/ucp': wall, 'POST /ucp': wall }, rest);
        expect([wall, cell, findings]).toEqual([wall, 'present', ['endpoint_walled']]);
        expect(fixes).toMatchObject([{ id: 'ucp.wall', priority: 1, problem: expect.stringContaining(ENDPOINT) }]);
      }),
      { numRuns: 30 },
    );
  });
});

describe('the A2A endpoint of a UCP profile', () => {
  it.each<[string, Reply, readonly string[]]>([
    ['a card', json({ name: 'Shop' }), []],
    ['a page', html('<!doctype html><title>Agent</title>'), ['a2a_endpoint_not_a_card']],
    ['nothing', status(404), ['a2a_endpoint_not_a_card']],
    ['a login', status(401), []],
    ['a wish for a certificate', tls('client_certificate'), []],
    ['no connection', failure('connect_refused'), ['endpoint_unreachable']],
  ])('that answers %s', async (_, reply, expected) => {
    expect((await probed('a2a', { '/ucp': reply })).findings).toEqual(expected);
  });
});

describe('the MCP endpoint of a UCP profile', () => {
  const rpc = (members: object, more: Reply = {}) => json({ jsonrpc: '2.0', id: 1, ...members }, more);
  const ucpError = (code: string, message = 'UCP discovery failed') =>
    rpc({ error: { code: -32001, message, data: { code } } });

  it('is alive if it rejects a caller without a profile, which does not make it an MCP server', async () => {
    const code = fc.constantFrom(
      'invalid_profile_url',
      'profile_unreachable',
      'profile_malformed',
      'version_unsupported',
    );
    const http = fc.constantFrom(200, 400, 401, 422, 424);
    await fc.assert(
      fc.asyncProperty(code, http, async (reason, answered) => {
        const result = await probed('mcp', { 'POST /ucp': { ...ucpError(reason), status: answered } });
        expect(result).toMatchObject({ status: 'present', state: 'speaks', findings: [] });
        expect(result.mcp.status).toBe('absent');
      }),
      { numRuns: 20 },
    );
  });

  it('is also an MCP server if it supports the handshake', async () => {
    const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'shop', version: '1' } };
    const { state, mcp: cell } = await probed('mcp', { 'POST /ucp': rpc({ result }) });
    expect(state).toBe('speaks');
    expect(cell).toMatchObject({ status: 'present', version: '2025-11-25' });
    expect(cell.details).toMatchObject({ endpoint: ENDPOINT, shape: 'ucp_profile', foundVia: 'ucp' });
    const alone = await probeSite(
      { '/.well-known/ucp': profileWith('mcp'), 'POST /ucp': rpc({ result }) },
      status(404),
      [mcp],
    );
    expect(runDetector(mcp, alone).cell).toMatchObject({ status: 'present', details: { endpoint: ENDPOINT } });
  });

  it('is also an MCP server if it names its OAuth metadata', async () => {
    const challenge = { 'www-authenticate': 'Bearer resource_metadata="https://shop.example.com/meta"' };
    const { state, mcp: cell } = await probed('mcp', { 'POST /ucp': status(401, { headers: challenge }) });
    expect([state, cell.status, cell.details['auth']]).toEqual(['reachable', 'present', 'oauth']);
  });

  it.each<[string, Reply, string, readonly string[]]>([
    ['a bare 401', status(401), 'reachable', []],
    ['422 of another kind', json({ detail: 'meta' }, { status: 422 }), 'reachable', []],
    ['an error of any other kind', rpc({ error: { code: -32601, message: 'no such method' } }), 'speaks', []],
    ['502', status(502), 'unreachable', ['endpoint_unreachable']],
    ['no connection', failure('connect_refused'), 'unreachable', ['endpoint_unreachable']],
  ])('that answers %s is not an MCP server', async (_, reply, state, ids) => {
    const result = await probed('mcp', { 'POST /ucp': reply });
    expect([result.state, result.findings, result.mcp.status]).toEqual([state, ids, 'absent']);
  });

  it('only gets the handshake', async () => {
    const seen = await probeSite({ '/.well-known/ucp': profileWith('mcp') }, status(404), [ucp]);
    const sent = seen.exchanges
      .filter(({ url }) => url === ENDPOINT)
      .map(({ method, requestBody = '' }) => {
        return `${method} ${(JSON.parse(requestBody) as { method: string }).method}`;
      });
    expect(sent).toEqual(['POST server/discover', 'POST initialize']);
  });
});

describe('an MCP path that refuses like UCP', () => {
  it('is not an MCP server', async () => {
    const ucpError = json({ jsonrpc: '2.0', id: null, error: { code: -32001, message: 'UCP discovery failed' } });
    const seen = await probeSite({ '/.well-known/mcp': { ...ucpError, status: 400 } }, status(404), [mcp]);
    expect(runDetector(mcp, seen).cell.status).not.toBe('present');
  });
});
