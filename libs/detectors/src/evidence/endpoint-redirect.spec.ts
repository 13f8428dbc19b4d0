import fc from 'fast-check';
import { evidence, html, json, status, type Reply } from '../../../../test/support/evidence';
import { probeSite, type Replies } from '../../../../test/support/site';
import { a2a } from '../a2a/a2a.detector';
import { mcp } from '../mcp/mcp.detector';
import { runDetector } from '../run-detector';

const ORIGIN = 'https://shop.example.com';
const CARD = {
  name: 'Lamp agent',
  supportedInterfaces: [{ url: `${ORIGIN}/agent`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  skills: [{ id: 'find', name: 'Find', description: 'Finds.', tags: [] }],
};
const RPC = json({ jsonrpc: '2.0', id: 1, error: { code: -32001, message: 'Task not found' } });
const SERVER = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'lamps', version: '1' } };
const PROTOCOLS = {
  mcp: {
    detector: mcp,
    document: { '/.well-known/mcp.json': json({ endpoint: '/agent', transport: 'streamable-http' }) },
    alive: json({ jsonrpc: '2.0', id: 1, result: SERVER }),
    finding: 'endpoint_unreachable',
    fix: 'mcp.unreachable',
  },
  a2a: {
    detector: a2a,
    document: { '/.well-known/agent-card.json': json(CARD) },
    alive: RPC,
    finding: 'interface_unreachable',
    fix: 'a2a.interface',
  },
} as const;

const protocol = fc.constantFrom(...(Object.keys(PROTOCOLS) as (keyof typeof PROTOCOLS)[]));
const code = fc.constantFrom(301, 302, 303, 307, 308);
const away = fc.constantFrom(
  'https://other.example.net/',
  'https://other.example.net/agent',
  'https://accounts.example.net/o/oauth2/auth?client_id=1&redirect_uri=https%3A%2F%2Fshop.example.com%2Fagent',
  'https://login.example.com/',
  '/login?next=/agent',
  '/',
  `${ORIGIN}/`,
  '/?from=agent',
  '/en/home',
);

/** What a GET there brings: redirects within the site are followed, others are the answer. */
function got(location: string, by: number): Reply {
  const target = new URL(location, ORIGIN);
  if (!target.hostname.endsWith('example.com')) return status(by, { headers: { location } });
  return html(undefined, { redirects: [{ status: by, location: target.href }] });
}

async function judged(id: keyof typeof PROTOCOLS, replies: Replies, rest = status(404)) {
  const { detector, document } = PROTOCOLS[id];
  const home = html(undefined, { redirects: [{ status: 302, location: `${ORIGIN}/en/home` }] });
  const { cell, fixes } = runDetector(
    detector,
    await probeSite({ '/': home, ...document, ...replies }, rest, [detector]),
  );
  const findings = ((cell.details['findings'] ?? []) as { id: string }[]).map((one) => one.id);
  return { status: cell.status, findings, fixes: fixes.map((fix) => fix.id) };
}

describe('a declared endpoint of MCP or A2A', () => {
  it('that sends its POST to another site, a login or the home page is not alive, and has a fix', async () => {
    const gets = fc.constantFrom('same', 'page', 'refused');
    await fc.assert(
      fc.asyncProperty(protocol, code, away, gets, async (id, by, location, get) => {
        const onGet = { same: got(location, by), page: html(), refused: status(405) }[get];
        const post = status(by, { headers: { location } });
        const { finding, fix } = PROTOCOLS[id];
        const seen = await judged(id, { '/agent': onGet, 'POST /agent': post });
        const found = get === 'page' && id === 'a2a' ? 'interface_is_website' : finding;
        expect([location, seen.status, seen.findings.includes(found), seen.fixes]).toEqual([
          location,
          'present',
          true,
          [fix],
        ]);
      }),
      { numRuns: 120 },
    );
  });

  it('is alive at its own path with another last slash, and where only a GET is sent away', async () => {
    await fc.assert(
      fc.asyncProperty(protocol, code, away, fc.boolean(), async (id, by, location, slash) => {
        const { alive, finding } = PROTOCOLS[id];
        const moved = status(by, { headers: { location: '/agent/' } });
        const replies: Replies = slash
          ? { '/agent': status(405), 'POST /agent': moved, 'POST /agent/': alive }
          : { '/agent': got(location, by), 'POST /agent': alive };
        const seen = await judged(id, replies);
        expect([id, by, location, seen.status, seen.findings.includes(finding), seen.fixes]).toEqual([
          id,
          by,
          location,
          'present',
          false,
          [],
        ]);
      }),
      { numRuns: 80 },
    );
  });

  it('is refused by the 403 that any path gets, and not dead', async () => {
    const bodies = fc.constantFrom(status(403), html('<h1>Forbidden</h1>', { status: 403 }), json({}, { status: 403 }));
    await fc.assert(
      fc.asyncProperty(protocol, bodies, async (id, rest) => {
        const seen = await judged(id, {}, rest);
        expect([id, seen.status, seen.findings.includes(PROTOCOLS[id].finding)]).toEqual([id, 'present', false]);
      }),
      { numRuns: 12 },
    );
  });

  it('of MCP under http, which is not asked, has a finding and a fix as that of A2A', () => {
    const document = json({ endpoint: 'http://shop.example.com/agent' });
    const { cell, fixes } = runDetector(mcp, evidence({ '/.well-known/mcp.json': document }));
    expect([cell.status, fixes.map(({ id }) => id)]).toEqual(['present', ['mcp.endpoint']]);
    expect(cell.details['findings']).toEqual([{ id: 'endpoint_not_https', at: 'http://shop.example.com/agent' }]);
  });
});
