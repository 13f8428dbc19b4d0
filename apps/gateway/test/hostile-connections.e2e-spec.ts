import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { startService, type Service } from '../../../test/support/service';
import { until } from '../../../test/support/until';

const CROWD = 400;
const HEAD = 'POST /api/v1/hosts/refresh HTTP/1.1\r\nhost: probe.example.com\r\ncontent-type: application/json\r\n';

/** The beginnings of requests that clients never finish. */
const UNENDED: readonly (readonly [string, string])[] = [
  ['nothing at all', ''],
  ['half a request line', 'GET /api/v1/ho'],
  ['endless headers', `${HEAD}x-more: a\r\n`],
  ['half of a body', `${HEAD}content-length: 60000\r\n\r\n${'x'.repeat(50_000)}`],
  ['endless chunks', `${HEAD}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n`],
  ['an endless second request', `GET /health/live HTTP/1.1\r\nhost: a\r\n\r\n${HEAD}content-length: 9\r\n\r\n{`],
];

describe('connections that never end their request', () => {
  let service: Service;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    const env = { FREE_PRESENCE_PROBE: 'off', MAX_CONNECTIONS: String(CROWD + 50) };
    service = await startService({ worker: false, env });
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await service.stop();
  });

  const connections = (): Promise<number> =>
    new Promise((resolve, reject) => {
      service.gateway.getHttpServer().getConnections((error: Error | null, count: number) => {
        if (error) reject(error);
        else resolve(count);
      });
    });

  async function send(bytes: string): Promise<Socket> {
    const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1').on('error', () => undefined);
    sockets.push(socket.resume());
    await once(socket, 'connect');
    socket.write(bytes);
    return socket;
  }

  /** A connection that sends a byte now and then; resolves when it was closed. */
  async function drip(): Promise<void> {
    const socket = await send(`${HEAD}content-length: 60000\r\n\r\n`);
    const dripping = setInterval(() => socket.write('x'), 200);
    await once(socket, 'close');
    clearInterval(dripping);
  }

  it('are limited, do not stop the gateway, and are all closed, even if they send a byte now and then', async () => {
    const dripped = drip();
    for (let n = 0; n < CROWD; n += 1) await send(UNENDED[n % UNENDED.length]![1]);
    expect(await connections()).toBeGreaterThan(CROWD / 2);
    expect((await fetch(`${service.baseUrl}/api/v1/hosts/shop.example.com`)).status).toBe(200);
    for (let n = 0; n < CROWD; n += 1) await send(UNENDED[n % UNENDED.length]![1]);
    await until('refused ones to be closed', async () => (await connections()) <= CROWD + 50, 5_000);
    await dripped;
    await until('every one of them to be ended', () => sockets.every(({ destroyed, closed }) => destroyed || closed));
    expect((await fetch(`${service.baseUrl}/api/v1/hosts/shop.example.com`)).status).toBe(200);
  });
});
