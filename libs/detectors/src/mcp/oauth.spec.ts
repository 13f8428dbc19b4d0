import fc from 'fast-check';
import { html, json, plain, status, type Reply } from '../../../../test/support/evidence';
import { probeSite, type Replies } from '../../../../test/support/site';
import { mcp } from './mcp.detector';
import { runDetector } from '../run-detector';

const ORIGIN = 'https://shop.example.com';
const METADATA = '/.well-known/oauth-protected-resource';
const ISSUER = 'https://login.example.net';

const metadata = (resource = `${ORIGIN}/mcp`) => json({ resource, authorization_servers: [ISSUER] });
const demand = (challenge: string, code = 401) => status(code, { headers: { 'www-authenticate': challenge } });

async function probed(replies: Replies, endpoint = `${ORIGIN}/mcp`) {
  const known = { '/.well-known/mcp.json': json({ name: 'lamps', endpoint, transport: 'streamable-http' }) };
  const seen = await probeSite({ ...known, ...replies }, status(404), [mcp]);
  const { cell } = runDetector(mcp, seen);
  const findings = ((cell.details['findings'] ?? []) as { id: string }[]).map(({ id }) => id);
  return { status: cell.status, auth: cell.details['auth'], issuers: cell.details['issuers'], findings, seen, cell };
}

describe('an MCP endpoint that requires OAuth', () => {
  const bare = demand('Bearer');
  it.each<[string, Reply, Replies]>([
    ['where its challenge says', demand(`Bearer resource_metadata="${ORIGIN}/meta"`), { '/meta': metadata() }],
    [
      'with too small a scope',
      demand(`Bearer error="insufficient_scope", resource_metadata="${ORIGIN}/meta"`, 403),
      { '/meta': metadata() },
    ],
    ['before its path', bare, { [`${METADATA}/mcp`]: metadata() }],
    ['at the root', bare, { [METADATA]: metadata() }],
    ['at the root, for the whole host', bare, { [METADATA]: metadata(ORIGIN) }],
    ['at the root, behind a page', bare, { [`${METADATA}/mcp`]: html(), [METADATA]: metadata() }],
    [
      'at the root, the challenge being relative',
      demand('Bearer resource_metadata="/meta"'),
      { [METADATA]: metadata() },
    ],
  ])('is present with the issuers of its metadata %s', async (_, reply, documents) => {
    expect(await probed({ 'POST /mcp': reply, ...documents })).toMatchObject({
      status: 'present',
      auth: 'oauth',
      issuers: [ISSUER],
    });
  });

  it('reports missing metadata, and stops if the server fails', async () => {
    const none = await probed({ 'POST /mcp': bare });
    expect(none).toMatchObject({ status: 'present', auth: undefined, findings: ['auth_undiscoverable'] });
    expect(none.cell.details).toMatchObject({ endpointStatus: 401, authRequired: true });
    const failing = await probed({ 'POST /mcp': bare, [`${METADATA}/mcp`]: status(503), [METADATA]: metadata() });
    expect(failing).toMatchObject({ auth: undefined, findings: [] });
    expect(failing.seen.at(METADATA)).toBeUndefined();
  });

  it('only trusts metadata for its origin and complete segments of its path', async () => {
    const segment = fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/);
    const path = fc.array(segment, { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(path, fc.nat(4), fc.boolean(), async (segments, kept, cut) => {
        const endpoint = `/${segments.join('/')}`;
        const prefix = segments
          .slice(0, kept)
          .map((one) => `/${one}`)
          .join('');
        const covered = !cut || !prefix;
        const resource = `${ORIGIN}${covered ? prefix : `${prefix}x`}`;
        const found = { [`POST ${endpoint}`]: bare, [`${METADATA}${endpoint}`]: metadata(resource) };
        expect(await probed(found, `${ORIGIN}${endpoint}`)).toMatchObject(
          covered
            ? { auth: 'oauth', issuers: [ISSUER], findings: [] }
            : { auth: undefined, issuers: undefined, findings: ['resource_mismatch'] },
        );
      }),
      { numRuns: 30 },
    );
    const other = metadata('https://other.example.net/mcp');
    expect(await probed({ 'POST /mcp': bare, [METADATA]: other })).toMatchObject({ findings: ['resource_mismatch'] });
  });

  describe('whose host claims to be the authorization server', () => {
    const path = fc
      .array(fc.stringMatching(/^[a-z]{1,5}$/), { maxLength: 2 })
      .map((parts) => parts.map((one) => `/${one}`).join(''));
    const placesOf = (issuer: string) => [
      `/.well-known/oauth-authorization-server${issuer}`,
      `/.well-known/openid-configuration${issuer}`,
      `${issuer}/.well-known/openid-configuration`,
    ];
    const naming = (issuer: string) => {
      const authorization_servers = [`${ORIGIN}${issuer}`];
      return { 'POST /mcp': bare, [METADATA]: json({ resource: `${ORIGIN}/mcp`, authorization_servers }) };
    };

    it('is accepted if there is server metadata at any of its paths', async () => {
      await fc.assert(
        fc.asyncProperty(path, fc.nat(2), async (issuer, i) => {
          const server = json({ issuer: `${ORIGIN}${issuer}` });
          const result = await probed({ ...naming(issuer), [placesOf(issuer)[i]!]: server });
          expect(result).toMatchObject({ auth: 'oauth', issuers: [`${ORIGIN}${issuer}`], findings: [] });
        }),
        { numRuns: 20 },
      );
    });

    it('is not accepted without metadata, and undecided if the host could not answer', async () => {
      const nothing = fc.constantFrom(status(404), html(), json({ ok: true }));
      await fc.assert(
        fc.asyncProperty(path, nothing, async (issuer, reply) => {
          const replies = Object.fromEntries(placesOf(issuer).map((one) => [one, reply]));
          const result = await probed({ ...naming(issuer), ...replies });
          expect(result).toMatchObject({ status: 'present', auth: 'oauth', findings: ['auth_server_missing'] });
        }),
        { numRuns: 20 },
      );
      const failing = await probed({ ...naming(''), '/.well-known/openid-configuration': status(503) });
      expect(failing.findings).toEqual([]);
    });

    it('needs no request if the server is another host', async () => {
      const { seen, findings } = await probed({ 'POST /mcp': bare, [METADATA]: metadata() });
      expect(findings).toEqual([]);
      expect(seen.exchanges.filter(({ url }) => /authorization-server|openid-configuration/.test(url))).toEqual([]);
    });
  });

  it('does not count by its metadata alone, but does if the manifest lists it and it answers', async () => {
    const absent = { '/.well-known/mcp.json': status(404), [METADATA]: metadata() };
    expect((await probed(absent)).status).toBe('absent');
    const entry = { identifier: 'urn:air:shop.example.com:mcp', displayName: 'MCP', type: 'application/json' };
    const listed = json({ entries: [{ ...entry, url: `${ORIGIN}${METADATA}/mcp` }] });
    const listing = { ...absent, '/.well-known/ard.json': listed, [`${METADATA}/mcp`]: metadata() };
    expect((await probed(listing)).status).toBe('absent');
    const answering = await probed({
      ...listing,
      'POST /mcp': demand(`Bearer resource_metadata="${ORIGIN}${METADATA}/mcp"`),
    });
    expect(answering).toMatchObject({ status: 'present', auth: 'oauth', issuers: [ISSUER] });
    expect(answering.cell.details).toMatchObject({ endpoint: `${ORIGIN}/mcp`, foundVia: 'ard' });
  });
});

describe('an MCP server of an older release', () => {
  const sentence = (versions: readonly string[]) =>
    `Bad Request: Unsupported protocol version: 2026-07-28 (supported versions: ${versions.join(', ')})`;
  const RELEASES = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

  it('is tried again with the newest version that it names, as JSON-RPC or text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(RELEASES, { minLength: 1 }), fc.boolean(), async (versions, asText) => {
        const newest = [...versions].sort().at(-1)!;
        const error = { code: -32000, message: sentence(versions) };
        const refused = asText
          ? plain(sentence(versions), { status: 400 })
          : json({ jsonrpc: '2.0', error, id: null }, { status: 400 });
        const { cell } = await probed({
          'POST /mcp': ({ body = '' }) => {
            const { method, params } = JSON.parse(body) as { method: string; params: { protocolVersion?: string } };
            const serverInfo = { name: 'lamps', version: '1' };
            const result = { protocolVersion: newest, capabilities: {}, serverInfo };
            const known = method === 'initialize' && params.protocolVersion === newest;
            return known ? json({ jsonrpc: '2.0', id: 'initialize', result }) : refused;
          },
        });
        expect(cell).toMatchObject({ status: 'present', version: newest });
        expect(cell.details['findings']).toBeUndefined();
      }),
      { numRuns: 30 },
    );
  });

  it('is alive even if it refuses that as well', async () => {
    const refused = plain(sentence(['2025-06-18', '2024-11-05']), { status: 400 });
    const { cell, findings } = await probed({ 'POST /mcp': refused });
    expect(cell).toMatchObject({ status: 'present', version: '2025-06-18' });
    expect(findings).toEqual([]);
  });
});
