import { evidence, failure, html, json, status, type Reply } from '../../../../test/support/evidence';
import { a2a } from './a2a.detector';
import { runDetector } from '../run-detector';

const HOST = 'https://shop.example.com';
const PATH = '/.well-known/agent-card.json';
const CACHED = { headers: { 'cache-control': 'max-age=600', etag: '"1"' } };

type Json = Record<string, unknown>;

const SKILL = { id: 'find', name: 'Find lamps', description: 'Finds lamps.', tags: ['lamps'] };
const BASE = {
  name: 'Lamp Agent',
  description: 'Knows lamps.',
  version: '2.1.0',
  capabilities: { streaming: false },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [SKILL],
};
const RPC = { url: `${HOST}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' };

const current = (members: Json = {}): Json => ({ ...BASE, supportedInterfaces: [RPC], ...members });
const older = (members: Json = {}): Json => ({ ...BASE, protocolVersion: '0.3.0', url: `${HOST}/a2a`, ...members });
const omit = (document: Json, ...names: string[]): Json =>
  Object.fromEntries(Object.entries(document).filter(([name]) => !names.includes(name)));

const probe = (replies: Record<string, Reply>, rest?: Reply) => runDetector(a2a, evidence(replies, rest));
const at = (document: unknown, replies: Record<string, Reply> = {}) =>
  probe({ [PATH]: json(document, CACHED), ...replies });
const ids = (result: ReturnType<typeof probe>) =>
  ((result.cell.details['findings'] ?? []) as { id: string }[]).map(({ id }) => id);
const fixIds = (result: ReturnType<typeof probe>) => result.fixes.map(({ id }) => id);

describe('a2a: generations by shape', () => {
  it.each([
    ['1.0', current(), '1.0', '1.0'],
    ['0.3', older({ preferredTransport: 'JSONRPC' }), '0.3', '0.3.0'],
    ['0.2', older({ protocolVersion: '0.2.6' }), '0.2', '0.2.6'],
  ])('recognises %s', (_, document, generation, version) => {
    const result = at(document);
    expect(result.cell).toMatchObject({
      status: 'present',
      version,
      details: {
        name: 'Lamp Agent',
        skills: [{ id: 'find', name: 'Find lamps' }],
        endpoint: `${HOST}/a2a`,
        generation,
      },
    });
    expect([ids(result), result.fixes]).toEqual([[], []]);
  });

  it('reads a card of 0.1, without a version and with its authentication field', () => {
    const result = at({ ...omit(older(), 'protocolVersion'), authentication: { schemes: ['Bearer'] } });
    expect(result.cell).toMatchObject({ status: 'present', version: null, details: { generation: '0.2' } });
    expect(ids(result)).toEqual(['protocol_version_missing', 'authentication_member']);
  });

  it('treats a card with signatures as 0.3 even with an older version, and reports their headers', () => {
    const header = Buffer.from(
      JSON.stringify({ alg: 'ES256', kid: 'k-1', jku: 'https://keys.example.com/jwks.json' }),
    ).toString('base64url');
    const result = at(older({ protocolVersion: '0.2.9', signatures: [{ protected: header, signature: 'AA' }] }));
    expect(result.cell.details).toMatchObject({
      generation: '0.3',
      signed: true,
      signatures: [{ alg: 'ES256', kid: 'k-1', jkuHost: 'keys.example.com' }],
    });
    expect(result.cell.details).not.toHaveProperty('signature');
    expect(ids(result)).toEqual(['version_of_other_generation']);
  });

  it('tolerates a signature header that is not JSON', () => {
    const result = at(older({ signatures: [{ protected: '%%%' }] }));
    expect(result.cell.details).toMatchObject({ signed: true, signature: 'broken', signatures: [{ alg: null }] });
  });

  it('reads the 1.0 fields of a card with both generations', () => {
    const result = at({ ...older(), supportedInterfaces: [{ ...RPC, url: `${HOST}/v1/a2a` }] });
    expect(result.cell).toMatchObject({ status: 'present', version: '1.0', details: { endpoint: `${HOST}/v1/a2a` } });
    expect(ids(result)).toEqual(['mixed_generation']);
  });

  it('reads snake_case fields with a finding', () => {
    const card = {
      ...omit(current(), 'supportedInterfaces', 'defaultInputModes'),
      default_input_modes: ['text/plain'],
      supported_interfaces: [{ url: `${HOST}/a2a`, protocol_binding: 'jsonrpc', protocol_version: '1.0' }],
    };
    const result = at(card);
    expect(result.cell).toMatchObject({ status: 'present', version: '1.0', details: { endpoint: `${HOST}/a2a` } });
    expect(ids(result)).toEqual(['snake_case_member', 'snake_case_member']);
  });
});

describe('a2a: partial', () => {
  it.each([
    ['an array', [], 'not_an_object'],
    ['an object of another kind', { hello: 'world' }, 'not_an_agent_card'],
    ['no name', omit(current(), 'name'), 'no_name'],
    ['a name that is not text', current({ name: 7 }), 'no_name'],
    ['services in place of skills', { ...omit(current(), 'skills'), services: [SKILL] }, 'no_skills'],
    ['an empty skill list', current({ skills: [] }), 'no_skills'],
    ['skills as strings', current({ skills: ['find'] }), 'skills_without_id_or_name'],
    ['skills without id', current({ skills: [{ name: 'Find' }] }), 'skills_without_id_or_name'],
    ['capabilities as a list', current({ capabilities: ['streaming'] }), 'capabilities_not_an_object'],
    ['no interface', omit(current(), 'supportedInterfaces'), 'no_interface'],
    ['interfaces without a url', current({ supportedInterfaces: [{ protocolBinding: 'JSONRPC' }] }), 'no_interface'],
    ['a url that is not text', older({ url: 7 }), 'no_interface'],
  ])('reports %s as partial, with the fault and a fix', (_, document, note) => {
    const result = at(document);
    expect(result.cell).toMatchObject({ status: 'partial', details: { note } });
    expect(fixIds(result)).toContain('a2a.partial');
  });
});

describe('a2a: absent and error', () => {
  it('is absent if both paths are 404, with both as evidence', () => {
    const result = probe({ [PATH]: status(404), '/.well-known/agent.json': status(410) });
    expect(result.cell.status).toBe('absent');
    expect(result.cell.details['evidence']).toMatchObject([{ status: 404 }, { status: 410 }]);
    expect(fixIds(result)).toEqual(['a2a.missing']);
  });
});

describe('a2a: the older path', () => {
  it('is requested only if the registered path has no document', () => {
    const asked = (reply: Reply) => a2a.followUps!(evidence({ [PATH]: reply })).map(({ url }) => url);
    expect(asked(status(404))).toEqual(['/.well-known/agent.json']);
    expect(asked(html())).toEqual(['/.well-known/agent.json']);
    expect(asked(json(current()))).toEqual([]);
    expect(asked(status(503))).toEqual([]);
  });

  it('is present there with a finding and a fix', () => {
    const result = probe({ [PATH]: status(404), '/.well-known/agent.json': json(older(), CACHED) });
    expect([result.cell.status, ids(result), fixIds(result)]).toEqual([
      'present',
      ['legacy_path'],
      ['a2a.legacy_path'],
    ]);
  });
});

describe('a2a: findings', () => {
  const interfaceAt = (url: string) => current({ supportedInterfaces: [{ ...RPC, url }] });

  it.each([
    ['a relative interface', interfaceAt('/a2a'), 'interface_url_relative'],
    ['an http interface', interfaceAt('http://shop.example.com/a2a'), 'interface_url_not_https'],
    ['a developer machine', interfaceAt('https://localhost:10999'), 'interface_url_localhost'],
    ['template text', interfaceAt('https://{{HOST}}/a2a'), 'interface_url_placeholder'],
    ['another site', interfaceAt('https://agents.other.net/a2a'), 'interface_on_other_site'],
    [
      'an interface without version',
      current({ supportedInterfaces: [omit(RPC, 'protocolVersion')] }),
      'protocol_version_missing',
    ],
    ['a leftover root field', current({ preferredTransport: 'JSONRPC' }), 'leftover_root_member'],
    ['no description', omit(current(), 'description'), 'member_missing'],
    ['no version', omit(current(), 'version'), 'member_missing'],
    ['no capabilities', omit(current(), 'capabilities'), 'member_missing'],
    ['no input modes', current({ defaultInputModes: [] }), 'member_missing'],
    ['no output modes', omit(current(), 'defaultOutputModes'), 'member_missing'],
    ['a skill without tags', current({ skills: [omit(SKILL, 'tags')] }), 'member_missing'],
    ['a second skill without id', current({ skills: [SKILL, omit(SKILL, 'id')] }), 'member_missing'],
    ['signatures that are not a list', current({ signatures: {} }), 'member_invalid'],
    ['a private key', current({ jwk: { kty: 'oct', k: 'very-secret' } }), 'private_key_leaked'],
  ])('notes %s and stays present', (_, document, expected) => {
    const result = at(document);
    expect([result.cell.status, ids(result)]).toEqual(['present', [expected]]);
  });

  it('resolves a relative interface against the card', () => {
    expect(at(interfaceAt('rpc')).cell.details['endpoint']).toBe(`${HOST}/.well-known/rpc`);
  });

  it('withholds the text of a card with a private key', () => {
    const result = at(current({ jwk: { kty: 'oct', k: 'very-secret' } }));
    expect(fixIds(result)).toEqual(['a2a.private_key']);
    expect(JSON.stringify(result)).not.toContain('very-secret');
  });

  it('reports duplicate fields and missing caching headers', () => {
    const text = JSON.stringify(current()).replace('{', '{"name":"First",');
    const result = probe({ [PATH]: json(text) });
    expect(result.cell.details).toMatchObject({ name: 'Lamp Agent' });
    expect(ids(result)).toEqual(['duplicate_keys', 'no_caching_headers']);
  });

  it('lists the extensions a card declares', () => {
    const extensions = [{ uri: 'https://example.com/ext/1' }, { description: 'no uri' }];
    expect(at(current({ capabilities: { extensions } })).cell.details['extensions']).toEqual([
      'https://example.com/ext/1',
    ]);
  });
});

describe('a2a: the interface', () => {
  const wishes = (document: Json, replies: Record<string, Reply> = {}) =>
    a2a.exercises!(evidence({ [PATH]: json(document), ...replies }));
  const read = (method: string) =>
    `{"jsonrpc":"2.0","id":1,"method":"${method}","params":{"id":"00000000-0000-4000-8000-000000000000"}}`;
  const rpcError = (code: number) => json({ jsonrpc: '2.0', id: 1, error: { code, message: 'x' } });
  const TASK = '/tasks/00000000-0000-4000-8000-000000000000';

  it('starts with a GET, and reads a nonexistent task only if the answer requires it', () => {
    expect(wishes(current())).toMatchObject([{ method: 'GET', url: `${HOST}/a2a` }]);
    expect(wishes(current(), { '/a2a': json({ ok: true }) })).toHaveLength(1);
    expect(wishes(current(), { '/a2a': status(401) })).toHaveLength(1);
    expect(wishes(current(), { '/a2a': status(405) })).toMatchObject([
      { method: 'GET' },
      { method: 'POST', url: `${HOST}/a2a`, body: read('GetTask'), headers: { 'A2A-Version': '1.0' } },
    ]);
    expect(wishes(older(), { '/a2a': status(405) })[1]).toMatchObject({ body: read('tasks/get') });
  });

  it('tries the other generation once if the method is unknown', () => {
    const replies = { '/a2a': status(405), [`POST /a2a ${read('GetTask')}`]: rpcError(-32601) };
    expect(wishes(current(), replies).map(({ body }) => body)).toEqual([undefined, read('GetTask'), read('tasks/get')]);
  });

  it('reads the task by path for the HTTP+JSON binding', () => {
    const binding = { protocolBinding: 'HTTP+JSON' };
    const now = current({ supportedInterfaces: [{ ...RPC, ...binding }] });
    expect(wishes(now, { '/a2a': status(404) })[1]).toMatchObject({ method: 'GET', url: `${HOST}/a2a${TASK}` });
    const before = older({ preferredTransport: 'HTTP+JSON', url: `${HOST}/a2a/` });
    expect(wishes(before, { '/a2a/': status(404) })[1]).toMatchObject({ url: `${HOST}/a2a/v1${TASK}` });
  });

  it('never sends a message, for any card', () => {
    const bodies = [current(), older()].flatMap((card) =>
      wishes(card, { '/a2a': status(400) }).map(({ body }) => body ?? ''),
    );
    expect(bodies.join()).not.toMatch(/message|send|stream/i);
  });

  it.each([
    ['gRPC', current({ supportedInterfaces: [{ ...RPC, protocolBinding: 'GRPC', url: 'shop.example.com:443' }] })],
    ['a web socket', current({ supportedInterfaces: [{ ...RPC, url: 'wss://shop.example.com/a2a' }] })],
    ['a template', current({ supportedInterfaces: [{ ...RPC, url: `${HOST}/{tenant}/a2a` }] })],
    ['another site', current({ supportedInterfaces: [{ ...RPC, url: 'https://agents.other.net/a2a' }] })],
  ])('does not request %s', (_, document) => {
    expect(wishes(document)).toEqual([]);
  });

  it('skips gRPC and uses the next interface it can call', () => {
    const grpc = { ...RPC, protocolBinding: 'GRPC', url: 'shop.example.com:443' };
    expect(wishes(current({ supportedInterfaces: [grpc, RPC] }))).toMatchObject([{ url: `${HOST}/a2a` }]);
  });

  const POST = `POST /a2a ${read('GetTask')}`;
  const NO_RPC = { '/a2a': status(405) };
  it.each([
    ['a JSON-RPC error', { ...NO_RPC, [POST]: rpcError(-32001) }, 200, 'answers', []],
    [
      'a JSON-RPC error under HTTP 400',
      { ...NO_RPC, [POST]: { ...rpcError(-32602), status: 400 } },
      400,
      'answers',
      [],
    ],
    ['a lenient GET', { '/a2a': json({ status: 'ok' }) }, 200, 'answers', []],
    ['a page with an agent behind it', { '/a2a': html(), [POST]: rpcError(-32001) }, 200, 'answers', []],
    ['a page alone', { '/a2a': html(), [POST]: status(405) }, 200, 'website', ['interface_is_website']],
    ['402', { '/a2a': status(402) }, 402, 'paid', []],
    ['401 undeclared', { '/a2a': status(401) }, 401, 'auth_required', ['interface_auth_undeclared']],
    ['404 twice', { '/a2a': status(404), [POST]: status(404) }, 404, 'not_found', ['interface_unreachable']],
    ['405 twice', { ...NO_RPC, [POST]: status(405) }, 405, 'not_found', ['interface_unreachable']],
    ['502', { '/a2a': status(502) }, 502, 'down', ['interface_unreachable']],
    ['a reset connection', { '/a2a': failure('connection_reset') }, undefined, 'down', ['interface_unreachable']],
    ['429', { '/a2a': status(429) }, 429, 'held_off', []],
    ['405 and no read of a task', NO_RPC, 405, 'held_off', []],
  ])('reports the last status and its meaning: %s', (_, replies, code, state, findings) => {
    const result = at(current(), replies);
    expect(result.cell.status).toBe('present');
    expect(result.cell.details['interfaceStatus']).toBe(code);
    expect(result.cell.details['interfaceState']).toBe(state);
    expect(ids(result)).toEqual(findings);
    expect(fixIds(result)).toEqual(findings.length > 0 ? ['a2a.interface'] : []);
    expect(result.cell.details['evidence']).toHaveLength(1 + Object.keys(replies).length);
  });

  it('accepts authentication if the card declares it', () => {
    const card = current({ securitySchemes: { key: { httpAuthSecurityScheme: { scheme: 'Bearer' } } } });
    expect(ids(at(card, { '/a2a': status(401) }))).toEqual([]);
  });

  it('distinguishes "no such task" from the response to a nonexistent path', () => {
    const card = current({ supportedInterfaces: [{ ...RPC, protocolBinding: 'HTTP+JSON' }] });
    const replies = { [PATH]: json(card, CACHED), '/a2a': status(404) };
    const problem = json({ title: 'Task not found' }, { status: 404 });
    const shrug = json({ detail: 'Not Found' }, { status: 404 });
    expect(probe({ ...replies, [`/a2a${TASK}`]: problem }, shrug).cell.details['interfaceState']).toBe('answers');
    expect(probe({ ...replies, [`/a2a${TASK}`]: shrug }, shrug).cell.details['interfaceState']).toBe('not_found');
  });

  it('makes no finding about an interface that was not requested', () => {
    expect(at(current()).cell.details).not.toHaveProperty('interfaceStatus');
  });
});

describe('a2a: advice', () => {
  it('advises a minimal card that this detector accepts', () => {
    const fix = probe({ [PATH]: status(404), '/.well-known/agent.json': status(404) }).fixes[0]!.fix;
    expect(fix).toContain(`${HOST}${PATH}`);
    const result = at(fix.slice(fix.indexOf('{')));
    expect([result.cell.status, ids(result)]).toEqual(['present', []]);
  });
});
