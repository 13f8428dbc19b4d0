import fc from 'fast-check';
import { evidence, failure, html, json, plain, status, type Reply } from '../../../../../test/support/evidence';
import { probeSite } from '../../../../../test/support/site';
import type { ProbeRequest } from '../../evidence/exchange';
import { mcp } from '../mcp.detector';
import { nextWave } from '../../plan';
import { runDetector } from '../../run-detector';

const ENDPOINT = 'https://shop.example.com/mcp';

/** Answers the requests of the handshake by their JSON-RPC method (`stream` for the GET) until there are no more. */
function shakeHands(replies: Record<string, Reply>, endpoint = ENDPOINT, transport = 'streamable-http') {
  const known: Record<string, Reply> = { '/.well-known/mcp.json': json({ name: 'lamps', endpoint, transport }) };
  const asked: ProbeRequest[] = [];
  for (let wave = 0; wave < 4; wave += 1) {
    for (const request of nextWave([mcp], 'callability', evidence(known))) {
      const method = request.body ? (JSON.parse(request.body) as { method: string }).method : 'stream';
      asked.push(request);
      known[`${request.method} ${request.url}${request.body ? ` ${request.body}` : ''}`] = {
        phase: 'callability',
        ...(replies[method] ?? status(404)),
      };
    }
  }
  const { cell, fixes } = runDetector(mcp, evidence(known));
  const names = asked.map(({ body }) => (body ? (JSON.parse(body) as { method: string }).method : 'stream'));
  return {
    details: cell.details,
    status: cell.status,
    version: cell.version,
    fixes: fixes.map((f) => f.id),
    names,
    asked,
  };
}
const rpc = (value: object, more: Reply = {}) => json({ jsonrpc: '2.0', id: 'x', ...value }, more);

describe('mcp handshake', () => {
  it('tries the stateless generation first and accepts its answer', () => {
    const { details, status, version, names, asked, fixes } = shakeHands({
      'server/discover': rpc({
        result: {
          supportedVersions: ['2026-07-28'],
          _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'lamp-server', version: '1' } },
        },
      }),
    });
    expect({ status, version, names, fixes }).toEqual({
      status: 'present',
      version: '2026-07-28',
      names: ['server/discover'],
      fixes: [],
    });
    expect(details).toMatchObject({ endpointStatus: 200, protocolVersions: ['2026-07-28'], name: 'lamps' });
    expect(asked[0]?.headers).toMatchObject({ 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'server/discover' });
    expect((details['evidence'] as { method: string }[]).map(({ method }) => method)).toEqual(['GET', 'POST']);
  });

  it('reads the versions in the error of a server of another release', () => {
    const { details, names } = shakeHands({
      'server/discover': rpc(
        { error: { code: -32022, data: { supported: ['2026-12-01', '2026-07-28'] } } },
        { status: 400 },
      ),
    });
    expect(names).toEqual(['server/discover']);
    expect(details).toMatchObject({ protocolVersions: ['2026-12-01', '2026-07-28'], endpointStatus: 400 });
    expect(details).not.toHaveProperty('findings');
  });

  it('falls back to initialize, answered as JSON or as the first event of a stream', () => {
    const result = { protocolVersion: '2025-06-18', serverInfo: { name: 'lamps', version: '1' }, capabilities: {} };
    const message = JSON.stringify({ jsonrpc: '2.0', id: 'initialize', result });
    const stream = plain(`: hi\n\nevent: message\ndata: ${message}\n\n`, {
      headers: { 'content-type': 'text/event-stream' },
      truncated: true,
    });
    for (const initialize of [json(message), stream]) {
      const { details, names, version } = shakeHands({
        'server/discover': rpc({ error: { code: -32601, message: 'Method not found' } }),
        initialize,
      });
      expect(names).toEqual(['server/discover', 'initialize']);
      expect({ version, findings: details['findings'] }).toEqual({ version: '2025-06-18', findings: undefined });
    }
  });

  it('recognizes the oldest transport by its endpoint event', () => {
    const stream = plain('event: endpoint\ndata: /messages\n\n', { headers: { 'content-type': 'text/event-stream' } });
    expect(shakeHands({ stream }).names).toEqual(['server/discover', 'initialize', 'stream']);
    const declared = shakeHands({ stream }, ENDPOINT, 'sse');
    expect(declared.names).toEqual(['stream']);
    expect(declared.details).toMatchObject({ endpointStatus: 200, findings: [{ id: 'legacy_transport' }] });
  });

  it.each([
    ['402', status(402), { endpointStatus: 402 }],
    ['429', status(429), { endpointStatus: 429 }],
    ['403', status(403), { endpointStatus: 403 }],
    ['a bot wall', html('', { status: 403, headers: { 'cf-mitigated': 'challenge' } }), { endpointStatus: 403 }],
  ])('stops at %s without reporting the endpoint as dead', (_, discover, expected) => {
    const { details, names, fixes } = shakeHands({ 'server/discover': discover });
    expect(names).toEqual(['server/discover']);
    expect(details).toMatchObject(expected);
    expect(details).not.toHaveProperty('findings');
    expect(fixes).toEqual([]);
  });

  it.each([
    ['404 to everything', {}, 3, { endpointStatus: 404 }],
    [
      'HTML to everything',
      { 'server/discover': html(), initialize: html(), stream: html() },
      3,
      { endpointStatus: 200 },
    ],
    [
      'JSON that is not JSON-RPC',
      { 'server/discover': json({}), initialize: json({ ok: true }), stream: json([]) },
      3,
      {},
    ],
    ['500', { 'server/discover': status(500) }, 1, { endpointStatus: 500 }],
    [
      'a refused connection',
      { 'server/discover': failure('connect_refused') },
      1,
      { endpointFailure: 'connect_refused' },
    ],
  ])('reports an endpoint that answers %s as unreachable, with a fix', (_, replies, requests, expected) => {
    const { details, status, names, fixes } = shakeHands(replies);
    expect(status).toBe('present');
    expect(names).toHaveLength(requests);
    expect(details).toMatchObject({ ...expected, findings: [{ id: 'endpoint_unreachable', at: ENDPOINT }] });
    expect(fixes).toEqual(['mcp.unreachable']);
  });

  it('makes no request to another site or to a template', () => {
    expect(shakeHands({}, 'https://mcp.example.net/mcp').names).toEqual([]);
    expect(shakeHands({}, 'https://shop.example.com/{tenant}/mcp').names).toEqual([]);
  });

  it('never calls a tool and never sends credentials', () => {
    const { asked } = shakeHands({});
    expect(asked.map(({ body }) => body ?? '').join('')).not.toMatch(/tools\/|prompts\/|resources\//);
    const headers = asked.flatMap((request) => Object.keys(request.headers ?? {}).map((name) => name.toLowerCase()));
    expect([...new Set(headers)].sort()).toEqual(['content-type', 'mcp-method', 'mcp-protocol-version']);
  });
});

describe('an MCP endpoint that redirects a POST', () => {
  const server = rpc({
    result: { supportedVersions: ['2026-07-28'], capabilities: {}, serverInfo: { name: 'lamps' } },
  });
  const shaken = async (moved: Reply, at: string) => {
    const seen = await probeSite({
      '/.well-known/mcp.json': json({ name: 'lamps', endpoint: '/mcp', transport: 'streamable-http' }),
      'POST /mcp': moved,
      [`POST ${at}`]: server,
    });
    const { cell } = runDetector(mcp, seen);
    const posts = seen.exchanges.filter(({ method }) => method === 'POST').map(({ url }) => url);
    return { cell, posts };
  };
  const statuses = fc.constantFrom(301, 302, 303, 307, 308);
  const locations = fc.constantFrom(
    ['/mcp/', '/mcp/', true],
    ['mcp/', '/mcp/', true],
    ['https://shop.example.com/mcp/?v=1', '/mcp/?v=1', true],
    ['https://mcp.example.com/', 'https://mcp.example.com/', true],
    ['/mcp', '/mcp', false],
    ['http://shop.example.com/mcp/', 'http://shop.example.com/mcp/', false],
    ['https://mcp.example.net/', 'https://mcp.example.net/', false],
  ) as fc.Arbitrary<readonly [location: string, at: string, within: boolean]>;

  it('is followed within its site, with 307 and 308 or if only the trailing slash differs', async () => {
    await fc.assert(
      fc.asyncProperty(statuses, locations, async (code, [location, at, within]) => {
        const { cell, posts } = await shaken(status(code, { headers: { location } }), at);
        const follows = within && (code === 307 || code === 308 || at.startsWith('/mcp/'));
        const target = new URL(at, 'https://shop.example.com').href;
        expect(posts.filter((url) => url === target && at !== '/mcp')).toHaveLength(follows ? 1 : 0);
        if (follows)
          expect(cell).toMatchObject({ status: 'present', version: '2026-07-28', details: { endpointStatus: 200 } });
      }),
    );
  });
});
