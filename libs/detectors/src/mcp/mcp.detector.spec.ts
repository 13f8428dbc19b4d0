import { evidence, json, plain, status, type Reply } from '../../../../test/support/evidence';
import { mcp } from './mcp.detector';
import { nextWave } from '../plan';
import { runDetector } from '../run-detector';

const ORIGIN = 'https://shop.example.com';
const MCP_JSON = '/.well-known/mcp.json';
const MCP = '/.well-known/mcp';
const CARD = '/.well-known/mcp/server-card.json';
const CATALOGUE = '/.well-known/ai-catalog.json';
const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json';
const card = (url = `${ORIGIN}/mcp`, more = {}) => ({
  $schema: SCHEMA,
  name: 'com.example.shop/lamps',
  title: 'Lamps',
  version: '1.0.0',
  description: 'Search lamps.',
  remotes: [{ type: 'streamable-http', url, supportedProtocolVersions: ['2025-11-25', '2026-07-28'] }],
  ...more,
});
const ARD = '/.well-known/ard.json';
const missing = {
  [MCP_JSON]: status(404),
  [CARD]: status(404),
  [ARD]: status(404),
  [CATALOGUE]: status(404),
};
const probe = (replies: Record<string, Reply>, rest?: Reply) =>
  runDetector(mcp, evidence({ ...missing, ...replies }, rest));
const ids = ({ cell }: ReturnType<typeof probe>) =>
  ((cell.details['findings'] ?? []) as { id: string }[]).map((finding) => finding.id);
const urls = (replies: Record<string, Reply>, rest?: Reply) =>
  nextWave([mcp], 'presence', evidence({ ...missing, ...replies }, rest)).map(({ url }) => url.replace(ORIGIN, ''));

describe('mcp documents', () => {
  it('reads a server card of the current draft', () => {
    const result = probe({ [CARD]: json(card()) });
    expect(result.cell).toMatchObject({ status: 'present', version: '2026-07-28' });
    expect(result.cell.details).toMatchObject({
      name: 'Lamps',
      endpoint: `${ORIGIN}/mcp`,
      keys: ['$schema', 'name', 'title', 'version', 'description', 'remotes'],
      transport: 'streamable-http',
      path: CARD,
      shape: 'server_card',
      serverCount: 1,
      protocolVersions: ['2026-07-28', '2025-11-25'],
    });
    expect(ids(result)).toEqual([]);
    expect(result.fixes).toEqual([]);
  });

  it('resolves a relative endpoint and reads its version', () => {
    const { cell } = probe({
      [MCP_JSON]: json({ name: 'lamps', protocolVersion: '2024-11-05', endpoint: '/api/mcp' }),
    });
    expect(cell).toMatchObject({
      status: 'present',
      version: '2024-11-05',
      details: { endpoint: `${ORIGIN}/api/mcp`, shape: 'flat', path: MCP_JSON },
    });
  });

  it('reports the path of the first specification if several documents have an endpoint, and their disagreement', () => {
    const result = probe({ [CARD]: json(card(`${ORIGIN}/mcp/core`)), [MCP_JSON]: json({ endpoint: '/mcp' }) });
    expect(result.cell.details).toMatchObject({ endpoint: `${ORIGIN}/mcp`, path: MCP_JSON, name: 'Lamps' });
    expect(ids(result)).toEqual(['endpoints_disagree']);
  });

  it('prefers a URL without variables to a template, which cannot be called', () => {
    const remotes = [
      { type: 'streamable-http', url: `${ORIGIN}/{tenant}/mcp` },
      { type: 'sse', url: `${ORIGIN}/sse` },
    ];
    expect(probe({ [CARD]: json(card('', { remotes })) }).cell.details).toMatchObject({
      endpoint: `${ORIGIN}/sse`,
      transport: 'sse',
    });
    const result = probe({ [CARD]: json(card('', { remotes: remotes.slice(0, 1) })) });
    expect(ids(result)).toEqual(['endpoint_template']);
  });

  it('reads the endpoint from the start of an oversized card, and is inconclusive without one', () => {
    const whole = JSON.stringify({ ...card(), tools: [{ name: 'find' }] });
    const cut = (text: string) => probe({ [CARD]: json(text, { truncated: true }) }).cell;
    expect(cut(whole.slice(0, -9))).toMatchObject({
      status: 'present',
      details: { endpoint: `${ORIGIN}/mcp`, name: 'Lamps', truncated: true },
    });
    expect(cut(whole.slice(0, whole.indexOf('remotes')))).toMatchObject({
      status: 'error',
      details: { reason: 'too_large' },
    });
    expect(probe({ [CARD]: json(card()) }).cell.details).not.toHaveProperty('truncated');
  });

  it('prefers a document with an endpoint to one without', () => {
    const { cell } = probe({ [MCP_JSON]: json({ serverInfo: { name: 'lamps' }, tools: [] }), [CARD]: json(card()) });
    expect(cell).toMatchObject({ status: 'present', details: { path: CARD } });
  });

  it('accepts an endpoint of another host and reports if it cannot be called from outside', () => {
    const at = (endpoint: string) => probe({ [MCP_JSON]: json({ name: 'lamps', endpoint }) });
    expect(at('https://mcp.example.net/sse').cell.status).toBe('present');
    expect(ids(at('http://shop.example.com/mcp'))).toEqual(['endpoint_not_https']);
    expect(ids(at('https://shop.example.com/{tenant}/mcp'))).toEqual(['endpoint_template']);
    expect(at('http://localhost:3000/mcp').cell).toMatchObject({ status: 'partial', details: { note: 'local_url' } });
    expect(at('{{ENDPOINT}}').cell).toMatchObject({ status: 'partial', details: { note: 'placeholder_url' } });
    expect(at('https://DOMAIN.com/mcp').cell).toMatchObject({
      status: 'partial',
      details: { note: 'placeholder_url' },
    });
    expect(at('stdio://lamps').cell).toMatchObject({ status: 'partial', details: { note: 'not_a_url' } });
  });

  it.each([
    ['no_endpoint', { serverInfo: { name: 'lamps' }, authentication: { required: true }, tools: [] }],
    ['no_endpoint', card(undefined, { remotes: [] })],
    ['stdio_only', { serverInfo: { name: 'lamps' }, transport: { type: 'stdio', endpoint: '/mcp' } }],
    ['local_packages_only', { name: 'com.example/lamps', packages: [{ registryType: 'npm' }] }],
    ['no_mcp_member', { name: 'Lamp API', endpoints: { api: '/api', health: '/health' } }],
    ['no_mcp_member', { error: 'not found' }],
    ['not_an_object', [card()]],
  ])('reports a document as partial: %s', (note, document) => {
    const { cell, fixes } = probe({ [CARD]: json(document) });
    expect(cell).toMatchObject({ status: 'partial', details: { note, path: CARD } });
    expect(fixes.map((fix) => fix.id)).toEqual(['mcp.partial']);
    expect(fixes[0]?.problem).toContain(CARD);
  });

  it('is absent if there is nothing, with every deciding request', () => {
    const { cell, fixes } = probe({ [MCP]: status(404) });
    expect(cell.status).toBe('absent');
    expect((cell.details['evidence'] as unknown[]).length).toBe(5);
    expect(fixes.map((fix) => fix.id)).toEqual(['mcp.missing']);
    expect(fixes[0]?.fix).toContain('"remotes"');
  });

  it('notes departures from the card schema without changing the status', () => {
    const document = card(undefined, {
      $schema: 'https://static.modelcontextprotocol.io/schemas/2025-11-25/server-card.schema.json',
      name: 'lamps',
      version: 1,
      description: 'x'.repeat(101),
    });
    const result = probe({ [CARD]: json(document) });
    expect(result.cell.status).toBe('present');
    expect(ids(result)).toEqual(['schema_unknown', 'name_not_namespaced', 'version_missing', 'description_too_long']);
    const bare = { name: 'com.example/lamps', version: '1.0.0' };
    expect(ids(probe({ [CARD]: json(bare) }))).toEqual(['schema_missing', 'description_missing']);
  });
});

describe('mcp catalog', () => {
  const entry = (more: object) => ({ identifier: 'urn:air:x', type: 'application/mcp-server-card+json', ...more });
  const catalogue = (...entries: object[]) => json({ specVersion: '1.0', entries });
  const linked = `${ORIGIN}/lamps/server-card`;

  it('follows the cards of the same site, and reads them', () => {
    const listed = { [CATALOGUE]: catalogue(entry({ url: linked }), entry({ url: 'https://other.example.net/card' })) };
    expect(urls(listed)).toEqual(['/lamps/server-card', MCP]);
    const { cell } = probe({ ...listed, [linked]: json(card()) });
    expect(cell).toMatchObject({ status: 'present', details: { path: '/lamps/server-card', serverCount: 2 } });
  });

  it('reads an inline card, also with the field name of April 2026', () => {
    const inline = { mediaType: 'application/mcp-server-card+json', data: card() };
    expect(probe({ [CATALOGUE]: catalogue(inline) }).cell).toMatchObject({
      status: 'present',
      details: { path: CATALOGUE, shape: 'server_card' },
    });
  });

  it('is partial if it lists servers whose cards cannot be read', () => {
    const { cell, fixes } = probe({ [CATALOGUE]: catalogue(entry({ url: 'https://other.example.net/card' })) });
    expect(cell).toMatchObject({ status: 'partial', details: { note: 'card_unread', serverCount: 1 } });
    expect(fixes.map((fix) => fix.id)).toEqual(['mcp.partial']);
  });

  it('says nothing about MCP if it only lists other things', () => {
    const { cell } = probe({
      [CATALOGUE]: catalogue({ type: 'application/a2a-agent-card+json', url: '/card' }),
      [MCP]: status(404),
    });
    expect(cell.status).toBe('absent');
  });
});

describe('mcp paths', () => {
  it('requests the second path of the specification after a miss, then the default card, and the card below a known endpoint', () => {
    expect(urls({})).toEqual([MCP]);
    expect(urls({ [MCP]: status(404) })).toEqual([
      '/mcp/server-card',
      '/.well-known/mcp/catalog.json',
      '/.well-known/ucp',
    ]);
    expect(urls({ [MCP_JSON]: json({ endpoint: '/mcp' }) })).toEqual(['/mcp/server-card']);
    expect(urls({ [MCP_JSON]: status(429), [CARD]: status(429) })).toEqual([]);
  });

  it.each([
    ['405', status(405, { headers: { allow: 'POST, OPTIONS' } }), 'streamable-http'],
    ['405 without Allow', status(405), 'streamable-http'],
    [
      '406 that wants a stream',
      json({ message: 'Accept must contain text/event-stream' }, { status: 406 }),
      'streamable-http',
    ],
    [
      'a JSON-RPC error',
      json({ jsonrpc: '2.0', error: { code: -32600, message: 'x' }, id: null }, { status: 400 }),
      'streamable-http',
    ],
    [
      'a JSON-RPC error on 404',
      json({ jsonrpc: '2.0', error: { code: -32001 }, id: null }, { status: 404 }),
      'streamable-http',
    ],
    [
      'an event stream',
      plain('event: endpoint\ndata: /messages?s=1\n\n', { headers: { 'content-type': 'text/event-stream' } }),
      'sse',
    ],
    [
      'a stream without a message',
      plain(': hello\n', { headers: { 'content-type': 'text/event-stream' } }),
      'streamable-http',
    ],
  ])('treats a path that answers with %s as the endpoint itself', (_, reply, transport) => {
    for (const path of [MCP_JSON, MCP]) {
      const { cell } = probe({ [path]: reply });
      const details = { endpoint: ORIGIN + path, shape: 'endpoint_path', path, transport };
      expect(cell).toMatchObject({ status: 'present', details });
    }
  });

  it('says nothing about credentials if a GET was refused', () => {
    expect(probe({ [MCP]: status(405) }).cell.details).not.toHaveProperty('authRequired');
  });

  it('treats a 401 with OAuth metadata as a protected endpoint, and a plain one as a wall', () => {
    const header = 'Bearer resource_metadata="https://shop.example.com/.well-known/oauth-protected-resource"';
    const { cell } = probe({ [MCP]: status(401, { headers: { 'www-authenticate': header } }) });
    expect(cell).toMatchObject({ status: 'present', details: { authRequired: true } });
    expect(probe({ [MCP]: status(401) }).cell.status).toBe('error');
  });

  it('finds no endpoint if every path or a POST gets the same error response', () => {
    const refused = { status: 'error', details: { reason: 'refused', statusCode: 405 } };
    expect(probe({ [MCP_JSON]: status(405), [MCP]: status(405) }, status(405)).cell).toMatchObject(refused);
    expect(probe({ [MCP]: status(405, { headers: { allow: 'GET' } }) }).cell).toMatchObject(refused);
    expect(probe({ '/mcp/server-card': status(405) }).cell).toMatchObject(refused);
    // A router may handle the extension of the control path, but not the bare name.
    expect(probe({ [MCP]: status(405), '/.well-known/x402': status(405) }).cell).toMatchObject(refused);
  });
});
