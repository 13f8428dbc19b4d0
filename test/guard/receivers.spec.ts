import { Socket } from 'node:net';
import fc from 'fast-check';
import { createSender, type Sender, type SenderConfig } from '@app/probing';
import { INSIDE, OUTSIDE } from '../support/address-ranges';
import { resolverOf, watchSockets, type WatchedSockets } from '../support/sockets';
import { startTestHost, testCaFile, type TestHost } from '../support/test-host';

const REFUSED = { kind: 'failure', reason: 'address_refused' };
const name = fc.stringMatching(/^[a-z][a-z0-9]{0,8}\.example\.(?:com|org)$/);
const path = fc.constantFrom('', '/', '/alerts', '/alerts?a=https://b.example.net:443/', '/@b.example.net/', '/#a@b:1');
/** Invalid values for the parts of an address, where only `https`, no credentials, a name and port 443 are valid. */
const wrong = {
  scheme: fc.constantFrom('http', 'ftp', 'ws', 'wss', 'file', 'gopher'),
  user: fc.constantFrom('u@', 'u:p@', ':p@', '127.0.0.1@', '%00@', 'u:@'),
  host: fc.oneof(
    fc.ipV4(),
    fc.ipV4Extended(),
    fc.ipV6().map((address) => `[${address}]`),
    fc.constantFrom(
      '127.0.0.1',
      '169.254.169.254',
      '①②⑦.⓪.⓪.①',
      '0x7f.1',
      '2130706433',
      '127.0.0.1.',
      '[::ffff:7f00:1]',
    ),
  ),
  port: fc.oneof(fc.constantFrom(80, 8080, 8443, 0, 1), fc.integer({ min: 0, max: 65_535 })).filter((at) => at !== 443),
};
const wrongAddress = fc
  .record({ ...wrong, name, path, faults: fc.subarray(['scheme', 'user', 'host', 'port'] as const, { minLength: 1 }) })
  .map(({ faults, scheme, user, host, port, name: right, path: rest }) => {
    const has = (part: keyof typeof wrong): boolean => faults.includes(part);
    const authority = `${has('user') ? user : ''}${has('host') ? host : right}${has('port') ? `:${port}` : ''}`;
    return `${has('scheme') ? scheme : 'https'}://${authority}${rest}`;
  });

describe('a receiver of alerts', () => {
  let sockets: WatchedSockets;
  beforeEach(() => (sockets = watchSockets()));
  afterEach(() => {
    sockets.restore();
  });
  const senderAt = (...answers: readonly (readonly string[])[]): Sender =>
    createSender({ userAgent: 'hostprobe/test', resolver: resolverOf(...answers) });

  it('is refused without a socket unless it is https on port 443 of a name, without user and password', async () => {
    const sender = senderAt(['45.33.32.156']);
    await fc.assert(
      fc.asyncProperty(wrongAddress, async (url) => {
        expect(await sender.send(url, {}, '{}')).toEqual(REFUSED);
        expect(sockets.opened()).toBe(0);
      }),
      { numRuns: 300 },
    );
    // A valid address is connected, which shows that the property above can fail.
    await fc.assert(
      fc.asyncProperty(name, path, fc.constantFrom('', ':443'), async (host, rest, port) => {
        const before = sockets.opened();
        expect(await sender.send(`https://${host}${port}${rest}`, {}, '{}')).toMatchObject({ kind: 'failure' });
        expect(sockets.opened()).toBe(before + 1);
      }),
      { numRuns: 20 },
    );
  });

  it('is resolved for each message, and gets none while one of its addresses is internal', async () => {
    const set = fc
      .tuple(fc.subarray([...OUTSIDE], { maxLength: 3 }), fc.option(fc.constantFrom(...INSIDE)), fc.nat(3))
      .map(([open, closed, at]) => (closed === null ? open : open.toSpliced(at, 0, closed)))
      .filter((addresses) => addresses.length > 0);
    await fc.assert(
      fc.asyncProperty(name, fc.array(set, { minLength: 2, maxLength: 5 }), async (host, answers) => {
        const sender = senderAt(...answers);
        for (const answer of answers) {
          const [opened, dialled] = [sockets.opened(), sockets.dialled.length];
          const sent = await sender.send(`https://${host}/`, {}, '{}');
          const isInside = answer.some((address) => INSIDE.includes(address));
          expect(sent).toEqual(isInside ? REFUSED : { kind: 'failure', reason: 'connect_refused' });
          if (isInside) expect(sockets.opened()).toBe(opened);
          // Only the addresses of this lookup are used, not those of earlier or later ones.
          expect(answer).toEqual(expect.arrayContaining(sockets.dialled.slice(dialled)));
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('a receiver of alerts that redirects', () => {
  let receiver: TestHost;
  let neighbour: TestHost;
  let config: SenderConfig;
  let moved = { status: 302, location: '' };

  beforeAll(async () => {
    neighbour = await startTestHost({});
    // A raw response, because node:http refuses to send what some receivers send.
    receiver = await startTestHost({
      '*': (request) => {
        const { status, location } = moved;
        request.socket.end(`HTTP/1.1 ${status} Moved\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`);
      },
    });
    config = {
      userAgent: 'hostprobe/test',
      caFile: await testCaFile(),
      connectTo: [receiver.as('hook.example.com'), neighbour.as('inside.example.com')].join(','),
    };
  });
  afterAll(() => Promise.all([receiver.close(), neighbour.close()]));
  afterEach(() => jest.restoreAllMocks());

  it('gets one request, and its target none', async () => {
    const resolver = resolverOf(['45.33.32.156']);
    const sender = createSender({ ...config, resolver });
    const connect = jest.spyOn(Socket.prototype, 'connect');
    const location = fc.oneof(
      fc.constantFrom('https://inside.example.com/', '/again', '//inside.example.com/', 'https://hook.example.com/b'),
      fc.constantFrom(...INSIDE).map((address) => `http://${address.includes(':') ? `[${address}]` : address}/`),
      wrongAddress.map(encodeURI),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(300, 301, 302, 303, 305, 307, 308), location, async (status, to) => {
        moved = { status, location: to };
        const [dialled, asked] = [connect.mock.calls.length, receiver.requests.length];
        expect(await sender.send('https://hook.example.com/a', {}, '{}')).toMatchObject({ kind: 'answer', status });
        expect([connect.mock.calls.length, receiver.requests.length]).toEqual([dialled + 1, asked + 1]);
      }),
      { numRuns: 60 },
    );
    expect([resolver.asked, neighbour.connections()]).toEqual([[], 0]);
  });
});
