import fc from 'fast-check';
import { evidence, html, json, status, type Reply } from '../../../../test/support/evidence';
import { probeSite, type Replies } from '../../../../test/support/site';
import { a2a } from '../a2a/a2a.detector';
import type { Detector } from '../judgement/detector';
import { mcp } from '../mcp/mcp.detector';
import { runDetector } from '../run-detector';
import { ucp } from '../ucp/ucp.detector';

const ORIGIN = 'https://shop.example.com';
const CARD = {
  name: 'Lamp agent',
  supportedInterfaces: [{ url: `${ORIGIN}/agent`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  skills: [{ id: 'find', name: 'Find', description: 'Finds.', tags: [] }],
};
const RPC = json({ jsonrpc: '2.0', id: 1, error: { code: -32001, message: 'Task not found' } });
const SERVER = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'lamps', version: '1' } };
const TOOLS = json({ jsonrpc: '2.0', id: 1, result: SERVER });
const profile = (transport: string): Replies => {
  const version = '2026-08-25';
  const services = { 'dev.ucp.shopping': [{ version, transport, endpoint: `${ORIGIN}/agent` }] };
  const headers = { 'cache-control': 'public, max-age=600', etag: '"1"' };
  return { '/.well-known/ucp': json({ ucp: { version, services, payment_handlers: {} } }, { headers }) };
};

interface Protocol {
  readonly detector: Detector;
  readonly document: Replies;
  /** The first request of clients. */
  readonly by: 'GET' | 'POST';
  readonly alive: Reply;
  readonly finding: string;
  readonly fix: string;
}
const UCP = { detector: ucp, finding: 'endpoint_unreachable', fix: 'ucp.endpoint' };
const PROTOCOLS: Readonly<Record<string, Protocol>> = {
  mcp: {
    detector: mcp,
    document: { '/.well-known/mcp.json': json({ endpoint: '/agent', transport: 'streamable-http' }) },
    by: 'POST',
    alive: TOOLS,
    finding: 'endpoint_unreachable',
    fix: 'mcp.unreachable',
  },
  a2a: {
    detector: a2a,
    document: { '/.well-known/agent-card.json': json(CARD) },
    by: 'POST',
    alive: RPC,
    finding: 'interface_unreachable',
    fix: 'a2a.interface',
  },
  'ucp over mcp': { ...UCP, document: profile('mcp'), by: 'POST', alive: TOOLS },
  'ucp over rest': { ...UCP, document: profile('rest'), by: 'GET', alive: json({}, { status: 404 }) },
  'ucp over a2a': { ...UCP, document: profile('a2a'), by: 'GET', alive: json({ name: 'Shop' }) },
};

const protocol = fc.constantFrom(...Object.entries(PROTOCOLS));
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

/** The result of a GET: redirects within the site are followed, other redirects are the answer. */
function got(location: string, by: number): Reply {
  const target = new URL(location, ORIGIN);
  if (!target.hostname.endsWith('example.com')) return status(by, { headers: { location } });
  return html(undefined, { redirects: [{ status: by, location: target.href }] });
}

async function judged({ detector, document }: Protocol, replies: Replies, rest = status(404)) {
  const home = html(undefined, { redirects: [{ status: 302, location: `${ORIGIN}/en/home` }] });
  const { cell, fixes } = runDetector(
    detector,
    await probeSite({ '/': home, ...document, ...replies }, rest, [detector]),
  );
  const findings = ((cell.details['findings'] ?? []) as { id: string }[]).map((one) => one.id);
  return { status: cell.status, findings, fixes: fixes.map((fix) => fix.id) };
}

describe('a declared endpoint of MCP, A2A or UCP', () => {
  it('that redirects to another site, a login or the home page is not alive, and has a fix', async () => {
    const gets = fc.constantFrom('same', 'page', 'refused');
    await fc.assert(
      fc.asyncProperty(protocol, code, away, gets, async ([id, one], by, location, get) => {
        const onGet = { same: got(location, by), page: html(), refused: status(405) }[one.by === 'GET' ? 'same' : get];
        const post = status(by, { headers: { location } });
        const seen = await judged(one, { '/agent': onGet, 'POST /agent': post });
        const found = get === 'page' && id === 'a2a' ? 'interface_is_website' : one.finding;
        expect([id, location, seen.status, seen.findings.includes(found), seen.fixes]).toEqual([
          id,
          location,
          'present',
          true,
          [one.fix],
        ]);
      }),
      { numRuns: 200 },
    );
  });

  it('is alive at its own path with or without a trailing slash, and if only a GET is redirected', async () => {
    await fc.assert(
      fc.asyncProperty(protocol, code, away, fc.boolean(), async ([id, one], by, location, slash) => {
        const { alive, finding } = one;
        const moved = status(by, { headers: { location: '/agent/' } });
        const followed = { ...alive, redirects: [{ status: by, location: `${ORIGIN}/agent/` }] };
        const replies: Replies =
          one.by === 'GET'
            ? { '/agent': followed }
            : slash
              ? { '/agent': status(405), 'POST /agent': moved, 'POST /agent/': alive }
              : { '/agent': got(location, by), 'POST /agent': alive };
        const seen = await judged(one, replies);
        expect([id, by, location, seen.status, seen.findings.includes(finding), seen.fixes]).toEqual([
          id,
          by,
          location,
          'present',
          false,
          [],
        ]);
      }),
      { numRuns: 120 },
    );
  });

  it('is refused, not dead, if any path gets a 403', async () => {
    const bodies = fc.constantFrom(status(403), html('<h1>Forbidden</h1>', { status: 403 }), json({}, { status: 403 }));
    await fc.assert(
      fc.asyncProperty(protocol, bodies, async ([id, one], rest) => {
        const seen = await judged(one, {}, rest);
        expect([id, seen.status, seen.findings.includes(one.finding)]).toEqual([id, 'present', false]);
      }),
      { numRuns: 12 },
    );
  });

  it('of MCP over http is not requested, and has a finding and a fix like A2A', () => {
    const document = json({ endpoint: 'http://shop.example.com/agent' });
    const { cell, fixes } = runDetector(mcp, evidence({ '/.well-known/mcp.json': document }));
    expect([cell.status, fixes.map(({ id }) => id)]).toEqual(['present', ['mcp.endpoint']]);
    expect(cell.details['findings']).toEqual([{ id: 'endpoint_not_https', at: 'http://shop.example.com/agent' }]);
  });
});
