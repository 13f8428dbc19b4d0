import { setTimeout as sleep } from 'node:timers/promises';
import { Database, isConnectionError, Notices, OptOutRepository, type Transaction } from '@app/storage';
import { freshDatabase } from '../../../test/support/stack';
import { startTcpFront, type TcpFront } from '../../../test/support/tcp-front';
import { until } from '../../../test/support/until';

const errorOf = (attempt: Promise<unknown>): Promise<unknown> =>
  attempt.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a database fault in Prisma', () => {
  const [NEVER, AFTER] = ['never.example.com', 'after.example.com'];
  /** Longer than a statement and the end of its transaction wait here, in milliseconds. */
  const STANDS_MS = 2_200;
  let url: URL;
  let line: TcpFront;
  let database: Database;
  let side: Database;

  beforeAll(async () => {
    url = new URL(await freshDatabase());
    side = new Database(url.href, { maxConnections: 1 });
    line = await startTcpFront(Number(url.port));
    url.port = String(line.port);
    url.searchParams.set('connect_timeout', '0.4');
    url.searchParams.set('application_name', 'faulty');
    database = new Database(url.href, { maxConnections: 1, statementMs: 400 });
  });
  afterAll(async () => {
    await Promise.all([database.close(), side.close()]);
    await line.close();
  });

  const FAULTS: Readonly<Record<string, () => unknown>> = {
    'a connection that is cut': () => (line.state = 'cut'),
    'a connection without answers': () => (line.state = 'silent'),
    'a connection that stalls': () => line.standStill(sleep(STANDS_MS)),
    'a server that stops': () =>
      side.prisma.$queryRaw`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = 'faulty' AND datname = current_database()`,
  };
  const STATEMENTS: Readonly<Record<string, (tx: Transaction) => Promise<unknown>>> = {
    'a model query': (tx) => tx.optOut.create({ data: { domain: NEVER } }),
    'a raw statement': (tx) => tx.$executeRaw`INSERT INTO opt_out (domain) VALUES (${NEVER})`,
    'a raw query': (tx) => tx.$queryRaw`SELECT 1`,
  };
  const members = Object.keys(FAULTS).flatMap((fault) => Object.keys(STATEMENTS).map((one) => [fault, one] as const));

  it.each(members)('counts as unavailable storage: %s, at %s', async (fault, name) => {
    const statement = STATEMENTS[name]!;
    let fails: Promise<unknown> = Promise.resolve();
    const fail = async (): Promise<void> => {
      fails = Promise.resolve(FAULTS[fault]!());
      if (fault === 'a server that stops') await fails;
    };
    const attempts: readonly (() => Promise<unknown>)[] = [
      async () => {
        await fail();
        await statement(database.prisma);
      },
      () =>
        database.inTransaction(async (tx) => {
          await tx.optOut.create({ data: { domain: 'first.example.com' } });
          await fail();
          await statement(tx);
        }),
      () =>
        database.inTransaction(async (tx) => {
          await statement(tx);
          await fail();
        }),
    ];
    for (const [index, attempt] of attempts.entries()) {
      await database.prisma.$queryRaw`SELECT 1`;
      const error = await errorOf(attempt());
      // The connection may be idle while its server stops; the pool then opens another one.
      if (error === undefined) expect([fault, index]).toEqual(['a server that stops', 0]);
      else expect([error, isConnectionError(error)]).toEqual([error, true]);
      await fails;
      if (line.state !== 'open') line.state = 'open'; // This closes all connections.
      await until(
        'it works again',
        async () => (await errorOf(new OptOutRepository(database).add(AFTER))) === undefined,
      );
      // A single statement, or the last one, may have arrived.
      const left = await new OptOutRepository(side).list();
      expect(left.filter((name) => index === 1 || name === AFTER)).toEqual([AFTER]);
      await side.prisma.optOut.deleteMany();
    }
  });

  const open = (more: Readonly<Record<string, string>>): Database => {
    const own = new URL(url);
    for (const [name, value] of Object.entries(more)) own.searchParams.set(name, value);
    if (more['port']) own.port = more['port'];
    return new Database(own.href, { maxConnections: 1, statementMs: 400 });
  };
  it.each<[string, boolean, Readonly<Record<string, string>>, (own: Database) => Promise<unknown>]>([
    ['a port where nothing listens', true, { port: '1' }, ({ prisma }) => prisma.optOut.count()],
    ['a transaction on a port where nothing listens', true, { port: '1' }, (own) => own.inTransaction(async () => {})],
    [
      'a server that only reads',
      true,
      { options: '-c default_transaction_read_only=on' },
      ({ prisma }) => prisma.optOut.deleteMany(),
    ],
    ['a statement that takes long', true, {}, ({ prisma }) => prisma.$queryRaw`SELECT pg_sleep(9)::text`],
    [
      'a transaction that takes long',
      true,
      {},
      (own) =>
        own.inTransaction(async (tx) => {
          await sleep(1_300);
          await tx.optOut.count();
        }),
    ],
    ['a pool without a free connection', true, {}, (own) => own.inTransaction(() => own.inTransaction(async () => {}))],
    [
      'a deadlock',
      true,
      { options: '-c deadlock_timeout=50' },
      async (own) => {
        await side.prisma.optOut.createMany({ data: [{ domain: 'a' }, { domain: 'b' }] });
        const lock = (tx: Transaction, domain: string) =>
          tx.optOut.updateMany({ where: { domain }, data: { addedAt: new Date() } });
        return side.inTransaction(async (tx) => {
          await lock(tx, 'a');
          const other = own.inTransaction(async (second) => {
            await lock(second, 'b');
            await lock(second, 'a');
          });
          await until('it waits', async () => {
            const waits = await tx.$queryRaw`SELECT FROM pg_locks WHERE NOT granted`;
            return Array.isArray(waits) && waits.length > 0;
          });
          await Promise.race([lock(tx, 'b'), other]);
          await other;
        });
      },
    ],
    ['a missing table', false, {}, ({ prisma }) => prisma.$queryRaw`SELECT FROM nothing`],
    [
      'a row that already exists',
      false,
      {},
      ({ prisma }) => prisma.optOut.createMany({ data: [{ domain: 'a' }, { domain: 'a' }] }),
    ],
    ['a programming error', false, {}, (own) => own.inTransaction(() => Promise.reject(new Error('no')))],
    [
      'a transaction that has ended',
      false,
      {},
      async (own) => (await own.inTransaction((tx) => Promise.resolve({ tx }))).tx.optOut.count(),
    ],
  ])('%s: unavailable %s', async (_, away, more, attempt) => {
    const own = open(more);
    const error = await errorOf(attempt(own));
    expect([error, isConnectionError(error)]).toEqual([expect.any(Error), away]);
    await own.close();
  });

  it('has no timeout where nobody is waiting', async () => {
    await database.withoutStatementTimeout(({ prisma }) => prisma.$queryRaw`SELECT pg_sleep(1)::text`);
  });
});

describe('a broken notification connection', () => {
  it('is reported once and reconnects', async () => {
    const database = new Database(await freshDatabase());
    const lost: unknown[] = [];
    const heard: string[] = [];
    const notices = new Notices(database.url, (error) => lost.push(error));
    notices.on('host_changed', (payload) => heard.push(payload));
    await notices.start();
    await database.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()`,
    );
    await until('a notice that is heard again', async () => {
      await database.pool.query(`SELECT pg_notify('host_changed', 'shop.example.com')`);
      return heard.length > 0;
    });
    expect(lost).toEqual([expect.objectContaining({ code: '57P01' })]);
    await notices.close();
    await database.close();
  });
});
