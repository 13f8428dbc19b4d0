import fc from 'fast-check';
import type { ProbeRequest } from '../evidence/exchange';
import { html, json, plain, status, type Reply } from '../../../../test/support/evidence';
import { probeSite, type Replies } from '../../../../test/support/site';
import { judgeHost } from '../judge-host';
import { DETECTORS } from '../registry';
import { REQUEST_BUDGET } from '../plan';
import type { JsonObject } from '../formats/json';
import { ardFaults } from './ard';

const ORIGIN = 'https://shop.example.com';
const ARD = '/.well-known/ard.json';
const CATALOGUE = '/.well-known/ai-catalog.json';
const MCP_TYPE = 'application/mcp-server-card+json';

const entry = (more: object = {}) => ({
  identifier: 'urn:air:shop.example.com:mcp:lamps',
  displayName: 'Lamps',
  type: MCP_TYPE,
  url: `${ORIGIN}/tools/card`,
  representativeQueries: ['find a lamp', 'price of a lamp'],
  ...more,
});
const manifest = (...entries: object[]) => json({ entries });
const serverCard = json({
  $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
  name: 'com.example.shop/lamps',
  version: '1.0.0',
  description: 'Lamps.',
  remotes: [{ type: 'streamable-http', url: `${ORIGIN}/tools` }],
});
const agentCard = json({
  name: 'Lamps',
  description: 'Sells lamps.',
  version: '1.0.0',
  supportedInterfaces: [{ url: `${ORIGIN}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  capabilities: {},
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 's', name: 'S', description: 's', tags: ['lamps'] }],
});
const description = json({ openapi: '3.1.0', info: { title: 'Lamps', version: '1' }, paths: { '/a': {} } });
const map = plain('# Lamps\n\n> Lamps.\n\n- [a](https://shop.example.com/a.md)\n');
const cards = { '/tools/card': serverCard, '/agent/card': agentCard, '/api/v1': description, '/docs/llms.txt': map };

async function probed(replies: Replies) {
  const seen = await probeSite({ ...cards, ...replies });
  const { cells, signals } = judgeHost(DETECTORS, seen);
  const cell = (id: string) => {
    const { status: state, details } = cells.find((one) => one.id === id)!;
    const findings = ((details['findings'] ?? []) as { id: string }[]).map((finding) => finding.id);
    return { state, via: details['foundVia'], findings };
  };
  const asked = seen.exchanges.map(({ url }) => url.replace(ORIGIN, ''));
  return { cell, asked, signal: signals.find(({ id }) => id === 'ard') };
}

const LISTED = [
  ['mcp', { type: MCP_TYPE, url: `${ORIGIN}/tools/card` }],
  ['mcp', { type: 'application/mcp-server+json; charset=utf-8', url: '/tools/card' }],
  ['a2a', { type: 'application/a2a-agent-card+json', url: `${ORIGIN}/agent/card` }],
  ['openapi', { type: 'application/vnd.oai.openapi+json', url: `${ORIGIN}/api/v1` }],
  ['openapi', { type: 'application/json', tags: ['OpenAPI'], url: `${ORIGIN}/api/v1` }],
  ['llms', { type: 'text/plain', url: `${ORIGIN}/docs/llms.txt` }],
] as const;
const held = (listed: ReturnType<typeof manifest>, wrap: (entries: readonly object[]) => unknown) => {
  const { entries } = JSON.parse(listed.body!) as { readonly entries: readonly object[] };
  const shop = { '@context': 'https://schema.org', '@type': 'Store', identifier: 'lamps' };
  const script = (data: unknown) => `<script type="application/ld+json">${JSON.stringify(data)}</script>`;
  return { '/': html(`<!doctype html><head>${script(shop)}${script(wrap(entries))}</head><h1>Shop</h1>`) };
};
const WAYS: readonly (readonly [string, (listed: ReturnType<typeof manifest>) => Replies])[] = [
  ['at its path', (listed) => ({ [ARD]: listed })],
  ['under its older name', (listed) => ({ [CATALOGUE]: listed })],
  ['under its older name next to a page', (listed) => ({ [ARD]: html(), [CATALOGUE]: listed })],
  [
    'linked by a header',
    (listed) => ({ '/': html(undefined, { headers: { link: '</a.json>; rel="ard"' } }), '/a.json': listed }),
  ],
  [
    'linked by the page',
    (listed) => ({ '/': html('<!doctype html><link rel=ard href="/a.json"><h1>Shop</h1>'), '/a.json': listed }),
  ],
  [
    'held by the page as JSON-LD',
    (listed) => held(listed, ([one]) => ({ '@context': 'https://ard.example/context', ...one })),
  ],
  ['held by the page in a graph', (listed) => held(listed, (entries) => ({ '@graph': entries }))],
  [
    'named by robots.txt',
    (listed) => ({ '/robots.txt': plain(`User-agent: *\nAgentmap: ${ORIGIN}/a.json\n`), '/a.json': listed }),
  ],
];

/** The part of a text that a request with a smaller limit reads. */
const capped =
  (body: string) =>
  ({ maxBytes = Infinity }: ProbeRequest): Reply =>
    json(body.slice(0, maxBytes), { truncated: body.length > maxBytes });

describe('a long manifest', () => {
  it('is read completely up to a mebibyte, and does not make cells errors', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 250, max: 1_000 }), fc.constantFrom(ARD, CATALOGUE), async (kib, path) => {
        const others = Array.from({ length: kib }, (_, i) =>
          entry({ type: 'text/html', url: `${ORIGIN}/${i}`, description: 'x'.repeat(750) }),
        );
        const { cell } = await probed({
          [path]: capped(JSON.stringify({ entries: [...others, entry()] })),
          '/tools/card': serverCard,
        });
        expect([kib, path, cell('mcp').state, cell('a2a').state]).toEqual([kib, path, 'present', 'absent']);
        const none = await probed({ [path]: capped(JSON.stringify({ entries: others })) });
        expect([kib, path, none.cell('mcp').state]).toEqual([kib, path, 'absent']);
      }),
      { numRuns: 4 },
    );
  });
});

describe('a manifest of ARD', () => {
  it.each(WAYS.flatMap(([way, at]) => LISTED.map(([id, more]) => [way, id, more, at] as const)))(
    '%s makes %s %j',
    async (_, id, more, at) => {
      const { cell, signal, asked } = await probed(at(manifest(entry(more))));
      expect(cell(id)).toMatchObject({ state: 'present', via: 'ard' });
      expect(signal).toMatchObject({ status: 'valid', note: 'draft, entries: 1' });
      expect(asked.filter((url) => url === ARD)).toHaveLength(1);
    },
  );

  it('makes a request for the older name unnecessary, and is read even with faults', async () => {
    const { cell, signal, asked } = await probed({ [ARD]: manifest(entry({ displayName: undefined })) });
    expect(cell('mcp').state).toBe('present');
    expect(signal).toMatchObject({ status: 'faulty', note: 'draft, entries: 1, $.entries[0].displayName' });
    expect(asked).not.toContain(CATALOGUE);
  });

  it.each([
    ['without queries', { representativeQueries: undefined }, 'valid'],
    ['with the older member name', { type: undefined, mediaType: MCP_TYPE }, 'valid'],
    ['with an older identifier', { identifier: 'urn:mcp:server:com.example/lamps' }, 'valid'],
    ['with an identifier of another kind', { identifier: 'lamps' }, 'faulty'],
    [
      'of a publisher that differs from its identity',
      { trustManifest: { identity: 'did:web:other.example' } },
      'faulty',
    ],
    ['of its identity', { trustManifest: { identity: 'https://shop.example.com' } }, 'valid'],
  ])('%s is evaluated', async (_, more, expected) => {
    const { cell, signal } = await probed({ [ARD]: manifest(entry(more)) });
    expect(signal?.status).toBe(expected);
    expect(cell('mcp').state).toBe('present');
  });

  it.each([
    ['an x402 catalogue', json({ x402Version: 2, items: [] })],
    ['an object', json({ ok: true })],
  ])('does not count %s as the declared kind', async (_, other) => {
    const types = [MCP_TYPE, 'application/a2a-agent-card+json', 'application/openapi+json'];
    for (const [i, id] of ['mcp', 'a2a', 'openapi'].entries()) {
      const { cell, signal } = await probed({
        [ARD]: manifest(entry({ type: types[i], url: `${ORIGIN}/other` })),
        '/other': other,
      });
      expect(cell(id)).toEqual({ state: 'absent', via: undefined, findings: ['ard_entry_type_mismatch'] });
      expect(signal?.status).toBe('valid');
    }
  });

  it('is not followed if an entry has both a URL and a document, or to another site', async () => {
    const both = entry({ data: {}, url: `${ORIGIN}/both` });
    const beyond = entry({ type: 'application/a2a-agent-card+json', url: 'https://other.example.net/card' });
    const { asked, cell, signal } = await probed({ [ARD]: manifest(both, beyond, entry()) });
    expect(asked.filter((url) => /both|other/.test(url))).toEqual([]);
    expect(cell('mcp').state).toBe('present');
    expect(cell('a2a')).toMatchObject({ state: 'absent', findings: [] });
    expect(signal?.note).toBe('draft, entries: 3, off site: 1, $.entries[0] url_xor_data');
  });

  it('is followed into one nested manifest, and reads inline documents', async () => {
    const nested = { type: 'application/ai-catalog+json', url: `${ORIGIN}/nested` };
    const within = await probed({ [ARD]: manifest(entry(nested)), '/nested': manifest(entry(), entry(nested)) });
    expect(within.cell('mcp').state).toBe('present');
    const data = JSON.parse(agentCard.body!) as object;
    const inline = entry({ type: 'application/a2a-agent-card+json', url: undefined, data });
    expect((await probed({ [ARD]: manifest(inline) })).cell('a2a')).toMatchObject({ state: 'present', via: 'ard' });
  });

  it.each([
    ['a page', html()],
    ['JSON without entries', json({ ok: true })],
    ['nothing', status(404)],
  ])('is absent for %s, and present without entries', async (_, reply) => {
    expect((await probed({ [ARD]: reply })).signal).toEqual({ id: 'ard', status: 'absent' });
    expect((await probed({ [ARD]: manifest() })).signal?.status).toBe('valid');
  });

  it('never exceeds the budget or leads to another site, with any entries', async () => {
    const url = fc.oneof(fc.webUrl(), fc.constantFrom('/a', '//shop.example.com/x', 'http://', `${ORIGIN}/x`, ''));
    const type = fc.constantFrom(...LISTED.map(([, more]) => more.type), 'application/ai-catalog+json', 'x');
    const listed = fc.array(fc.oneof(fc.record({ type, url }, { requiredKeys: [] }), fc.jsonValue()), {
      maxLength: 120,
    });
    await fc.assert(
      fc.asyncProperty(listed, async (entries) => {
        const seen = await probeSite({ [ARD]: json({ entries }) });
        expect(seen.exchanges.filter(({ phase }) => phase === 'presence').length).toBeLessThanOrEqual(
          REQUEST_BUDGET.presence,
        );
        expect(seen.exchanges.filter((exchange) => !seen.sameSite(exchange.url))).toEqual([]);
        expect(judgeHost(DETECTORS, seen).failures).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });
});

const label = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/);
const part = fc.stringMatching(/^[a-zA-Z0-9._-]{1,12}$/);

/** A publisher's name and an identifier for one of its resources. */
const named = fc
  .tuple(fc.array(label, { minLength: 2, maxLength: 3 }), fc.array(part, { minLength: 1, maxLength: 3 }))
  .map(([labels, parts]) => ({
    publisher: labels.join('.'),
    identifier: `urn:air:${labels.join('.')}:${parts.join(':')}`,
  }));

const type = fc.constantFrom(
  'application/mcp-server-card+json',
  'application/a2a-agent-card+json',
  'application/vnd.oai.openapi+json',
  'application/ai-skill+md',
  'application/json; charset=utf-8',
  'text/markdown; profile="urn:air:agent-skills"',
);

/** An entry of ARD 0.91 with any subset of the optional fields, and with unknown fields. */
const anyEntry = named.chain(({ publisher, identifier }) =>
  fc
    .tuple(
      fc.record(
        {
          identifier: fc.constant(identifier),
          displayName: label,
          type,
          description: fc.string(),
          tags: fc.array(label, { maxLength: 2 }),
          representativeQueries: fc.array(label, { maxLength: 5 }),
          trustManifest: fc.constantFrom(
            { identity: `did:web:${publisher}` },
            { identity: `https://${publisher}/` },
            { identity: publisher, attestations: [] },
            {},
          ),
          metadata: fc.constant({ x402Version: 2 }),
        },
        { requiredKeys: ['identifier', 'displayName', 'type'] },
      ),
      fc.oneof(
        fc.constant({ url: `https://${publisher}/resource` }),
        fc.dictionary(label, fc.integer(), { maxKeys: 2 }).map((data) => ({ data })),
      ),
      fc.dictionary(fc.stringMatching(/^x-[a-z]{1,5}$/), fc.integer(), { maxKeys: 2 }),
    )
    .map(([known, where, unknown]): JsonObject => ({ ...unknown, ...known, ...where })),
);

const without = (one: JsonObject, ...names: readonly string[]) =>
  Object.fromEntries(Object.entries(one).filter(([name]) => !names.includes(name)));

describe('an entry of ARD 0.91', () => {
  it('has no faults if it has all required fields, with any other content', () => {
    fc.assert(
      fc.property(anyEntry, (one) => {
        expect(ardFaults(one, '$')).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  it('has a fault exactly for missing required fields', () => {
    const gone = fc.subarray(['identifier', 'displayName', 'type'], { minLength: 1 });
    fc.assert(
      fc.property(anyEntry, gone, (one, names) => {
        expect(ardFaults(without(one, ...names), '$')).toEqual(names.map((name) => `$.${name}`));
      }),
    );
    fc.assert(
      fc.property(anyEntry, fc.boolean(), (one, both) => {
        const neither = without(one, 'url', 'data');
        const faulty = both ? { ...neither, url: 'https://shop.example.com/a', data: {} } : neither;
        expect(ardFaults(faulty, '$')).toEqual(['$ url_xor_data']);
      }),
    );
  });

  it('has a fault if its identity belongs to another publisher', () => {
    fc.assert(
      fc.property(anyEntry, (one) => {
        const trustManifest = { identity: 'did:web:somebody-else.invalid' };
        expect(ardFaults({ ...one, trustManifest }, '$')).toEqual(['$.trustManifest.identity']);
      }),
    );
  });
});
