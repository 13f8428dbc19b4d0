import fc from 'fast-check';
import {
  acceptV2,
  authenticates,
  base64,
  challengeV2,
  paywalled,
  paywalledInBody,
} from '../../../../test/support/challenges';
import { evidence as hostWith, failure, html, json, status, type Reply } from '../../../../test/support/evidence';
import { mpp } from '../mpp/mpp.detector';
import { runDetector } from '../run-detector';
import { x402 } from '../x402/x402.detector';

const evidence = (replies: Readonly<Record<string, Reply>>) =>
  hostWith({ '/.well-known/x402': status(404), ...replies });

const ROUTE = 'https://shop.example.com/api/report';
const OPTION = { scheme: 'exact', network: 'eip155:8453' };
const described = (operation: unknown) => ({
  '/openapi.json': json({
    openapi: '3.1.0',
    info: { title: 'Shop', version: '1' },
    paths: { '/api/report': { get: operation } },
  }),
});
const INFO = { price: { mode: 'fixed', currency: 'USD', amount: '0.01' }, protocols: [{ x402: {} }] };

/** All ways in which a host advertises that the route is paid by x402. */
const ADVERTISERS: Readonly<Record<string, Readonly<Record<string, Reply>>>> = {
  'manifest of version 1': { '/.well-known/x402': json({ version: 1, resources: [ROUTE] }) },
  'manifest with x402Version': { '/.well-known/x402': json({ x402Version: 2, resources: [ROUTE] }) },
  'manifest with endpoints': { '/.well-known/x402': json({ version: 1, endpoints: { '/api/report': {} } }) },
  'manifest of the .json spelling': {
    '/.well-known/x402.json': json({ x402Version: 2, items: [{ resource: { url: ROUTE } }] }),
  },
  'manifest that is the home page': { '/': json({ x402Version: 2, resources: [ROUTE] }) },
  'items of a home page': { '/': json({ x402Version: 1, items: [{ resource: { url: ROUTE } }] }) },
  'description that the home page names': {
    '/': json({ x402Version: 2, openapi: '/priced.json' }),
    '/priced.json': described({ 'x-payment-info': INFO })['/openapi.json'],
  },
  'manifest that is a list': { '/.well-known/x402': json([ROUTE]) },
  'x-payment-info': described({ 'x-payment-info': INFO }),
  'x-x402 with options': described({ 'x-x402': { accepts: [OPTION] } }),
  'x-x402: true': described({ 'x-x402': true }),
  'both kinds of documents': {
    '/.well-known/x402': json({ x402Version: 1, resources: [ROUTE] }),
    ...described({ 'x-payment-info': INFO }),
  },
};
const DOCUMENTED = described({ responses: { 402: { description: 'Payment Required' } } });

const wall = (headers: Reply['headers'] = {}) =>
  html('<!doctype html><title>Just a moment...</title>', { status: 403, headers });
/** Answers and failures that do not show the terms of a route. */
const UNANSWERED: Readonly<Record<string, Reply>> = {
  auth_required: status(401),
  forbidden: status(403),
  bot_challenge: wall({ 'cf-mitigated': 'challenge' }),
  rate_limited: status(429, { headers: { 'retry-after': '60' } }),
  server_error: status(503, { headers: { 'retry-after': '30' } }),
  ...Object.fromEntries(
    (
      [
        'timeout',
        'connection_reset',
        'connect_refused',
        'tls_error',
        'headers_too_large',
        'too_large',
        'bad_encoding',
        'protocol_error',
        'redirect_loop',
      ] as const
    ).map((reason) => [reason, failure(reason)]),
  ),
};
const SERVER_ERRORS = [500, 502, 503, 504, 520, 529].map((code) => status(code));

const called = (get: Reply, post: Reply = get): Readonly<Record<string, Reply>> => ({
  '/api/report': { ...get, phase: 'callability' },
  'POST /api/report {}': post,
});

describe('an advertised route that did not answer', () => {
  const advertiser = fc.constantFrom(...Object.entries(ADVERTISERS), ['a documented 402', DOCUMENTED] as const);
  const nothing = fc.constantFrom(status(404), status(405), json({ ok: true }));
  const silence = fc.oneof(
    fc.constantFrom(...Object.entries(UNANSWERED)),
    fc.constantFrom(...SERVER_ERRORS).map((reply) => ['server_error', reply] as const),
  );

  it('causes an error with its reason and evidence and without a fix, for each kind of advertiser', () => {
    fc.assert(
      fc.property(advertiser, silence, fc.option(nothing), ([, documents], [reason, reply], got) => {
        const seen = evidence({ ...documents, ...(got ? called(got, reply) : called(reply)) });
        const { cell, fixes } = runDetector(x402, seen);
        expect(cell).toMatchObject({ status: 'error', details: { reason } });
        expect(cell.details['evidence']).toEqual(
          expect.arrayContaining([expect.objectContaining({ url: ROUTE, ...(reply.failure && { failure: reason }) })]),
        );
        expect(fixes).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  it.each([301, 302, 303, 307, 308])('is not followed after a POST (%i), so its result is unknown', (code) => {
    const moved = called(status(404), status(code, { headers: { location: `${ROUTE}/` } }));
    for (const documents of Object.values(ADVERTISERS))
      expect(runDetector(x402, evidence({ ...documents, ...moved })).cell).toMatchObject({
        status: 'error',
        details: { reason: 'refused', statusCode: code },
      });
  });

  it('is reported along with the challenge of another route, valid or not', () => {
    const manifest = { '/.well-known/x402': json({ x402Version: 2, resources: [ROUTE, '/api/other'] }) };
    for (const other of [paywalled(), paywalled(challengeV2([]))]) {
      const { cell } = runDetector(x402, evidence({ ...manifest, ...called(status(503)), '/api/other': other }));
      expect(cell.details).toMatchObject({ reason: 'server_error', statusCode: 503 });
      expect(cell.details['findings']).toEqual(expect.arrayContaining([{ id: 'server_error', at: ROUTE }]));
    }
    const offers = { ...described({ 'x-payment-info': { offers: [{ intent: 'charge', method: 'tempo' }] } }) };
    const { cell } = runDetector(mpp, evidence({ ...offers, ...called(status(500)), '/': authenticates() }));
    expect(cell).toMatchObject({ status: 'present', details: { reason: 'server_error' } });
  });

  it('counts as answered if its response has no x402, so the manifest decides', () => {
    const cells = Object.entries(ADVERTISERS).map(([name, documents]) => {
      const { cell, fixes } = runDetector(x402, evidence({ ...documents, ...called(status(404)) }));
      return [name, cell.status, cell.details['note'], fixes.map(({ id }) => id).join()];
    });
    expect(cells).toEqual([
      ['manifest of version 1', 'partial', 'manifest_without_x402version', 'x402.partial'],
      ['manifest with x402Version', 'present', undefined, ''],
      ['manifest with endpoints', 'partial', 'manifest_without_x402version', 'x402.partial'],
      ['manifest of the .json spelling', 'present', undefined, ''],
      ['manifest that is the home page', 'present', undefined, ''],
      ['items of a home page', 'present', undefined, ''],
      ['description that the home page names', 'present', undefined, ''],
      ['manifest that is a list', 'partial', 'manifest_without_x402version', 'x402.partial'],
      ['x-payment-info', 'absent', undefined, 'x402.missing'],
      ['x-x402 with options', 'absent', undefined, 'x402.missing'],
      ['x-x402: true', 'absent', undefined, 'x402.missing'],
      ['both kinds of documents', 'present', undefined, ''],
    ]);
  });
});

describe('a due route that a probe did not reach', () => {
  const advertiser = fc.constantFrom(...Object.values(ADVERTISERS));
  /** Answers to a GET that should be followed by a POST, if no document states the method. */
  const half = fc.constantFrom(status(404), status(405), json({ ok: true }), html(), { body: 'hello' }, status(402));
  const CALLED = { '/called': status(404, { phase: 'callability' }) };
  const WALLED = Object.fromEntries(
    ['/called', '/other'].map((path) => [
      path,
      { ...wall({ 'cf-mitigated': 'challenge' }), phase: 'callability' as const },
    ]),
  );

  it('has the reason not_reached, or the reason why the probe ended, without a fix', () => {
    fc.assert(
      fc.property(
        advertiser,
        fc.boolean(),
        fc.constantFrom('none', 'cut', 'half'),
        half,
        (documents, isWalled, how, got) => {
          const isGet = JSON.stringify(documents).includes('openapi');
          const made = {
            none: {},
            cut: { '/api/report': failure('budget_spent', { phase: 'callability' }) },
            half: { '/api/report': got },
          };
          const seen = evidence({
            ...documents,
            ...made[isGet && how === 'half' ? 'none' : how],
            ...(isWalled ? WALLED : CALLED),
          });
          const { cell, fixes } = runDetector(x402, seen);
          expect(cell).toMatchObject({
            status: 'error',
            details: { reason: isWalled ? 'bot_challenge' : 'not_reached' },
          });
          expect(fixes).toEqual([]);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('gives the reason along with the challenge of another route; in a probe without calls it is partial', () => {
    const offers = described({ 'x-payment-info': { offers: [{ intent: 'charge', method: 'tempo' }] } });
    for (const [detector, documents, challenge] of [
      [x402, described({ 'x-payment-info': INFO }), paywalled()],
      [mpp, offers, authenticates()],
    ] as const) {
      const reasonOf = (replies: Readonly<Record<string, Reply>>) => {
        const { status: is, details } = runDetector(detector, evidence({ ...documents, ...replies })).cell;
        return [is, details['reason']];
      };
      expect(reasonOf({ '/': challenge })).toEqual(['present', 'not_reached']);
      expect(reasonOf(CALLED)).toEqual(['error', 'not_reached']);
      expect(reasonOf({})).toEqual(['partial', 'not_exercised']);
    }
  });
});

describe('a route that validates before it charges', () => {
  it('is partial for x402 and MPP, with any answer to an empty POST', () => {
    const offers = described({ 'x-payment-info': { offers: [{ intent: 'charge', method: 'tempo', amount: '1' }] } });
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.values(ADVERTISERS).map((documents) => [x402, documents] as const), [
          mpp,
          offers,
        ] as const),
        fc.constantFrom(400, 422),
        fc.constantFrom(status(404), status(405), status(400), json({ ok: true }), status(401), status(500)),
        ([detector, documents], code, posted) => {
          const refusing = json({ error: 'rope is required' }, { status: code });
          const { cell, fixes } = runDetector(detector, evidence({ ...documents, ...called(refusing, posted) }));
          expect(cell).toMatchObject({
            status: 'partial',
            details: { note: 'payment_gate_behind_validation', reason: 'not_exercised' },
          });
          expect(fixes.map(({ id }) => id)).toEqual(detector === x402 ? ['x402.partial'] : []);
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe('a host that refuses nonexistent paths', () => {
  const bodies: readonly ((word: string) => Reply)[] = [
    (error) => json({ error }),
    (error) => json({ error, path: '/api/report', requestId: '7f3a9c' }),
    (error) => html(`<!doctype html><title>${error}</title><h1>${error}</h1>`),
    (error) => ({ body: error }),
  ];
  const body = fc.constantFrom(...bodies);
  const advertiser = fc.constantFrom(...Object.values(ADVERTISERS));
  const judged = (documents: Readonly<Record<string, Reply>>, route: Reply, rest: Reply, post = route) =>
    runDetector(x402, hostWith({ '/.well-known/x402': status(404), ...documents, ...called(route, post) }, rest)).cell;

  it('with the same status and shape: a different route validates first, and an equal one is undecided', () => {
    fc.assert(
      fc.property(advertiser, fc.constantFrom(400, 411, 415, 422, 428), body, (documents, code, form) => {
        const rest = { ...form('no such resource'), status: code };
        const other = { ...form('the field city must be a town'), status: code };
        expect(judged(documents, other, rest)).toMatchObject({
          status: 'partial',
          details: { note: 'payment_gate_behind_validation' },
        });
        for (const post of [rest, status(404)])
          expect(judged(documents, rest, rest, post)).toMatchObject({
            status: 'error',
            details: { reason: 'refused', statusCode: code },
          });
      }),
      { numRuns: 60 },
    );
  });

  it('with a 403 also forbids the priced route', () => {
    fc.assert(
      fc.property(advertiser, body, fc.constantFrom(404, 405, 403), (documents, form, code) => {
        const rest = { ...form('Forbidden'), status: 403 };
        const post = code === 403 ? rest : status(code);
        expect(judged(documents, rest, rest, post)).toMatchObject({
          status: 'error',
          details: { reason: 'forbidden', statusCode: 403 },
        });
        expect(judged(documents, rest, rest, paywalled())).toMatchObject({ status: 'present' });
      }),
      { numRuns: 60 },
    );
  });
});

describe('an invalid live challenge', () => {
  const CHALLENGES: readonly (readonly [note: string, reply: Reply, word: string])[] = [
    ['accepts_incomplete', paywalled(challengeV2([acceptV2({ amount: undefined })])), 'payTo'],
    ['payto_empty', paywalled(challengeV2([acceptV2({ asset: undefined, payTo: undefined })])), 'payTo'],
    ['accepts_empty', paywalled({ x402Version: 2 }), 'accepts'],
    ['accepts_empty', paywalled(challengeV2([])), 'accepts'],
    ['v2_in_body_only', paywalledInBody({ x402Version: 2 }), 'header'],
    ['v2_in_body_only', paywalledInBody(challengeV2()), 'header'],
    ['payment_required_header_not_base64', { status: 402, headers: { 'payment-required': 'pay me!' } }, 'not_base64'],
    [
      'payment_required_header_invalid_json',
      { status: 402, headers: { 'payment-required': base64('{') } },
      'invalid_json',
    ],
    ['x402_version_unrecognised', paywalled({ ...challengeV2(), x402Version: 3 }), 'x402Version'],
    ['payment_required_without_challenge', json({ error: 'Payment Required' }, { status: 402 }), '402'],
    ['payment_required_without_challenge', status(402), '402'],
    ['insufficient_credits', json({ error: 'Insufficient credits' }, { status: 402 }), 'credits'],
    ['unpaid_account_402', html('<!doctype html><title>Pay</title>', { status: 402 }), 'page'],
    ['l402_challenge', authenticates('L402 macaroon="AGIA", invoice="lnbc1"'), 'L402'],
  ];

  it.each(CHALLENGES)('takes precedence over each kind of document: %s', (note, reply, word) => {
    for (const documents of Object.values(ADVERTISERS)) {
      const { cell, fixes } = runDetector(x402, evidence({ ...documents, ...called(reply) }));
      expect(cell).toMatchObject({ status: 'partial', details: { note } });
      expect(fixes).toMatchObject([{ id: 'x402.partial', problem: expect.stringContaining(word) as string }]);
    }
  });

  it('decides for MPP as for x402, including a 402 without a challenge', () => {
    const info = (stated: unknown) => described({ 'x-payment-info': stated });
    const advertisers = [
      info({ offers: [{ intent: 'charge', method: 'tempo', amount: '1' }] }),
      info({ protocols: [{ mpp: {} }] }),
      info({ price: { amount: '0.01' }, protocols: ['x402', 'mpp'] }),
      { '/.well-known/x402': json({ version: 1, mppResources: [ROUTE] }) },
      { '/': json({ x402Version: 2, mppResources: [ROUTE] }) },
    ];
    const bare = CHALLENGES.filter(([note]) => note.endsWith('402') || /^(?:payment_r.*challenge|ins|l402)/.test(note));
    const broken = ['Payment', 'payment', 'Payment ', 'Payment realm="shop"', 'Bearer, Payment'].map(
      (line) =>
        [/realm/.test(line) ? 'mpp_id_missing' : 'mpp_challenge_malformed', authenticates(line), 'Payment'] as const,
    );
    expect(bare).toHaveLength(5);
    for (const [note, reply, word] of [...bare, ...broken])
      for (const documents of advertisers) {
        const { cell, fixes } = runDetector(mpp, evidence({ ...documents, ...called(reply) }));
        expect([word, cell]).toMatchObject([word, { status: 'partial', details: { note } }]);
        expect(fixes).toMatchObject([{ id: 'mpp.partial', problem: expect.stringContaining(word) as string }]);
      }
  });

  it('is not x402 if the 402 is only documented, and the cell says what it is', () => {
    const reply = json({ error: { code: 'insufficient_credits' } }, { status: 402 });
    const seen = evidence({ ...DOCUMENTED, ...called(reply) });
    const results = [x402, mpp].map((detector) => runDetector(detector, seen));
    expect(results.map(({ cell }) => cell.status)).toEqual(['absent', 'absent']);
    expect(results[0]?.cell.details).toMatchObject({ note: 'insufficient_credits' });
    expect(results[0]?.fixes).toMatchObject([{ problem: expect.stringContaining('credits are used up') as string }]);
    expect(results[1]?.cell.details['findings']).toEqual([{ id: 'insufficient_credits', at: ROUTE }]);
  });
});

describe('a URL that clients cannot call as written', () => {
  const server = (urls: string, operation: unknown = { 'x-payment-info': INFO }) => ({
    '/openapi.json': json({
      openapi: '3.0.1',
      info: { title: 'Shop', version: '1' },
      servers: urls.split(' ').map((url) => ({ url })),
      paths: { '/api/report': { get: operation } },
    }),
  });
  const ids = (result: ReturnType<typeof runDetector>) =>
    ((result.cell.details['findings'] ?? []) as { id: string }[]).map(({ id }) => id);

  it('is requested over https if a manifest has http, and may be payable', () => {
    const documents = { '/.well-known/x402': json({ x402Version: 2, resources: [ROUTE.replace('https', 'http')] }) };
    expect(x402.exercises?.(evidence(documents))).toContainEqual({ method: 'GET', url: ROUTE });
    const paid = runDetector(x402, evidence({ ...documents, '/api/report': paywalled() }));
    expect(paid.cell).toMatchObject({ status: 'present', details: { accepts: [{ reasons: [] }] } });
    expect(ids(paid)).toContain('endpoint_not_https');
    expect(paid.fixes).toMatchObject([{ id: 'x402.address', fix: expect.stringContaining('https://') as string }]);
  });

  it('is requested over https on port 443 for any name, port or user, and another port never makes it absent', () => {
    const names = fc.constantFrom('shop.example.com', 'api.example.com', 'example.com', 'www.example.com');
    const port = fc.constantFrom('', ':80', ':443', ':3000', ':8000', ':8443');
    const nonsense = '0123456789abcdef0123456789abcdef';
    /** A host that redirects every path to `www.`. */
    const moved = Object.fromEntries(
      ['/', `/.well-known/${nonsense}.json`, `/${nonsense}.txt`].map((path) => {
        const redirects = [{ status: 301, location: `https://www.example.com${path}` }];
        return [path, path === '/' ? html(undefined, { redirects }) : status(404, { redirects })];
      }),
    );
    const origins = fc.tuple(fc.constantFrom('http', 'https'), fc.constantFrom('', 'me:pw@'), names, port);
    fc.assert(
      fc.property(origins, fc.boolean(), ([scheme, user, name, at], isMoved) => {
        const isOther = !['', ':443', scheme === 'http' ? ':80' : ''].includes(at);
        const faults = {
          endpoint_not_https: scheme === 'http',
          endpoint_port: isOther,
          endpoint_userinfo: user !== '',
        };
        const due = Object.entries(faults)
          .filter(([, holds]) => holds)
          .slice(0, 1);
        const documents = { ...server(`${scheme}://${user}${name}${at}`), ...(isMoved ? moved : {}) };
        const host = (replies: Readonly<Record<string, Reply>>) => evidence({ ...documents, ...replies });
        const route = `https://${isMoved && name === 'shop.example.com' ? 'www.example.com' : name}/api/report`;
        expect(x402.exercises?.(host({}))).toContainEqual({ method: 'GET', url: `https://${name}/api/report` });
        const paid = runDetector(x402, host({ [route]: paywalled() }));
        const found = ids(paid).filter((id) => id in faults);
        expect([paid.cell.status, found]).toEqual(['present', due.map(([id]) => id)]);
        expect(paid.fixes.map(({ id }) => id)).toEqual(due.map(() => 'x402.address'));
        const gone = { [route]: status(404, { phase: 'callability' }), [`POST ${route} {}`]: status(404) };
        const { cell } = runDetector(x402, host(gone));
        expect(cell).toMatchObject(
          isOther ? { status: 'partial', details: { reason: 'not_exercised' } } : { status: 'absent' },
        );
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    'http://localhost:8080',
    'https://localhost',
    'http://127.0.0.1:3000/v1',
    'http://[::1]:8080',
    'http://10.0.0.7',
    'http://backend:8080',
    'http://api.internal',
    'http://shop.local:5000',
    'http://nas.lan',
    'https://router.home.arpa',
    'https://api.corp',
    'https://api.localhost:8443',
    'placeholder_url https://{{host}}',
    'placeholder_url https://your-domain.com',
    'placeholder_url https://api.example.net/v1',
    'placeholder_url http://example.org',
    'placeholder_url https://petstore.example',
    'placeholder_url https://api.invalid',
    'tunnel_url https://a1b2-203-0-113-5.ngrok-free.app',
    'tunnel_url https://lamps.ngrok.dev',
    'tunnel_url https://brass-lamp.trycloudflare.com/v1',
    'tunnel_url http://lamps.loca.lt',
    'tunnel_url https://abc-8080.euw.devtunnels.ms',
    'ip_url http://203.0.113.7:8080',
    'ip_url https://198.51.100.9/v1',
    'ip_url https://[2001:db8::7]/',
    'ip_url https://0xcb007107',
  ])('has a finding and a fix, and nothing is absent: %s', (row) => {
    const [, due = 'local_url', url = row] = /^(\w+_url) (.*)$/.exec(row) ?? [];
    const manifest = { '/.well-known/x402.json': json({ version: 1, resources: [`${url}/api/report`] }) };
    for (const documents of [
      server(url, { 'x-payment-info': INFO }),
      server(url, { responses: { 402: { description: 'Payment' } } }),
      ...(url.includes('{') ? [] : [manifest]),
    ]) {
      // In a presence probe, the kind of the manifest decides.
      for (const phase of documents === manifest
        ? (['callability'] as const)
        : (['presence', 'callability'] as const)) {
        const result = runDetector(x402, evidence({ ...documents, '/other': status(404, { phase }) }));
        expect(result.cell).toMatchObject({ status: 'partial', details: { reason: 'not_exercised' } });
        expect(ids(result)).toEqual([due]);
        expect(result.fixes.map(({ id }) => id)).toEqual(['x402.address']);
      }
      expect((x402.exercises?.(evidence(documents)) ?? []).map((request) => request.url)).not.toContain(
        `${url}/api/report`,
      );
    }
  });

  it('is skipped for the next server of the list', () => {
    for (const local of ['http://localhost:8080', 'https://{{host}}', 'http://10.0.0.7/v1', 'https://nas.lan']) {
      const seen = evidence(server(`${local} https://shop.example.com`));
      expect(x402.exercises?.(seen)).toContainEqual({ method: 'GET', url: ROUTE });
    }
  });

  it('ignores servers of other sites and their ports', () => {
    const { cell } = runDetector(x402, evidence(server('http://api.other.org')));
    expect(cell).toMatchObject({ status: 'absent' });
    expect(ids({ cell, fixes: [] })).toEqual([]);
  });
});
