import { hostName, testProber } from '../../../test/support/probing';
import { resolverOf, watchSockets } from '../../../test/support/sockets';
import { startTestHost, says, type TestHost } from '../../../test/support/test-host';

const probe = { detectors: [], phases: ['presence'] } as const;

describe('a name that answers public first and private second', () => {
  afterEach(() => jest.restoreAllMocks());

  it('is dialled at the address that was vetted, however often it is asked', async () => {
    const { dialled } = watchSockets();
    const resolver = resolverOf(['45.33.32.156'], ['127.0.0.1']);
    const prober = await testProber({ resolver });
    const seen = await prober.collect(hostName('rebind.example.com'), probe);
    expect(resolver.asked).toEqual(['rebind.example.com']);
    expect(seen.exchanges.map((e) => e.kind === 'failure' && e.reason)).toContain('connect_refused');
    expect(dialled.length).toBeGreaterThan(1);
    expect(new Set(dialled)).toEqual(new Set(['45.33.32.156']));
  });

  it('is refused without a socket once it answers private', async () => {
    const resolver = resolverOf(['45.33.32.156'], ['127.0.0.1']);
    const prober = await testProber({ resolver });
    const first = watchSockets();
    await prober.collect(hostName('rebind.example.com'), probe);
    first.restore();
    const sockets = watchSockets();
    const seen = await prober.collect(hostName('rebind.example.com'), probe);
    expect(seen.stoppedBy).toBe('address_refused');
    expect(sockets.opened()).toBe(0);
  });
});

/** As `PROBER_EGRESS` has them; the last is a network that others have addresses in. */
const OWN = ['45.33.32.99', '45.33.32.98/32', '2600:3c00::98/128', '45.33.33.0/24'];

describe('a refused set of addresses', () => {
  afterEach(() => jest.restoreAllMocks());

  it.each([
    ['loopback', ['127.0.0.1']],
    ['private', ['10.1.2.3']],
    ['metadata', ['169.254.169.254']],
    ['any address', ['0.0.0.0']],
    ['shared address space', ['100.64.0.1']],
    ['mapped private', ['::ffff:10.0.0.1']],
    ['translated metadata', ['64:ff9b::a9fe:a9fe']],
    ['public beside private', ['45.33.32.156', '10.0.0.1']],
    ['public beside unique local', ['45.33.32.156', 'fd00::1']],
    ['three hundred addresses', Array.from({ length: 300 }, (_, i) => `45.33.${i % 200}.${i % 250}`)],
    ['our own address', ['45.33.32.99']],
    ['the one address of a range', ['45.33.32.98']],
    ['the one address of a range of IPv6', ['2600:3c00::98']],
  ])('opens no socket and says the same for all: %s', async (_kind, set) => {
    const sockets = watchSockets();
    const prober = await testProber({ resolver: resolverOf(set), ownAddresses: OWN });
    const seen = await prober.collect(hostName('inside.example.com'), probe);
    expect(sockets.opened()).toBe(0);
    expect(seen.exchanges.map((e) => e.kind === 'failure' && e.reason)).toEqual(
      seen.exchanges.map(() => 'address_refused'),
    );
  });
});

describe('redirects into our network', () => {
  let host: TestHost;
  afterEach(() => host.close());

  it('are vetted by name and by address before any socket', async () => {
    host = await startTestHost({
      '/': (_request, response) => response.writeHead(302, { location: 'https://inside.example.com/' }).end(),
    });
    const resolver = resolverOf(['192.168.0.10']);
    const prober = await testProber({ resolver, connectTo: host.as('shop.example.com') });
    const seen = await prober.collect(hostName(), probe);
    expect(seen.exchanges[0]).toMatchObject({
      kind: 'failure',
      reason: 'address_refused',
      redirects: [{ status: 302, location: 'https://inside.example.com/' }],
    });
    expect(resolver.asked).toEqual(['inside.example.com']);
  });

  it('do not inherit the exemption of a listed test host', async () => {
    host = await startTestHost({ '*': says('{}') });
    const resolver = resolverOf(['127.0.0.1']);
    const prober = await testProber({ resolver, connectTo: host.as('shop.example.com') });
    const other = await prober.collect(hostName('other.example.com'), probe);
    expect(other.stoppedBy).toBe('address_refused');
    expect(host.connections()).toBe(0);
  });
});
