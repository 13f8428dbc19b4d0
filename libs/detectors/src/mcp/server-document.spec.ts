import fc from 'fast-check';
import { readServerDocument } from './server-document';

const URL_A = 'https://shop.example.com/mcp';
const URL_B = 'https://shop.example.com/sse';

describe('limits of a server document', () => {
  it('keeps twenty endpoints, the best transports first, and counts every server', () => {
    const servers = Array.from({ length: 500 }, (_, i) => ({
      url: `https://shop.example.com/${i}`,
      transport: i === 100 ? 'streamable-http' : 'sse',
    }));
    const document = readServerDocument({ servers });
    expect(document?.endpoints).toHaveLength(20);
    expect(document?.endpoints[0]?.url).toBe('https://shop.example.com/100');
    expect(document?.serverCount).toBe(500);
  });

  it('ignores a URL that is longer than clients accept', () => {
    const url = `https://shop.example.com/${'a'.repeat(2_048)}`;
    expect(readServerDocument({ name: 'lamps', protocol: 'mcp', endpoint: url })).toMatchObject({
      note: 'no_endpoint',
      endpoints: [],
    });
  });
});

describe('a listed server', () => {
  const inAllSpellings = (words: string) => [
    words,
    words.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
  ];

  it('is found with every spelling of its URL and card, alone or among other fields', () => {
    const address = fc.constantFrom(
      'url',
      'endpoint',
      ...['mcp_url', 'server_url', 'mcp_endpoint'].flatMap(inAllSpellings),
    );
    const card = fc.constantFrom('card', ...['card_url', 'server_card', 'server_card_url'].flatMap(inAllSpellings));
    const more = fc.dictionary(fc.constantFrom('id', 'description', 'status', 'docs'), fc.string(), { maxKeys: 3 });
    fc.assert(
      fc.property(address, card, more, fc.nat(3), (url, link, rest, before) => {
        const server = { ...rest, name: 'lamps', [url]: URL_A, [link]: '/mcp/card.json' };
        const servers = [...Array.from({ length: before }, () => ({ name: 'local', transport: 'stdio' })), server];
        expect(readServerDocument({ servers })?.endpoints).toMatchObject([{ url: URL_A, card: '/mcp/card.json' }]);
      }),
    );
  });
});

describe('readServerDocument', () => {
  it.each([
    [
      'server_card',
      { $schema: 'https://x/server-card.schema.json', remotes: [{ type: 'streamable-http', url: URL_A }] },
    ],
    [
      'registry_server',
      { name: 'com.example/lamps', packages: [], remotes: [{ type: 'streamable-http', url: URL_A }] },
    ],
    ['sep_1649_card', { serverInfo: { name: 'lamps' }, transport: { type: 'streamableHttp', endpoint: URL_A } }],
    ['sep_1960', { mcp_version: '2025-06-18', server_name: 'lamps', endpoints: { streamable_http: URL_A } }],
    ['endpoints_list', { name: 'lamps', endpoints: [{ type: 'streamable-http', url: URL_A }] }],
    ['transports_map', { name: 'lamps', transports: { streamable_http: { url: URL_A }, stdio: { command: 'node' } } }],
    ['servers_list', { servers: [{ name: 'lamps', transport: 'streamable-http', url: URL_A }] }],
    ['client_config', { mcpServers: { lamps: { type: 'http', url: URL_A } } }],
    ['flat', { name: 'lamps', transport: 'streamable-http', url: URL_A }],
    ['flat', { name: 'lamps', transport: 'http', serverUrl: URL_A }],
    ['flat', { name: 'lamps', type: 'streamable-http', mcp_endpoint: URL_A }],
  ])('finds the endpoint of a %s', (shape, document) => {
    const read = readServerDocument(document);
    expect(read).toMatchObject({ shape, endpoints: [{ url: URL_A, transport: 'streamable-http' }], serverCount: 1 });
    expect(read).not.toHaveProperty('note');
  });

  it.each([
    ['serverInfo', { serverInfo: { name: 'lamps', title: 'Lamps' }, name: 'x' }, 'Lamps'],
    ['title', { title: 'Lamps', name: 'com.example/lamps', endpoint: '/mcp' }, 'Lamps'],
    ['server_name', { server_name: 'Lamps', endpoint: '/mcp' }, 'Lamps'],
    ['the first server', { servers: [{ name: 'Lamps', url: URL_A }] }, 'Lamps'],
    ['the key of the configuration', { mcpServers: { Lamps: { url: URL_A } } }, 'Lamps'],
  ])('reads the name from %s', (_, document, name) => {
    expect(readServerDocument(document)).toMatchObject({ name });
  });

  it('prefers streamable HTTP to SSE to an unstated transport, and never lists a local one', () => {
    const document = {
      endpoint: 'https://shop.example.com/any',
      transports: { stdio: { url: 'https://shop.example.com/local' }, sse: { url: URL_B }, 'streamable-http': URL_A },
    };
    const urls = readServerDocument(document)?.endpoints.map(({ url }) => url);
    expect(urls).toEqual([URL_A, URL_B, 'https://shop.example.com/any']);
  });

  it('fills in variables with defaults and keeps the others', () => {
    const remote = {
      type: 'sse',
      url: 'https://{region}.example.com/{tenant}',
      variables: { region: { default: 'eu' } },
    };
    expect(readServerDocument({ remotes: [remote] })?.endpoints[0]?.url).toBe('https://eu.example.com/{tenant}');
  });

  it('ignores URLs of a site, a provider, an agent, an API or a tool', () => {
    const document = {
      serverInfo: { name: 'lamps', url: 'https://shop.example.com' },
      url: 'https://shop.example.com/',
      provider: { url: 'https://example.com' },
      agent_protocols: { a2a: { endpoint: '/api/a2a' } },
      documentationUrl: 'https://shop.example.com/docs',
      endpoints: { api: '/api', health: '/health' },
      cursor_config_example: { mcpServers: { lamps: { url: URL_A } } },
      items: [{ endpoint: '/tool' }],
    };
    expect(readServerDocument(document)).toMatchObject({ shape: 'static_card', endpoints: [], note: 'no_endpoint' });
  });

  it.each([
    ['nothing', {}],
    ['an error', { error: { code: 404 } }],
    ['an API description', { name: 'API', endpoints: { api: '/api' } }],
    ['a site with a url', { name: 'Shop', url: 'https://shop.example.com' }],
    ['text', 'mcp'],
    ['null', null],
  ])('finds no server in %s', (_, document) => {
    expect(readServerDocument(document)).toBeUndefined();
  });

  it('reads release dates as protocol versions, newest first, and nothing else', () => {
    const document = {
      endpoint: '/mcp',
      mcpVersion: '1.0',
      protocolVersion: '2024-11-05',
      supportedProtocolVersions: ['2025-06-18', '2024-11-05', 3],
    };
    expect(readServerDocument(document)?.protocolVersions).toEqual(['2025-06-18', '2024-11-05']);
  });

  it('counts the servers of a list and says whether they require credentials', () => {
    const document = { servers: [{ url: URL_A }, { url: URL_B }], authentication: { required: false } };
    expect(readServerDocument(document)).toMatchObject({ serverCount: 2, authRequired: false });
  });
});
