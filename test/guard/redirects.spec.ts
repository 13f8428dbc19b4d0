import { hostName, testProber, asking, exchangeAt, get } from '../support/probing';
import { resolverOf } from '../support/sockets';
import { redirects, says, startTestHost, type Route, type TestHost } from '../support/test-host';
import { countOf } from './guard-case';
import { REDIRECT_CASES, type RedirectCase } from './redirect-cases';

/** Sends the head as it is: node:http refuses to send what some of these hosts send. */
const redirect =
  ({ status = 302, location }: RedirectCase): Route =>
  (request) => {
    const line = location === null ? '' : `location: ${location}\r\n`;
    request.socket.write(`HTTP/1.1 ${status} Moved\r\n${line}content-length: 0\r\n\r\n`);
  };

describe('a redirect', () => {
  const hosts: TestHost[] = [];
  afterEach(() => Promise.all(hosts.splice(0).map((host) => host.close())));

  async function follow(row: RedirectCase) {
    const document = says('{"found":true}');
    const host = await startTestHost({
      '/start': redirect(row),
      '/hop/1': redirects('/hop/2'),
      '/hop/2': redirects('/hop/3'),
      '/hop/3': redirects('/hop/4'),
      '/start/': document,
      '/profile': document,
      '/y': document,
      '/hop/4': document,
    });
    const www = await startTestHost({ '/start': document });
    hosts.push(host, www);
    const prober = await testProber({
      connectTo: [host.as('example.com'), www.as('www.example.com')].join(','),
      resolver: resolverOf(['10.9.8.7']),
    });
    const seen = await prober.collect(hostName('example.com'), {
      detectors: [asking([get('/start')])],
      phases: ['presence'],
    });
    return { exchange: exchangeAt(seen, '/start'), host };
  }

  it('is tried with 21 not to be followed to an answer and 5 to be followed', () => {
    expect(countOf(REDIRECT_CASES)).toBe('21/5');
  });

  it.each(REDIRECT_CASES.filter(({ expected }) => expected === 'block'))('to $location is $ends: $why', async (row) => {
    const { exchange, host } = await follow(row);
    expect(host.requests).toContain('GET /start');
    expect(host.requests).not.toContain('GET /hop/4');
    if (row.ends === 'leaves_site') {
      expect(exchange).toMatchObject({
        kind: 'answer',
        status: 302,
        finalUrl: 'https://example.com/start',
        bytes: 0,
      });
    } else {
      expect(exchange).toMatchObject({ kind: 'failure', reason: row.ends });
    }
  });

  it.each(REDIRECT_CASES.filter(({ expected }) => expected === 'allow'))(
    'to $location is followed: $why',
    async (row) => {
      const { exchange } = await follow(row);
      expect(exchange).toMatchObject({
        kind: 'answer',
        status: 200,
        body: '{"found":true}',
        redirects: [{ status: row.status ?? 302 }],
      });
    },
  );
});
