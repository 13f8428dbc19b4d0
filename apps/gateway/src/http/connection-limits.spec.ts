import fc from 'fast-check';
import Fastify from 'fastify';
import { once } from 'node:events';
import { connect, createServer, isIP, type AddressInfo, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { until } from '../../../../test/support/until';
import { Drain } from '../platform/health/drain';
import { keepAddresses } from './fast-path';
import { callerAddress, ConnectionLimits, sharedAddresses, type ConnectionCaps } from './connection-limits';

const ROOMY = { total: 100, perAddress: 100 };

describe('the connections of a gateway', () => {
  const open: { destroy(): unknown }[] = [];
  let server: Server;
  let inside: Set<Socket>;
  afterEach(() => {
    for (const socket of open.splice(0)) socket.destroy();
    server.close();
  });

  /** A server that keeps all accepted connections open, on every loopback address. */
  async function listening(caps: ConnectionCaps, standsForMany: (address: string) => boolean): Promise<void> {
    inside = new Set();
    server = createServer();
    new ConnectionLimits(caps, standsForMany).observe(server);
    server.on('connection', (socket) => {
      if (socket.destroyed || !socket.writable) return;
      inside.add(socket);
      socket.on('error', () => undefined).once('close', () => inside.delete(socket));
    });
    await once(server.listen(0, '0.0.0.0'), 'listening');
  }

  async function call(from: string): Promise<Socket> {
    const { port } = server.address() as AddressInfo;
    const socket = connect({ port, host: '127.0.0.1', localAddress: from }).on('error', () => undefined);
    open.push(socket);
    await once(socket, 'connect');
    return socket;
  }
  const from = (): readonly string[] => [...inside].map(({ remoteAddress }) => String(remoteAddress)).toSorted();

  it('are limited per address, and one more gets an error', async () => {
    await listening({ total: 100, perAddress: 3 }, () => false);
    for (let n = 0; n < 3; n += 1) await call('127.0.0.2');
    const answer = await text(await call('127.0.0.2'));
    expect(answer).toMatch(/^HTTP\/1\.1 503 .*"code":"too_many_connections"/s);
    await call('127.0.0.3');
    await until('the connections to stand', () => inside.size === 4);
    expect(from()).toEqual(['127.0.0.2', '127.0.0.2', '127.0.0.2', '127.0.0.3']);
  });

  it('free their place when they end', async () => {
    await listening({ total: 100, perAddress: 1 }, () => false);
    const first = await call('127.0.0.2');
    await until('the connection to stand', () => inside.size === 1);
    first.destroy();
    await until('the connection to end', () => inside.size === 0);
    await call('127.0.0.2');
    await until('the next to stand', () => inside.size === 1);
  });

  it('are limited in total, and the busiest address loses one to a newcomer', async () => {
    await listening({ total: 6, perAddress: 5 }, () => false);
    for (const last of [2, 2, 2, 2, 3, 4]) await call(`127.0.0.${last}`);
    await call('127.0.0.5');
    await until('a connection to give way', () => from().includes('127.0.0.5') && inside.size === 6);
    expect(from().filter((address) => address === '127.0.0.2')).toHaveLength(3);
  });

  it('are not closed for the busiest address itself', async () => {
    await listening({ total: 3, perAddress: 5 }, () => false);
    for (const last of [2, 2, 3]) await call(`127.0.0.${last}`);
    expect(await text(await call('127.0.0.2'))).toContain('too_many_connections');
    expect(from()).toEqual(['127.0.0.2', '127.0.0.2', '127.0.0.3']);
  });

  it('are taken from a crowd for a newcomer, even if it uses many addresses in a few networks', async () => {
    const crowd = fc.array(fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 8 })), {
      minLength: 8,
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(crowd, async (addresses) => {
        await listening({ total: 6, perAddress: 5 }, () => false);
        await call('127.0.8.1');
        for (const [network, last] of addresses) await call(`127.0.${network}.${last}`);
        await call('127.0.9.1');
        await until('the newcomer to stand', () => from().includes('127.0.9.1'));
        expect(from()).toContain('127.0.8.1');
        for (const socket of open.splice(0)) socket.destroy();
        server.close();
      }),
      { numRuns: 40 },
    );
  });

  it('are closed oldest first, if all networks have one, unless they have a complete request', async () => {
    const fastify = Fastify();
    const limits = new ConnectionLimits({ total: 4, perAddress: 5 }, () => false);
    limits.observe(fastify.server);
    limits.endUnfinished(fastify);
    inside = new Set();
    fastify.server.on('connection', (socket) => {
      inside.add(socket);
      socket.once('close', () => inside.delete(socket));
    });
    let working = 0;
    fastify.get('/', () => new Promise(() => void (working += 1)));
    await fastify.listen({ port: 0, host: '0.0.0.0' });
    ({ server } = fastify);
    (await call('127.0.1.1')).write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await until('the request to be under way', () => working === 1);
    for (const network of [2, 3, 4, 5]) await call(`127.0.${network}.1`);
    await until('the oldest to give way', () => from().includes('127.0.5.1') && inside.size === 4);
    expect(from()).toEqual(['127.0.1.1', '127.0.3.1', '127.0.4.1', '127.0.5.1']);
  });

  it('with pipelined requests end after the last answer when the gateway drains, in any order of completion', async () => {
    const order = fc.shuffledSubarray([0, 1, 2], { minLength: 3 });
    await fc.assert(
      fc.asyncProperty(order, fc.nat(2), fc.nat(2), async (done, drains, closes) => {
        const [fastify, drain, limits] = [Fastify(), new Drain(), new ConnectionLimits(ROOMY, () => false)];
        limits.observe(fastify.server);
        limits.endUnfinished(fastify);
        drain.observe(fastify);
        const answers: ((text: string) => void)[] = [];
        fastify.get('/:at', () => new Promise<string>((resolve) => void answers.push(resolve)));
        await fastify.listen({ port: 0, host: '127.0.0.1' });
        ({ server } = fastify);
        const socket = await call('127.0.0.1');
        const received = text(socket);
        socket.write(done.toSorted().reduce((all, at) => `${all}GET /${at} HTTP/1.1\r\nHost: a\r\n\r\n`, ''));
        await until('all of them to be under way', () => answers.length === 3);
        let closed: Promise<unknown> = Promise.resolve();
        for (const [nth, at] of done.entries()) {
          if (nth === drains) drain.begin();
          if (nth === Math.max(drains, closes)) closed = fastify.close();
          await setImmediate();
          answers[at]!(`answer ${at}`);
          await setImmediate();
        }
        expect((await received).match(/answer \d/g)).toEqual(['answer 0', 'answer 1', 'answer 2']);
        await closed;
      }),
      { numRuns: 30 },
    );
  });

  it('are not closed for the busiest network itself', async () => {
    await listening({ total: 3, perAddress: 5 }, () => false);
    for (const from of ['127.0.1.1', '127.0.1.2', '127.0.2.1']) await call(from);
    expect(await text(await call('127.0.1.3'))).toContain('too_many_connections');
    expect(from()).toEqual(['127.0.1.1', '127.0.1.2', '127.0.2.1']);
  });

  it('of a proxy or of this machine count only toward the limit of the process', async () => {
    await listening({ total: 4, perAddress: 1 }, sharedAddresses([]));
    for (let n = 0; n < 4; n += 1) await call('127.0.0.2');
    expect(await text(await call('127.0.0.2'))).toContain('too_many_connections');
    expect(inside.size).toBe(4);
  });
});

describe('a shared address', () => {
  const shared = sharedAddresses(['192.0.2.7', '10.0.0.0/8', '2001:db8::/32']);
  it.each(['192.0.2.7', '::ffff:192.0.2.7', '10.9.8.7', '2001:db8:1::5', '127.0.0.1', '::1'])('is %s', (address) => {
    expect(shared(address)).toBe(true);
  });
  it.each(['192.0.2.8', '11.0.0.1', '2001:db9::1'])('is not %s', (address) => {
    expect(shared(address)).toBe(false);
  });
});

describe('the address of a caller', () => {
  it('is the one that the framework reports, for any trusted proxies and any X-Forwarded-For', async () => {
    const address = fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.ipV4().map((text) => `::ffff:${text}`),
      fc.constantFrom(
        '127.0.0.1',
        '10.1.2.3',
        '10.9.9.9',
        '192.0.2.7',
        '2001:db8::1',
        'unknown',
        '',
        ' ',
        '10.1.2.3:80',
      ),
    );
    const trusted = fc.subarray(['127.0.0.1', '10.0.0.0/8', '192.0.2.7', '2001:db8::/32', '::1']);
    const forwarded = fc.option(fc.tuple(fc.array(address, { maxLength: 4 }), fc.constantFrom(',', ', ', ' ,\t')), {
      nil: undefined,
    });
    const remote = fc.constantFrom('127.0.0.1', '10.1.2.3', '::ffff:10.1.2.3', '198.51.100.1', '2001:db8::5', '::1');
    await fc.assert(
      fc.asyncProperty(trusted, forwarded, remote, async (proxies, list, remoteAddress) => {
        const app = Fastify({ trustProxy: proxies.length > 0 ? proxies : false });
        const own = callerAddress(proxies);
        app.get('/', ({ ip, raw }) => [ip, own(raw)]);
        const headers = list && { 'x-forwarded-for': list[0].join(list[1]) };
        const [ip, address] = (await app.inject({ url: '/', remoteAddress, ...(headers && { headers }) })).json<
          string[]
        >();
        expect(address).toBe(ip);
        await app.close();
      }),
      { numRuns: 100 },
    );
  });

  it('has no port and is always an address, so that limits hold across connections', () => {
    const address = fc.oneof(fc.ipV4(), fc.ipV6());
    const noAddress = fc.constantFrom('unknown', '_hidden', '', 'a.b', '1.2.3', '::g', '1.2.3.4:5:6');
    const port = fc.integer({ min: 1, max: 65_535 });
    fc.assert(
      fc.property(
        fc.array(fc.oneof(address, noAddress), { maxLength: 3 }),
        address,
        fc.array(port, { minLength: 2 }),
        (before, last, ports) => {
          const seen = ports.map((one) => {
            const headers = {
              'x-forwarded-for': [...before, last.includes(':') ? `[${last}]:${one}` : `${last}:${one}`].join(', '),
            };
            keepAddresses(headers);
            return headers['x-forwarded-for'];
          });
          const [first = ''] = seen;
          expect(new Set(seen).size).toBe(1);
          const kept = first.split(', ');
          expect([kept.at(-1), kept.every((entry) => isIP(entry) > 0)]).toEqual([last, true]);
        },
      ),
      { numRuns: 200 },
    );
    const unknown = { 'x-forwarded-for': '192.0.2.1, unknown' };
    keepAddresses(unknown);
    expect(unknown['x-forwarded-for']).toBe('');
  });
});
