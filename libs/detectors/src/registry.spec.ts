import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { failure, html, json, plain, status, type Reply } from '../../../test/support/evidence';
import { probeSite } from '../../../test/support/site';
import { HostEvidence } from './evidence/host-evidence';
import { DETECTOR_IDS, DETECTORS, findDetector } from './registry';
import { runDetector } from './run-detector';

/** Behaviour 4.7, the order of every report; ids beyond it may stand anywhere. */
const SPEC_ORDER = ['ucp', 'acp', 'ap2', 'tap', 'mcp', 'a2a', 'x402', 'mpp', 'llms', 'ai-plugin', 'openapi'];

const files = readdirSync(__dirname, { recursive: true, encoding: 'utf8' }).map((file) => basename(file));
const named = (suffix: string): readonly string[] =>
  files.filter((file) => file.endsWith(suffix)).map((file) => file.slice(0, -suffix.length));

/** Ids of the table of behaviour 5: the first cell of each row, in backticks. */
function documentedIds(): readonly string[] {
  const rules = readFileSync(join(__dirname, '../../../docs/behaviour/protocols.md'), 'utf8');
  const section = rules.split(/^#+ /m).find((part) => part.startsWith('5. Protocols\n')) ?? '';
  return [...section.matchAll(/^\| `([^`]+)` +\|/gm)].map(([, id]) => id ?? '');
}

describe('the registry', () => {
  it('lists each detector file once, under the id in its name', () => {
    expect([...DETECTOR_IDS].sort()).toEqual([...named('.detector.ts')].sort());
    expect(new Set(DETECTOR_IDS).size).toBe(DETECTOR_IDS.length);
  });

  it('has a spec beside each detector', () => {
    expect(named('.detector.spec.ts')).toEqual(expect.arrayContaining([...DETECTOR_IDS]));
  });

  it('keeps the order of the report', () => {
    expect(DETECTOR_IDS.filter((id) => SPEC_ORDER.includes(id))).toEqual(SPEC_ORDER);
  });

  it('is what behaviour 5 lists', () => {
    expect(documentedIds()).toEqual(DETECTOR_IDS);
  });

  it('finds a detector by its id and no other', () => {
    for (const detector of DETECTORS) expect(findDetector(detector.id)).toBe(detector);
    expect(findDetector('gopher')).toBeUndefined();
  });
});

/** Paths at which a detector learns no more than where documents are: its protocol may be absent without them. */
const POINTERS: Readonly<Record<string, readonly string[]>> = {
  a2a: ['/.well-known/ard.json'],
  x402: ['/openapi.json'],
  mpp: ['/openapi.json', '/.well-known/x402'],
  llms: ['/.well-known/ard.json'],
  openapi: ['/.well-known/api-catalog', '/.well-known/ard.json'],
};
/** What a path may answer that says nothing of what is there. */
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
  ['a document that is cut', json('{"a":', { truncated: true }), { reason: 'too_large' }],
];

describe.each(DETECTORS.filter(({ id }) => id !== 'acp').map((detector) => [detector.id, detector] as const))(
  '%s, where not all can be seen,',
  (id, detector) => {
    const paths = detector.probes.map(({ url }) => url).filter((url) => !POINTERS[id]?.includes(url));

    it.each(UNSEEN)('never calls %s absent', async (_, reply, details) => {
      for (const path of paths) {
        const result = runDetector(detector, await probeSite({ [path]: reply }, status(404), [detector]));
        expect([path, result]).toMatchObject([path, { cell: { status: 'error', details }, fixes: [] }]);
      }
    });

    it('is absent where every path gets the same JSON, and at most partial where it gets the same page', async () => {
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

/** What stands at the path of a document and is none; of prose and arrays some have words of their own. */
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
  it.each(NO_DOCUMENTS)('calls %s at its path partial', async (what, reply, note) => {
    const detector = findDetector(id)!;
    const path = detector.probes[0]!.url;
    const { cell, fixes } = runDetector(detector, await probeSite({ [path]: reply }, status(404), [detector]));
    expect(cell).toMatchObject({ status: 'partial', details: { note: OWN_WORDS[id]?.[what] ?? note } });
    expect(fixes.map((fix) => fix.id)).toEqual([`${id}.partial`]);
  });
});

describe.each(DETECTORS.map((detector) => [detector.id, detector] as const))('%s', (id, detector) => {
  it('names its specification by an https URL', () => {
    expect(new URL(detector.spec).protocol).toBe('https:');
  });

  it('asks for plain paths of the host', () => {
    for (const { url } of detector.probes) expect(url).toMatch(/^\/[^?#]*$/);
  });

  it('says absent on a bare host and how to publish the protocol', async () => {
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
  ])('never says present or absent where everything met %s', async (_, reply) => {
    const { cell, fixes } = runDetector(detector, await probeSite({ '/': reply }, reply));
    expect(cell.status).toBe(id === 'acp' ? 'undiscoverable' : 'error');
    expect(cell.details['reason']).not.toBe('detector_failed');
    expect(fixes).toEqual([]);
  });

  it('judges without any exchange, and does not say present', () => {
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
  it('asks every first choice on a bare host', async () => {
    const { exchanges } = await probeSite({});
    const asked = new Set(exchanges.map(({ url }) => new URL(url).pathname));
    for (const { url } of DETECTORS.flatMap(({ probes }) => probes)) expect(asked).toContain(url);
  });
});
