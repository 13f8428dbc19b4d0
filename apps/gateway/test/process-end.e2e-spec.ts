import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { freePort } from '../../standalone/src/embedded/free-port';
import { partOf } from '../../../test/support/generated';
import { freshDatabase, stack } from '../../../test/support/stack';
import { startTcpFront, type TcpFront } from '../../../test/support/tcp-front';
import { until } from '../../../test/support/until';

/** The limit without running work on a calm machine, in milliseconds. */
const STOPS_WITHIN_MS = 5_000;
/** The longest time that an empty process takes there from start to end, in milliseconds. */
const NOTHING_MS = 150;

interface Started {
  readonly child: ChildProcess;
  readonly said: () => string;
  /** Sends a signal and resolves to the exit and its duration, scaled to a calm machine. */
  readonly stop: (signal: NodeJS.Signals) => Promise<{ readonly code: number | null; readonly ms: number }>;
}

/** How many times slower the machine is now than when calm. */
function slowness(): number {
  const since = performance.now();
  for (let times = 0; times < 3; times += 1) spawnSync(process.execPath, ['-e', '']);
  return Math.max(1, (performance.now() - since) / (3 * NOTHING_MS));
}

/** A loopback address that runs no name server. */
const NAME_SERVER = '127.0.73.53';
const STORES = 'stores.example.com';

/** States of Postgres and Redis while a process ends. Those that once blocked it come first. */
const AWAY = (['silent', 'cut', 'open'] as const)
  .flatMap((postgres) => (['open', 'cut', 'silent'] as const).map((redis) => [postgres, redis] as const))
  .filter(([postgres, redis]) => postgres !== redis || postgres !== 'open');
const APPS = ['gateway', 'worker'] as const;
const started: Started[] = [];

function start(
  app: (typeof APPS)[number],
  env: Readonly<Record<string, string>>,
  within: readonly string[] = [],
): Started {
  const command = [...within, process.execPath, resolve(`dist/apps/${app}/src/main.js`)];
  const child = spawn(command[0]!, command.slice(1), {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => (text += bytes.toString()));
  const gone = once(child, 'close');
  const one: Started = {
    child,
    said: () => text,
    stop: async (signal) => {
      const since = performance.now();
      child.kill(signal);
      const [code] = (await gone) as [number | null];
      const ms = performance.now() - since;
      return { code, ms: ms < STOPS_WITHIN_MS ? ms : ms / slowness() };
    },
  };
  started.push(one);
  return one;
}

/** A server behind a proxy that can be made to fail. */
async function behindFront(address: string, state: TcpFront['state']) {
  const url = new URL(address);
  const front = await startTcpFront(Number(url.port));
  url.port = String(front.port);
  return { url: url.href, fail: () => (front.state = state), close: () => front.close() };
}

/** The stores' host name. It resolves until it vanishes; then lookups go to a name server that never answers. */
function namesAtRisk() {
  const dir = mkdtempSync(join(tmpdir(), 'names-'));
  const [hosts, settings] = [join(dir, 'hosts'), join(dir, 'resolv.conf')];
  writeFileSync(hosts, `127.0.0.1 localhost ${STORES}\n`);
  writeFileSync(settings, `nameserver ${NAME_SERVER}\n`);
  const server = createSocket('udp4').on('error', () => undefined);
  let questions = 0;
  server.on('message', () => (questions += 1)).bind(53, NAME_SERVER);
  const mounts = 'mount --bind "$1" /etc/hosts && mount --bind "$2" /etc/resolv.conf || exit 77; shift 2; exec "$@"';
  return {
    within: ['unshare', '-m', 'sh', '-c', mounts, '-', hosts, settings],
    questions: () => questions,
    vanish: () => {
      writeFileSync(hosts, '127.0.0.1 localhost\n');
    },
    close: () => server.close(),
  };
}

describe.each(APPS)('a %s process', (app) => {
  let silent: Server;
  beforeAll(async () => {
    silent = createServer(() => undefined);
    await once(silent.listen(0, '127.0.0.1'), 'listening');
  });
  afterAll(() => {
    silent.close();
    for (const { child } of started.splice(0)) child.kill('SIGKILL');
  });

  const environment = async (
    more: Readonly<Record<string, string>> = {},
  ): Promise<Readonly<Record<string, string>>> => ({
    DATABASE_URL: await freshDatabase(),
    PORT: String(await freePort()),
    LOG_LEVEL: 'info',
    ...more,
  });
  const ready = (one: Started): Promise<void> =>
    until(`the ${app}`, () => /worker ready|gateway listens/.test(one.said()));

  it('ends within five seconds of a signal at any moment of its start, and logs it', async () => {
    const env = await environment();
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 60, max: 2_500 }),
        fc.constantFrom('SIGTERM', 'SIGINT'),
        async (afterMs, signal) => {
          const one = start(app, env);
          await sleep(afterMs);
          const { ms } = await one.stop(signal);
          expect(ms).toBeLessThan(STOPS_WITHIN_MS);
          // Earlier, a busy machine may not have loaded the first file yet.
          if (afterMs > 1_500) expect(one.said()).toContain(`received ${signal}`);
        },
      ),
      { numRuns: partOf(80) },
    );
  });

  it('ends within five seconds while a store does not answer', async () => {
    const { port } = silent.address() as AddressInfo;
    const stores = [{ REDIS_URL: `redis://127.0.0.1:${port}` }, { DATABASE_URL: `postgresql://a@127.0.0.1:${port}/a` }];
    const both = await Promise.all(stores.map(async (store) => start(app, await environment(store))));
    await sleep(2_500);
    for (const one of both) {
      expect((await one.stop('SIGTERM')).ms).toBeLessThan(STOPS_WITHIN_MS);
      expect(one.said()).toContain('SIGTERM');
    }
  });

  it.each(['from its start', 'once it runs', 'since it was told to end'])(
    'ends within five seconds while the name server of its databases does not answer, %s',
    async (since) => {
      const names = namesAtRisk();
      const env = await environment();
      const storage = await behindFront(env['DATABASE_URL']!, 'cut');
      const queue = await behindFront(stack().redisUrl ?? 'redis://127.0.0.1:1', 'cut');
      const named = (url: string): string => Object.assign(new URL(url), { hostname: STORES }).href;
      const stores = { DATABASE_URL: named(storage.url), ...(stack().redisUrl && { REDIS_URL: named(queue.url) }) };
      if (since === 'from its start') names.vanish();
      const one = start(app, { ...env, ...stores }, names.within);
      if (since !== 'from its start') await Promise.race([ready(one), once(one.child, 'exit')]);
      const takeDown = (): void => {
        names.vanish();
        storage.fail();
        queue.fail();
      };
      if (since === 'once it runs') takeDown();
      const wasAsked = since !== 'since it was told to end';
      if (wasAsked) await until('a question', () => names.questions() > 0 || one.child.exitCode !== null);
      const stopped = one.stop('SIGTERM');
      await until('its last line', () => one.said().includes('SIGTERM') || one.child.exitCode !== null);
      takeDown();
      const { ms } = await stopped;
      names.close();
      await Promise.all([storage.close(), queue.close()]);
      // Without root, or where mounting is forbidden, the name server cannot be replaced.
      if (one.child.exitCode !== 77 && process.getuid?.() === 0) expect(names.questions() > 0).toBe(wasAsked);
      expect(ms).toBeLessThan(STOPS_WITHIN_MS);
    },
  );

  it('ends within five seconds, even with a request that never ends', async () => {
    const env = await environment();
    const one = start(app, env);
    await ready(one);
    const socket = app === 'gateway' ? connect(Number(env['PORT']), '127.0.0.1') : undefined;
    socket
      ?.on('error', () => undefined)
      .write(
        'POST /api/v1/hosts/refresh HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{',
      );
    await sleep(200);
    const { code, ms } = await one.stop('SIGTERM');
    socket?.destroy();
    expect({ code, said: one.said() }).toEqual({
      code: 0,
      said: expect.stringContaining(`The ${app} is stopping: received SIGTERM.`) as string,
    });
    expect(ms).toBeLessThan(STOPS_WITHIN_MS);
  });

  it.each(AWAY.filter((_, at) => (at + APPS.indexOf(app)) % 2 === 0).slice(0, partOf(AWAY.length)))(
    'ends within five seconds if Postgres is %s and Redis %s',
    async (postgres, redis) => {
      const env = await environment();
      const storage = await behindFront(env['DATABASE_URL']!, postgres);
      const { redisUrl } = stack();
      const queue = redisUrl === null ? undefined : await behindFront(redisUrl, redis);
      const one = start(app, { ...env, DATABASE_URL: storage.url, ...(queue && { REDIS_URL: queue.url }) });
      await ready(one);
      storage.fail();
      queue?.fail();
      const { ms } = await one.stop('SIGTERM');
      await Promise.all([storage.close(), queue?.close()]);
      expect(ms).toBeLessThan(STOPS_WITHIN_MS);
    },
  );

  it('survives an unhandled rejection, which is logged, counted and answered, and ends on an exception', async () => {
    const env = await environment({
      METRICS_PORT: '0',
      NODE_OPTIONS: `--require ${resolve('test/support/faults.cjs')}`,
    });
    const one = start(app, env);
    const ended = once(one.child, 'close');
    await ready(one);
    const base = `http://127.0.0.1:${env['PORT']}`;
    const events = () =>
      one
        .said()
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as { msg: string; requestId?: string; monitor?: string; err?: Error });
    const rejections = () => events().filter(({ msg }) => msg === 'unhandled promise rejection');
    const asked: string[] = [];
    if (app === 'gateway') {
      for (const fault of ['stored', 'floating', 'nothing']) {
        const answer = await fetch(`${base}/fault/${fault}`);
        const { code, requestId } = (await answer.json()) as { code: string; requestId: string };
        expect([answer.status, code]).toEqual([500, 'internal_error']);
        asked.push(requestId);
      }
      expect(await (await fetch(`${base}/fault/late`)).text()).toBe('an answer');
    }
    one.child.kill('SIGUSR2');
    await until('its last line', () => rejections().some(({ err }) => err?.message === 'a fault in the background'));
    await until('the line of each fault', () => rejections().length === (app === 'gateway' ? 5 : 1));
    expect(rejections().map(({ requestId }) => requestId)).toEqual(expect.arrayContaining(asked));
    for (const { err } of rejections()) expect(err!.stack).toMatch(/faults\.cjs|undefined/);
    const { monitor } = events().find((event) => event.monitor !== undefined)!;
    const counted = /failures_total\{part="unhandled_rejection".*\} (\d+)/.exec(
      await (await fetch(`${monitor}/metrics`)).text(),
    );
    expect(counted?.[1]).toBe(String(rejections().length));

    const underWay = app === 'gateway' ? fetch(`${base}/fault/slow`).then((answer) => answer.text()) : 'an answer';
    await sleep(300);
    one.child.kill('SIGHUP');
    expect(await underWay).toBe('an answer');
    expect(await ended).toEqual([1, null]);
    expect(one.said()).toContain(`The ${app} is stopping: uncaught exception: Error: a thrown fault\n    at `);
  });

  it.each([
    [
      'an unreachable database',
      () => ({ DATABASE_URL: 'postgres://127.0.0.1:1/none' }),
      /could not start: Cannot connect to the database at 127\.0\.0\.1:1\/none \(DATABASE_URL\): connect ECONNREFUSED/,
    ],
    ['a database that was not migrated', () => ({ DATABASE_URL: stack().databaseUrl }), /could not start: .*exist/],
    [
      'a key it cannot read',
      () => ({ PROBE_SIGNING_KEY: 'swordfish' }),
      /could not start: .*PROBE_SIGNING_KEY must be/,
    ],
  ])('says why it stops on %s', async (_, wrong, sentence) => {
    const one = start(app, await environment({ LOG_LEVEL: 'silent', ...wrong() }));
    const [code] = (await once(one.child, 'close')) as [number];
    expect([code, one.said()]).toEqual([1, expect.stringMatching(sentence)]);
  });
});
