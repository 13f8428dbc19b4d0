import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { failure, html, json, plain, status, type Reply } from '../../../test/support/evidence';
import { probeSite } from '../../../test/support/site';
import { HostEvidence } from './evidence/host-evidence';
import { DETECTOR_IDS, DETECTORS, findDetector } from './registry';
import { runDetector } from './run-detector';

/** Behaviour 4.7, the order of every report; other ids may be anywhere. */
const SPEC_ORDER = ['ucp', 'acp', 'ap2', 'tap', 'mcp', 'a2a', 'x402', 'mpp', 'llms', 'ai-plugin', 'openapi'];

const files = readdirSync(__dirname, { recursive: true, encoding: 'utf8' }).map((file) => basename(file));
const named = (suffix: string): readonly string[] =>
  files.filter((file) => file.endsWith(suffix)).map((file) => file.slice(0, -suffix.length));

/** The ids in the table of behaviour 5: the first cell of each row, in backticks. */
function documentedIds(): readonly string[] {
  const rules = readFileSync(join(__dirname, '../../../docs/behaviour/protocols.md'), 'utf8');
  const section = rules.split(/^#+ /m).find((part) => part.startsWith('5. Protocols\n')) ?? '';
  return [...section.matchAll(/^\| `([^`]+)` +\|/gm)].map(([, id]) => id ?? '');
}

describe('the registry', () => {
  it('contains each detector file once, with the id of its name', () => {
    expect([...DETECTOR_IDS].sort()).toEqual([...named('.detector.ts')].sort());
    expect(new Set(DETECTOR_IDS).size).toBe(DETECTOR_IDS.length);
  });

  it('has a spec next to each detector', () => {
    expect(named('.detector.spec.ts')).toEqual(expect.arrayContaining([...DETECTOR_IDS]));
  });

  it('keeps the order of the report', () => {
    expect(DETECTOR_IDS.filter((id) => SPEC_ORDER.includes(id))).toEqual(SPEC_ORDER);
  });

  it('matches the list of behaviour 5', () => {
    expect(documentedIds()).toEqual(DETECTOR_IDS);
  });

  it('finds a detector by its id', () => {
    for (const detector of DETECTORS) expect(findDetector(detector.id)).toBe(detector);
    expect(findDetector('gopher')).toBeUndefined();
  });
});

/** Paths that only tell a detector where documents are; its protocol may be absent without them. */
const POINTERS: Readonly<Record<string, readonly string[]>> = {
  a2a: ['/.well-known/ard.json'],
  x402: ['/openapi.json'],
  mpp: ['/openapi.json', '/.well-known/x402'],
  llms: ['/.well-known/ard.json'],
  openapi: ['/.well-known/api-catalog', '/.well-known/ard.json'],
};
/** Answers of a path that do not show its content. */
const UNSEEN: readonly (readonly [what: string, reply: Reply, details: object])[] = [
  [
    '429',
    status(429, { headers: { 'retry-after': '30' } }),
    { reason: 'rate_limited', statusCode: 429, retryAfterSec: 30 },
  ],
  ['401', status(401), { reason: 'auth_required', statusCode: 401 }],
  ['403', status(403), { reason: 'forbidden', statusCode: 403 }],
  ['500', status(500), { reason: 'server_error', statusCode: 500 }],
  ['a timeout', failure('timeout'), { reason: 'timeout' }],
  ['a reset', failure('connection_reset'), { reason: 'connection_reset' }],
  ['headers beyond the cap', failure('headers_too_large'), { reason: 'headers_too_large' }],
  ['a refused redirect', failure('redirect_refused'), { reason: 'redirect_refused' }],
  ['a bot wall', html('', { status: 403, headers: { 'cf-mitigated': 'challenge' } }), { reason: 'bot_challenge' }],
  [
    'a wall of 202',
    html('', { status: 202, headers: { 'x-amzn-waf-action': 'challenge' } }),
    { reason: 'bot_challenge' },
  ],
  ['a truncated document', json('{"a":', { truncated: true }), { reason: 'too_large' }],
];

describe.each(DETECTORS.filter(({ id }) => id !== 'acp').map((detector) => [detector.id, detector] as const))(
  '%s, if not everything can be read,',
  (id, detector) => {
    const paths = detector.probes.map(({ url }) => url).filter((url) => !POINTERS[id]?.includes(url));

    it.each(UNSEEN)('is never absent for %s', async (_, reply, details) => {
      for (const path of paths) {
        const result = runDetector(detector, await probeSite({ [path]: reply }, status(404), [detector]));
        expect([path, result]).toMatchObject([path, { cell: { status: 'error', details }, fixes: [] }]);
      }
    });

    it('is absent if every path gets the same JSON, and at most partial if it gets the same page', async () => {
      const same = json({ message: 'ok' });
      const { cell } = runDetector(detector, await probeSite({ '/': same }, same, [detector]));
      expect(cell).toMatchObject({ status: 'absent', details: { catchAll: true } });
      const shown = runDetector(detector, await probeSite({}, html(), [detector])).cell;
      expect(shown.status).toBe(['mcp', 'llms', 'openapi'].includes(id) ? 'partial' : 'absent');
      if (!['ap2', 'mpp'].includes(id)) {
        expect(shown.details).toMatchObject({ note: 'html_not_machine_document', catchAll: true });
      }
    });
  },
);

/** Content that is not a document; some protocols have their own notes for prose and arrays. */
const NO_DOCUMENTS: readonly (readonly [what: string, reply: Reply, note: string])[] = [
  ['a page', html(), 'html_not_machine_document'],
  [
    'a page sent as JSON',
    html(undefined, { headers: { 'content-type': 'application/json' } }),
    'html_not_machine_document',
  ],
  ['an empty body', plain(''), 'empty_body'],
  ['broken JSON', json('{"a":"b",}'), 'not_json'],
  ['JSON with comments', json('{ // a\n "b": {} }'), 'not_json'],
  ['prose', plain('coming soon'), 'not_json'],
  ['an array', json([{}]), 'not_an_object'],
];
const OWN_WORDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  tap: { 'an array': 'no_keys_member' },
  openapi: { prose: 'no_openapi_member', 'an array': 'no_openapi_member' },
};

describe.each(['ucp', 'tap', 'mcp', 'a2a', 'ai-plugin', 'openapi'])('%s', (id) => {
  it.each(NO_DOCUMENTS)('is partial for %s at its path', async (what, reply, note) => {
    const detector = findDetector(id)!;
    const path = detector.probes[0]!.url;
    const { cell, fixes } = runDetector(detector, await probeSite({ [path]: reply }, status(404), [detector]));
    expect(cell).toMatchObject({ status: 'partial', details: { note: OWN_WORDS[id]?.[what] ?? note } });
    expect(fixes.map((fix) => fix.id)).toEqual([`${id}.partial`]);
  });
});

describe.each(DETECTORS.map((detector) => [detector.id, detector] as const))('%s', (id, detector) => {
  it('has an https URL of its specification', () => {
    expect(new URL(detector.spec).protocol).toBe('https:');
  });

  it('requests plain paths of the host', () => {
    for (const { url } of detector.probes) expect(url).toMatch(/^\/[^?#]*$/);
  });

  it('is absent on an empty host, with a fix', async () => {
    const { cell, fixes } = runDetector(detector, await probeSite({}));
    if (id === 'acp') {
      // Behaviour 5.2: never discoverable, and so never missing.
      expect([cell.status, fixes]).toEqual(['undiscoverable', []]);
    } else {
      expect([cell.status, fixes.map((fix) => fix.id)]).toEqual(['absent', [`${id}.missing`]]);
    }
  });

  it.each<readonly [string, Reply]>([
    ['no connection', failure('connect_refused')],
    ['a timeout', failure('timeout')],
    ['a broken certificate', failure('tls_error')],
    ['a spent budget', failure('budget_spent')],
    ['status 503', status(503)],
    ['status 401', status(401)],
  ])('is never present or absent if every request met %s', async (_, reply) => {
    const { cell, fixes } = runDetector(detector, await probeSite({ '/': reply }, reply));
    expect(cell.status).toBe(id === 'acp' ? 'undiscoverable' : 'error');
    expect(cell.details['reason']).not.toBe('detector_failed');
    expect(fixes).toEqual([]);
  });

  it('works without any exchange, and is not present', () => {
    const none = new HostEvidence({
      domain: 'shop.example.com',
      origin: 'https://shop.example.com',
      site: 'example.com',
      exchanges: [],
    });
    const { cell } = runDetector(detector, none);
    expect(cell.status).not.toBe('present');
    expect(cell.details['reason']).not.toBe('detector_failed');
    expect(() => detector.advise(detector.judge(none), none)).not.toThrow();
  });
});

describe('the plan of all detectors together', () => {
  it('requests the first choice of every detector on an empty host', async () => {
    const { exchanges } = await probeSite({});
    const asked = new Set(exchanges.map(({ url }) => new URL(url).pathname));
    for (const { url } of DETECTORS.flatMap(({ probes }) => probes)) expect(asked).toContain(url);
  });
});
