import { exchange, failure, status } from '../../../test/support/evidence';
import { hostName } from '../../../test/support/report';
import { answeredIn, originFrom, reachableFrom } from './reachability';

const HTTPS = 'https://shop.example.com/';
const HTTP = 'http://shop.example.com/';
const get = (url: string, reply: Parameters<typeof exchange>[2]) => exchange('GET', url, reply);

describe('reachableFrom', () => {
  it.each([
    ['an answer', status(200)],
    ['an error response', status(503)],
    ['a body we could not read', failure('too_large')],
    ['headers we could not read', failure('headers_too_large')],
    ['a redirect we did not follow', failure('redirect_refused')],
    [
      'a redirect to a target that did not answer',
      failure('timeout', { redirects: [{ status: 301, location: HTTP }] }),
    ],
  ])('counts %s', (_, reply) => {
    expect(reachableFrom([get(HTTPS, failure('timeout')), get(HTTPS, reply)])).toBe(true);
  });

  it.each(['dns_nxdomain', 'address_refused', 'connect_refused', 'tls_error', 'timeout', 'protocol_error'] as const)(
    'does not count %s',
    (reason) => {
      expect(reachableFrom([get(HTTPS, failure(reason))])).toBe(false);
    },
  );

  it('is false without requests', () => {
    expect(reachableFrom([])).toBe(false);
  });
});

describe('answeredIn', () => {
  it.each([
    ['up, whatever else failed', [failure('timeout'), status(500)], { outcome: 'up' }],
    [
      'down, with the first reason that the host caused',
      [failure('budget_spent'), failure('connect_refused')],
      { outcome: 'down', reason: 'connect_refused' },
    ],
    [
      'unknown when the fault may be ours',
      [failure('dns_timeout'), failure('budget_spent')],
      { outcome: 'unknown', reason: 'dns_timeout' },
    ],
    ['unknown when no request was sent', [], { outcome: 'unknown', reason: 'budget_spent' }],
  ] as const)('is %s', (_, replies, answered) => {
    expect(answeredIn(replies.map((reply) => get(HTTPS, reply)))).toEqual(answered);
  });
});

describe('originFrom', () => {
  it.each([
    ['https answered', [get(HTTPS, status(404)), get(HTTP, status(200))], 'https://shop.example.com'],
    ['only http answered', [get(HTTPS, failure('connect_refused')), get(HTTP, status(200))], 'http://shop.example.com'],
    ['nothing answered', [get(HTTPS, failure('timeout')), get(HTTP, failure('timeout'))], 'https://shop.example.com'],
    ['another host answered http', [get('http://api.example.com/', status(200))], 'https://shop.example.com'],
  ])('when %s', (_, exchanges, origin) => {
    expect(originFrom(hostName(), exchanges)).toBe(origin);
  });
});
