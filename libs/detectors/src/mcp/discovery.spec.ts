import fc from 'fast-check';
import { json, status } from '../../../../test/support/evidence';
import { probeSite, type Replies } from '../../../../test/support/site';
import { mcp } from './mcp.detector';
import { runDetector } from '../run-detector';

const ORIGIN = 'https://shop.example.com';
const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json';
const CARD = '/.well-known/mcp/server-card.json';
const MCP_JSON = '/.well-known/mcp.json';

const segment = fc.stringMatching(/^[a-z][a-z0-9]{0,6}$/);
const path = fc
  .array(segment, { minLength: 1, maxLength: 3 })
  .map((segments) => segments.map((one) => `/${one}`).join(''));

/** A card of SEP-2127 with any subset of the optional fields, and with unknown fields. */
const cardAt = (endpoint: string) =>
  fc
    .tuple(
      fc.record(
        {
          $schema: fc.constant(SCHEMA),
          name: fc.tuple(segment, segment).map(([who, what]) => `com.${who}/${what}`),
          version: fc.constantFrom('1.0.0', '2026.11', '0.1.0-beta'),
          description: fc.stringMatching(/^[A-Z][a-z ]{1,98}$/),
          remotes: fc
            .record(
              {
                type: fc.constantFrom('streamable-http', 'sse'),
                url: fc.constant(endpoint),
                headers: fc.constant([]),
                supportedProtocolVersions: fc.subarray(['2026-07-28', '2025-11-25']),
              },
              { requiredKeys: ['type', 'url'] },
            )
            .map((remote) => [remote]),
          title: segment,
          websiteUrl: fc.constant(`${ORIGIN}/docs`),
          icons: fc.constant([]),
          repository: fc.constant({ url: 'https://git.example.net/lamps', source: 'git' }),
          _meta: fc.dictionary(segment, fc.jsonValue({ maxDepth: 1 }), { maxKeys: 2 }),
        },
        { requiredKeys: ['$schema', 'name', 'version', 'description', 'remotes'] },
      ),
      fc.dictionary(fc.stringMatching(/^x-[a-z]{1,6}$/), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 2 }),
    )
    .map(([known, unknown]) => ({ ...unknown, ...known }));

const rpc = json({
  jsonrpc: '2.0',
  id: 1,
  result: { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'lamps', version: '1' } },
});

async function probed(replies: Replies) {
  const seen = await probeSite(replies, status(404), [mcp]);
  const { cell } = runDetector(mcp, seen);
  const findings = ((cell.details['findings'] ?? []) as { id: string }[]).map(({ id }) => id);
  return { cell, findings, asked: seen.exchanges.map(({ url }) => url.replace(ORIGIN, '')) };
}

describe('a server card of SEP-2127', () => {
  it('is present without a finding, with any optional fields and at any path', async () => {
    const place = fc.constantFrom(CARD, MCP_JSON, '/.well-known/mcp', '/mcp/server-card');
    await fc.assert(
      fc.asyncProperty(cardAt(`${ORIGIN}/mcp`), place, async (card, at) => {
        const { cell, findings } = await probed({ [at]: json(card), 'POST /mcp': rpc });
        expect([cell.status, cell.details['endpoint'], findings.filter((id) => id !== 'legacy_transport')]).toEqual([
          'present',
          `${ORIGIN}/mcp`,
          [],
        ]);
      }),
      { numRuns: 40 },
    );
  });

  it('with a dated schema, which does not exist, is present with a finding', async () => {
    const dated = fc.constantFrom('2025-11-25', '2026-06-18', 'draft').map((day) => SCHEMA.replace('v1', day));
    await fc.assert(
      fc.asyncProperty(cardAt(`${ORIGIN}/mcp`), dated, async (card, $schema) => {
        const { cell, findings } = await probed({ [CARD]: json({ ...card, $schema }), 'POST /mcp': rpc });
        expect(cell.status).toBe('present');
        expect(findings).toContain('schema_unknown');
      }),
      { numRuns: 15 },
    );
  });

  it('without a remote server is not present', async () => {
    await fc.assert(
      fc.asyncProperty(cardAt(`${ORIGIN}/mcp`), fc.constantFrom([], undefined), async (card, remotes) => {
        expect((await probed({ [CARD]: json({ ...card, remotes }) })).cell.status).toBe('partial');
      }),
      { numRuns: 15 },
    );
  });

  it('is requested below an endpoint from another document, without its query, fragment and trailing slash', async () => {
    const ending = fc.constantFrom('', '/', '?a=1', '/?a=1', '#top', '/?a=1#top');
    await fc.assert(
      fc.asyncProperty(path, ending, cardAt(`${ORIGIN}/x`), async (at, end, card) => {
        const endpoint = `${ORIGIN}${at}${end}`;
        const own = json({ ...card, remotes: [{ type: 'streamable-http', url: endpoint }], title: 'Below' });
        const { cell, asked } = await probed({ [MCP_JSON]: json({ endpoint }), [`${at}/server-card`]: own });
        expect(asked).toContain(`${at}/server-card`);
        expect(cell).toMatchObject({ status: 'present', details: { path: MCP_JSON, name: 'Below' } });
      }),
      { numRuns: 30 },
    );
  });

  it('is not requested on another site or below a template', async () => {
    for (const endpoint of ['https://other.example.net/api', `${ORIGIN}/{tenant}/api`]) {
      const { asked } = await probed({ [MCP_JSON]: json({ endpoint, protocolVersion: '2025-11-25' }) });
      expect(asked.filter((url) => url.endsWith('/server-card') && url !== '/mcp/server-card')).toEqual([]);
    }
  });
});

describe('an endpoint inside an object', () => {
  const address = fc.constantFrom('url', 'uri', 'href', 'endpoint', 'mcpUrl', 'server_url');
  const one = fc.constantFrom(
    'endpoint',
    'server',
    'mcp',
    'mcpServer',
    'mcp_server',
    'remote',
    'connection',
    'transport',
  );
  const several = fc.constantFrom('servers', 'remotes', 'connections', 'mcp_servers');
  const around = fc.oneof(
    one.map((name) => [name]),
    fc.tuple(one, one),
    fc.tuple(one, fc.constantFrom('http', 'streamable_http', 'streamableHttp')),
    fc.tuple(several, fc.constantFrom('lamps', 'my-server')),
    fc.tuple(several, fc.constant(0)),
  );
  const more = fc.record(
    {
      name: fc.constant('Lamps'),
      url: fc.constant(`${ORIGIN}/`),
      documentation: fc.constant({ main: `${ORIGIN}/docs`, url: `${ORIGIN}/docs` }),
      provider: fc.constant({ url: 'https://vendor.example.net' }),
      tools: fc.constant([{ name: 'search', endpoint: `${ORIGIN}/api/search` }]),
    },
    { requiredKeys: [] },
  );
  const within = (holders: readonly (string | number)[], inner: object) =>
    holders.toReversed().reduce<unknown>((held, name) => (name === 0 ? [held] : { [name]: held }), inner) as object;

  it('is found at most two levels deep, next to any other fields', async () => {
    await fc.assert(
      fc.asyncProperty(around, address, fc.boolean(), more, async (holders, name, absolute, rest) => {
        const stated = absolute ? `${ORIGIN}/agent/mcp` : '/agent/mcp';
        const document = { ...rest, ...within(holders, { [name]: stated, transport: 'https' }) };
        const { cell } = await probed({ [MCP_JSON]: json(document), 'POST /agent/mcp': rpc });
        expect([document, cell.status, cell.details['endpoint']]).toEqual([document, 'present', `${ORIGIN}/agent/mcp`]);
      }),
      { numRuns: 120 },
    );
  });

  it('on another site counts if it is marked as remote or has a transport', async () => {
    const stated = { url: 'https://vendor.example.net/mcp' };
    await fc.assert(
      fc.asyncProperty(one, fc.boolean(), async (name, typed) => {
        const document = { name: 'Lamps', tools: [], [name]: typed ? { ...stated, type: 'streamable-http' } : stated };
        const { cell } = await probed({ [MCP_JSON]: json(document) });
        expect([name, cell.status]).toEqual([name, typed || name === 'remote' ? 'present' : 'partial']);
      }),
      { numRuns: 30 },
    );
  });

  it('is not recognized under an unrelated name or three levels deep', async () => {
    const other = fc.constantFrom('docs', 'oauth', 'repository', 'configuration', 'examples', 'a2a', 'api', 'icons');
    await fc.assert(
      fc.asyncProperty(other, one, address, async (name, inner, key) => {
        const held = { [inner]: { [key]: `${ORIGIN}/agent/mcp` } };
        for (const document of [{ [name]: held }, { server: { connection: held } }]) {
          const { cell } = await probed({ [MCP_JSON]: json({ tools: [], ...document }) });
          expect([document, cell.status]).toEqual([document, 'partial']);
        }
      }),
      { numRuns: 30 },
    );
  });
});

describe('the list of servers of June 2026', () => {
  const CATALOGUE = '/.well-known/mcp/catalog.json';
  const listing = (url: string) => {
    const entry = { identifier: 'urn:mcp:server:com.example.shop/lamps', displayName: 'Lamps' };
    return json({ specVersion: 'draft', entries: [{ ...entry, mediaType: 'application/mcp-server+json', url }] });
  };

  it('leads to the cards of the same site, and is partial if none can be read', async () => {
    await fc.assert(
      fc.asyncProperty(path, cardAt(`${ORIGIN}/mcp`), async (at, card) => {
        const listed = { [CATALOGUE]: listing(`${ORIGIN}${at}/card.json`) };
        const { cell } = await probed({ ...listed, [`${at}/card.json`]: json(card), 'POST /mcp': rpc });
        expect(cell).toMatchObject({ status: 'present', details: { endpoint: `${ORIGIN}/mcp` } });
        expect((await probed(listed)).cell).toMatchObject({ status: 'partial', details: { note: 'card_unread' } });
      }),
      { numRuns: 15 },
    );
    const beyond = await probed({ [CATALOGUE]: listing('https://other.example.net/card.json') });
    expect([beyond.cell.status, beyond.asked.some((url) => url.includes('other'))]).toEqual(['partial', false]);
  });
});

describe('a server.json of the registry', () => {
  const server = {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: 'com.example.shop/lamps',
    description: 'Lamps.',
    version: '1.0.0',
  };
  const packages = [{ registryType: 'npm', identifier: '@shop/lamps', transport: { type: 'stdio' } }];

  it.each([
    [
      'with a remote server names its endpoint',
      { remotes: [{ type: 'streamable-http', url: `${ORIGIN}/mcp` }] },
      'present',
    ],
    ['with both', { packages, remotes: [{ type: 'sse', url: `${ORIGIN}/mcp` }] }, 'present'],
    ['with packages alone is partial', { packages }, 'partial'],
    ['with no endpoint is partial', {}, 'partial'],
  ])('%s', async (_, more, expected) => {
    const { cell } = await probed({ [MCP_JSON]: json({ ...server, ...more }), 'POST /mcp': rpc });
    expect(cell.status).toBe(expected);
    expect(cell.details['shape']).toBe('registry_server');
  });
});
