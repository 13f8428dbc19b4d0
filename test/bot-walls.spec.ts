import { randomBytes, randomInt } from 'node:crypto';
import { DETECTORS, HostEvidence, judgeHost, type HostJudgement } from '@app/detectors';
import { paymentRails } from '@app/reports';
import type { Prober } from '@app/probing';
import { hostName, testProber } from './support/probing';
import { redirects, says, startTestHost, type Route, type TestHost } from './support/test-host';

const page = (title: string, body = '<h1>One moment</h1>'): string =>
  `<!doctype html><html><head><title>${title}</title></head><body>${body}</body></html>`;

const html = (body: string, status: number, headers: Readonly<Record<string, string>> = {}): Route =>
  says(body, { 'content-type': 'text/html', ...headers }, status);

/** Bot walls as each provider answers a blocked client, with the reason that every cell must give. */
const WALLS: readonly (readonly [name: string, route: Route, reason: string])[] = [
  ['Cloudflare, challenge 403', html(page('Just a moment...'), 403, { 'cf-mitigated': 'challenge' }), 'bot_challenge'],
  ['Cloudflare, challenge 503', html(page('Just a moment...'), 503, { 'cf-mitigated': 'challenge' }), 'bot_challenge'],
  ['Cloudflare, blocked', html(page('Attention Required! | Cloudflare'), 403), 'bot_challenge'],
  ['Vercel, challenge 429', html(page('Vercel'), 429, { 'x-vercel-mitigated': 'challenge' }), 'bot_challenge'],
  ['Vercel, token', html(page('Vercel'), 403, { 'x-vercel-challenge-token': '2.1700000000' }), 'bot_challenge'],
  ['AWS WAF, challenge 202', html('', 202, { 'x-amzn-waf-action': 'challenge' }), 'bot_challenge'],
  ['AWS WAF, captcha 405', html(page('Human?'), 405, { 'x-amzn-waf-action': 'captcha' }), 'bot_challenge'],
  [
    'SiteGround, refresh 202',
    html('<html><head><meta http-equiv="refresh" content="0;/.well-known/sgcaptcha/?r=%2F"></head></html>', 202),
    'bot_challenge',
  ],
  [
    'SiteGround, redirect',
    (request, response) => {
      const captcha = request.url?.startsWith('/.well-known/sgcaptcha/') ?? false;
      (captcha ? html(page('Robot?'), 200) : redirects('/.well-known/sgcaptcha/?r=%2F'))(request, response);
    },
    'bot_challenge',
  ],
  ['Imperva, 403', html(page('Denied', '<iframe src="/_Incapsula_Resource?CWUDNSAI=1">'), 403), 'bot_challenge'],
  [
    'Imperva, script on 200',
    html('<html><head><script src="/_Incapsula_Resource?SWJIYLWA=7"></script></head><body></body></html>', 200),
    'bot_challenge',
  ],
  ['DataDome, cookie', html(page('shop'), 403, { 'set-cookie': 'datadome=a1; Path=/' }), 'bot_challenge'],
  ['DataDome, header', html(page('shop'), 403, { 'x-datadome': 'protected' }), 'bot_challenge'],
  ['Akamai', html(page('Access Denied', 'Reference&#32;&#35;18&#46;2f1d'), 403), 'bot_challenge'],
  ['Red Shield', html(page('Blocked', 'Write to support@redshield.co'), 403), 'bot_challenge'],
  ['Web Bot Auth gate', says('', { 'accept-signature': 'sig1=("@authority")' }, 403), 'bot_challenge'],
  ['pay per crawl', html(page('Pay'), 402, { 'crawler-price': 'USD 0.01' }), 'payment_required'],
  ['licence gate 401', says('', { 'www-authenticate': 'License error="invalid_request"' }, 401), 'auth_required'],
  ['licence gate 402', says('', { 'www-authenticate': 'License' }, 402), 'payment_required'],
  ['basic auth', says('', { 'www-authenticate': 'Basic realm="staging"' }, 401), 'auth_required'],
  ['403 for everything', html(page('Forbidden'), 403), 'forbidden'],
  ['429 with seconds', says('', { 'retry-after': '60' }, 429), 'rate_limited'],
  ['429 with a date', says('', { 'retry-after': 'Sun, 01 Nov 2093 12:00:00 GMT' }, 429), 'rate_limited'],
  ['maintenance 503', html(page('Back soon'), 503, { 'retry-after': '3600' }), 'server_error'],
  ...[400, 405, 406, 409, 418, 451].map(
    (status) => [`${status} for everything`, html(page('No'), status), 'refused'] as const,
  ),
  [
    'a firewall, 200',
    (_request, response) => {
      html(page('Request Rejected', `The requested URL was rejected. Your support ID is: ${randomInt(2 ** 40)}`), 200)(
        _request,
        response,
      );
    },
    'block_page',
  ],
  ['a queue, 200', html(page('Waiting Room', 'You are now in line.'), 200), 'waiting_room'],
  ['a form to sign in, 200', html(page('Sign in', '<input type="password">'), 200), 'auth_required'],
  ['a login on another host', redirects('https://login.idp.example.net/authorize'), 'redirected_to_login'],
  ['a queue on another host', redirects('https://shop.queue-it.example.net/?c=shop'), 'waiting_room'],
  ['another site', redirects('https://other.example.net/', 301), 'redirected_elsewhere'],
  [
    'its own login page',
    (request, response) => {
      (request.url === '/login' ? html(page('Sign in'), 200) : redirects('/login'))(request, response);
    },
    'redirected_to_login',
  ],
];

/** Hosts that answer every path with success. */
const CATCH_ALLS: readonly (readonly [name: string, route: Route])[] = [
  ['one page', html(page('Shop', '<div id="root"></div>'), 200)],
  ['one JSON answer', says('{"message":"ok"}')],
  ['a JSON error under 200', says('{"code":404000,"error":"not found"}')],
  [
    'a document with fields of every protocol',
    says(
      JSON.stringify({
        name: 'api',
        version: '1.0.0',
        url: 'https://shop.example.com/api',
        endpoint: 'https://shop.example.com/api',
        skills: [{ id: 'a', name: 'a' }],
        keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'aHv_VKFxY5LP-sPbBqgmsp3iHoMZbWbi37Qv5zQZZKs' }],
        openapi: '3.1.0',
        info: { title: 'a', version: '1' },
        paths: {},
        schema_version: 'v1',
        name_for_model: 'a',
        api: { type: 'openapi', url: 'https://shop.example.com/openapi.json' },
        ucp: { version: '2026-08-25', services: { 'dev.ucp.shopping': [{ transport: 'rest' }] }, payment_handlers: {} },
      }),
    ),
  ],
  [
    'JSON that repeats the path and a number',
    (request, response) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ path: request.url, requestId: randomBytes(16).toString('hex'), at: Date.now() })),
  ],
  ['a text', says('# Welcome\n', { 'content-type': 'text/plain' })],
  ['nothing at all', says('')],
  [
    'a redirect home',
    (request, response) => {
      (request.url === '/' ? html(page('Shop'), 200) : redirects('/'))(request, response);
    },
  ],
  [
    'a short id in JSON-RPC errors',
    (request, response) => {
      says(`{"jsonrpc":"2.0","error":{"code":-32601,"message":"no ${request.url} (${randomInt(36).toString(36)})"}}`)(
        request,
        response,
      );
    },
  ],
  [
    'a redirect to a JSON document',
    (request, response) => {
      (request.url === '/status' ? says('{"x402Version":2,"accepts":[]}') : redirects('/status', 307))(
        request,
        response,
      );
    },
  ],
];

describe('a whole host', () => {
  let host: TestHost | undefined;
  let prober: Prober | undefined;

  const judge = async (route: Route): Promise<HostJudgement & { readonly payable: boolean }> => {
    host = await startTestHost({ '*': route });
    prober = await testProber({ connectTo: host.as('shop.example.com') });
    const collected = await prober.collect(hostName(), { detectors: DETECTORS, phases: ['presence', 'callability'] });
    const seen = new HostEvidence(collected);
    return { ...judgeHost(DETECTORS, seen), payable: paymentRails(seen).payable };
  };

  afterEach(async () => {
    await prober?.close();
    await host?.close();
  });

  it.each(WALLS)('behind %s is never absent in any cell', async (_, route, reason) => {
    const { cells, fixes, payable } = await judge(route);
    const told = cells.map(({ id, status, details }) => [id, status, details['reason']]);
    expect(told).toEqual(
      DETECTORS.map(({ id }) =>
        id === 'acp' ? [id, 'undiscoverable', 'acp_has_no_public_well_known'] : [id, 'error', reason],
      ),
    );
    expect([fixes, payable]).toEqual([[], false]);
  });

  it.each(CATCH_ALLS)('that answers everything with %s has nothing present', async (_, route) => {
    const { cells, payable } = await judge(route);
    expect(cells.filter(({ status }) => status === 'present')).toEqual([]);
    expect(payable).toBe(false);
  });
});
