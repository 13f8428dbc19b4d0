import fc from 'fast-check';
import { DETECTORS, judgeHost } from '@app/detectors';
import { json, status } from './support/evidence';
import { probeSite } from './support/site';

const PATHS = {
  ucp: '/.well-known/ucp',
  mcp: '/.well-known/mcp.json',
  a2a: '/.well-known/agent-card.json',
  x402: '/.well-known/x402',
  'ai-plugin': '/.well-known/ai-plugin.json',
} as const;

/** Other members of a document; none makes it usable. */
const rest = fc.record(
  {
    name: fc.constant('Example'),
    description: fc.string({ maxLength: 40 }),
    tools: fc.constant([]),
    skills: fc.constant([]),
  },
  { requiredKeys: [] },
);
const denial = fc.oneof(
  fc.constantFrom('available', 'enabled', 'supported', 'implemented').map((name) => ({ [name]: false })),
  fc
    .constantFrom('not_implemented', 'Not implemented', 'unavailable', 'planned', 'coming-soon')
    .map((word) => ({ status: word })),
  fc.constant({ version: '0.0.0' }),
);

const judged = async (replies: Parameters<typeof probeSite>[0]) => judgeHost(DETECTORS, await probeSite(replies));

describe('a document that declares itself unsupported', () => {
  it('is partial with a note, without a fix', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...Object.keys(PATHS)), rest, denial, async (id, more, said) => {
        const { cells, fixes } = await judged({ [PATHS[id as keyof typeof PATHS]]: json({ ...more, ...said }) });
        expect(cells.find((cell) => cell.id === id)).toMatchObject({
          status: 'partial',
          details: { note: 'declares_unsupported' },
        });
        expect(fixes.filter(({ protocol }) => protocol === id)).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });
});

describe('a protocol that its own document disables', () => {
  const skills = [{ id: 's', name: 'S' }];
  const card = { name: 'Agent', url: 'https://shop.example.com/a2a', skills, supported: false };
  const profile = { ucp: { version: '2026-08-25', services: {}, payment_handlers: {} }, commerce: { enabled: false } };
  it.each([
    ['ucp', profile, 'commerce_disabled'],
    ['a2a', card, 'declares_unsupported'],
    ['mcp', { serverInfo: { name: 'lamps' }, transport: { type: 'none' } }, 'transport_none'],
    [
      'mcp',
      { name: 'lamps', url: 'https://shop.example.com/mcp', tools: [], available: false },
      'declares_unsupported',
    ],
  ] as const)('is partial without a fix: %s', async (id, document, note) => {
    const { cells, fixes } = await judged({ [PATHS[id]]: json(document) });
    expect(cells.find((cell) => cell.id === id)).toMatchObject({ status: 'partial', details: { note } });
    expect(fixes.filter(({ protocol }) => protocol === id)).toEqual([]);
  });
});

describe('an agent card', () => {
  const skills = [{ id: 's', name: 'S' }];
  const card = (more: object) => ({ name: 'Agent', version: '1.0.0', capabilities: {}, skills, ...more });
  const revision = fc.constantFrom('2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28');
  const a2aOf = async (more: object) =>
    (await judged({ [PATHS.a2a]: json(card(more)) })).cells.find(({ id }) => id === 'a2a');

  it('has no A2A version if it only states an MCP version, in any field', async () => {
    await fc.assert(
      fc.asyncProperty(revision, fc.boolean(), async (protocolVersion, current) => {
        const url = 'https://shop.example.com/a2a';
        const one = { url, protocolBinding: 'JSONRPC', protocolVersion };
        const cell = await a2aOf(current ? { supportedInterfaces: [one] } : { url, protocolVersion });
        expect(cell).toMatchObject({ status: 'present', version: null });
        expect(JSON.stringify(cell?.details['findings'])).toContain('protocol_version_of_mcp');
      }),
      { numRuns: 20 },
    );
  });

  it('ignores an MCP endpoint as an interface, and keeps the A2A one next to it', async () => {
    const binding = fc.constantFrom(
      'MCP',
      'mcp',
      'streamable-http',
      'streamableHttp',
      'STREAMABLE_HTTP',
      'sse',
      'HTTP+SSE',
    );
    await fc.assert(
      fc.asyncProperty(binding, fc.boolean(), async (protocolBinding, beside) => {
        const mcp = { url: 'https://shop.example.com/mcp', protocolBinding };
        const a2a = { url: 'https://shop.example.com/a2a', protocolBinding: 'JSONRPC', protocolVersion: '1.0' };
        const cell = await a2aOf({ supportedInterfaces: beside ? [mcp, a2a] : [mcp] });
        expect(cell).toMatchObject(
          beside
            ? { status: 'present', version: '1.0', details: { endpoint: a2a.url } }
            : { status: 'partial', details: { note: 'no_interface' } },
        );
      }),
      { numRuns: 20 },
    );
  });
});

describe('a gate in front of every path', () => {
  it('is reported with its price in each affected cell', async () => {
    const price = fc.tuple(fc.nat(99), fc.integer({ min: 10, max: 99 })).map(([a, b]) => `${a}.${b}`);
    await fc.assert(
      fc.asyncProperty(price, async (priceUsd) => {
        const gate = status(402, { body: 'pay', headers: { 'crawler-price': `USD ${priceUsd}` } });
        const seen = await probeSite({ '/': gate }, gate);
        for (const cell of judgeHost(DETECTORS, seen).cells.filter(({ id }) => id !== 'acp')) {
          expect(cell).toMatchObject({ status: 'error', details: { note: 'cloudflare_pay_per_crawl', priceUsd } });
        }
      }),
      { numRuns: 10 },
    );
    const closed = status(402, { headers: { 'x-vercel-error': 'DEPLOYMENT_DISABLED' } });
    const { cells } = judgeHost(DETECTORS, await probeSite({ '/': closed }, closed));
    expect(cells.find(({ id }) => id === 'ucp')).toMatchObject({ details: { note: 'platform_suspended' } });
  });
});

describe('MPP challenges that cannot be paid', () => {
  it('get one fix with the problem, and payable ones none', async () => {
    const request = (chainId: number) =>
      Buffer.from(
        JSON.stringify({
          amount: '10000',
          currency: '0x20C000000000000000000000b9537d11c60E8b50',
          methodDetails: { chainId },
          recipient: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
        }),
      ).toString('base64url');
    const fixesOf = async (method: string, chainId: number) => {
      const line = `Payment id="a", realm="shop.example.com", method="${method}", intent="charge", request="${request(chainId)}"`;
      const { fixes } = await judged({ '/': status(402, { headers: { 'www-authenticate': line } }) });
      return fixes.filter(({ protocol }) => protocol === 'mpp');
    };
    expect(await fixesOf('tempo', 4217)).toEqual([]);
    expect(await fixesOf('tempo', 42431)).toMatchObject([
      { id: 'mpp.unpayable', priority: 1, fix: expect.stringContaining('Tempo Moderato testnet is a test network') },
    ]);
    expect(await fixesOf('invoice', 4217)).toMatchObject([{ id: 'mpp.unpayable' }]);
  });
});
