import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Redis } from 'ioredis';
import { Webhook } from 'standardwebhooks';
import { newWebhookSecret } from '@app/owners';
import { MESSAGES_PER_SITE_MIN, openLimitStore, ReceiverBudgets } from '@app/limits';
import { Database, DeliveryRepository, sealSecret } from '@app/storage';
import { startService, type Service } from '../../../test/support/service';
import { backends } from '../../../test/support/stack';
import { startTestHost, type TestHost } from '../../../test/support/test-host';
import { until } from '../../../test/support/until';
import { putAlert, putWatch } from '../../../test/support/watches';
import { openReceiver } from '../../../libs/storage/src/owners/sealed-receiver';

interface Received {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

interface Row {
  readonly state: string;
  readonly failures: number;
  readonly outcome: string | null;
  readonly excerpt: string | null;
  /** Seconds until the next attempt. */
  readonly wait: number;
}

describe('the delivery of alerts', () => {
  let service: Service;
  let receiver: TestHost;
  let database: Database;
  const received: Received[] = [];
  let unanswered = 0;
  /** Responses by path; a missing one hangs. */
  const answers: Record<string, { status: number; body?: string; headers?: Record<string, string> }> = {};
  const secret = newWebhookSecret();

  beforeAll(async () => {
    receiver = await startTestHost({
      '*': (request, response) => {
        let body = '';
        request.on('data', (chunk: Buffer) => (body += chunk.toString()));
        request.on('end', () => {
          const path = request.url ?? '';
          received.push({ path, headers: request.headers, body });
          const answer = answers[path];
          if (answer) {
            response.writeHead(answer.status, answer.headers).end(answer.body ?? '');
            return;
          }
          unanswered += 1;
          response.writeHead(200).flushHeaders();
          response.on('close', () => (unanswered -= 1));
        });
      },
    });
    service = await startService({
      backend: backends()[0]!,
      connectTo: [receiver.as('hooks.example.com')],
      env: { SCHEDULED_PROBES_PER_MIN: '0', WEBHOOK_KEY: randomUUID() },
    });
    database = new Database(service.config.database.url, service.config.database);
  });
  afterAll(async () => {
    await service.stop();
    await database.close();
    await receiver.close();
  });

  const published = async (): Promise<string> => (await new DeliveryRepository(database).keys())[0]!.sealing;

  async function watch(path: string, columns: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const id = randomUUID();
    const sealed = sealSecret(await published(), id, secret);
    return putWatch(database, { id, url: `https://hooks.example.com${path}`, site: path, secret: sealed, ...columns });
  }
  const alert = (watchId: string, type?: string, subject?: string): Promise<string> =>
    putAlert(database, watchId, type, subject);

  const delivery = async (id: string): Promise<Row> => {
    const { rows } = await database.pool.query<Row & { watch: string }>(
      `SELECT watch_id AS watch, state, failures, outcome, excerpt, extract(epoch FROM next_at - now())::float8 AS wait
       FROM alert_delivery WHERE alert_id = $1`,
      [id],
    );
    const { watch, excerpt, ...rest } = rows[0]!;
    if (excerpt === null) return { ...rest, excerpt };
    expect(excerpt).toMatch(/^sealed:/);
    return { ...rest, excerpt: openReceiver(await database.secrets.vault(), watch, excerpt) };
  };
  const stateOf = async (id: string): Promise<unknown> =>
    (await database.pool.query('SELECT state, reason FROM watch WHERE id = $1', [id])).rows[0];
  const tried = (id: string, times = 1): Promise<void> =>
    until('the alert is tried', async () => {
      const { failures, state } = await delivery(id);
      return state !== 'due' || failures >= times;
    });
  /** The number of requests whose response is not finished. */
  const open = (): number => unanswered;
  const at = (path: string): readonly Received[] => received.filter((one) => one.path === path);
  /** Makes the next attempt due. */
  const comes = (id: string): Promise<unknown> =>
    database.pool.query('UPDATE alert_delivery SET next_at = now() WHERE alert_id = $1', [id]);
  const verified = ({ body, headers }: Received, by = secret): unknown =>
    new Webhook(by).verify(body, headers as Record<string, string>);

  it('can be verified with the Standard Webhooks library', async () => {
    answers['/good'] = { status: 204 };
    const id = await alert(await watch('/good'));
    await tried(id);
    const [one] = at('/good');
    const base = `${service.baseUrl}/api/v1/hosts/shop.example.com`;
    expect(verified(one!)).toEqual({
      type: 'host.changed',
      timestamp: expect.any(String),
      data: {
        domain: 'shop.example.com',
        seq: 7,
        report: base,
        statement: `${base}/statement`,
        coalesced: null,
        changesUrl: `${base}/changes`,
        changes: [],
        changesOmitted: 0,
      },
    });
    expect(one!.headers).toMatchObject({ 'webhook-id': id, 'user-agent': expect.stringContaining('hostprobe/') });
    expect(await delivery(id)).toMatchObject({ state: 'delivered', outcome: '204', failures: 0 });
  });

  it('is retried with the same id after a failure, at most ten times', async () => {
    answers['/bad'] = { status: 500, body: 'no\u0000 \u202e' };
    const watchId = await watch('/bad');
    const id = await alert(watchId);
    for (const times of [1, 2, 10]) {
      if (times === 10) await database.pool.query('UPDATE alert_delivery SET failures = 9 WHERE alert_id = $1', [id]);
      await database.pool.query('UPDATE watch SET paused_until = NULL');
      await comes(id);
      await tried(id, times);
      // The schedule in libs/owners: 5 seconds and 5 minutes, each up to 20 % shorter or longer.
      const [soonest, latest] = { 1: [0, 6], 2: [230, 360] }[times] ?? [-Infinity, Infinity];
      expect((await delivery(id)).wait).toBeGreaterThanOrEqual(soonest!);
      expect((await delivery(id)).wait).toBeLessThanOrEqual(latest!);
    }
    expect(await delivery(id)).toMatchObject({
      state: 'exhausted',
      failures: 10,
      outcome: '500',
      excerpt: expect.stringContaining('no'),
    });
    expect(at('/bad').map(({ headers }) => headers['webhook-id'])).toEqual([id, id, id]);
    expect(await stateOf(watchId)).toEqual({ state: 'active', reason: null });
  });

  it('stops at 410, and after five days without a success', async () => {
    answers['/gone'] = { status: 410 };
    const gone = await watch('/gone');
    const [first, second] = [await alert(gone), await alert(gone)];
    await until('the watch ends', async () => ((await stateOf(gone)) as { state: string }).state === 'ended');
    expect(await stateOf(gone)).toEqual({ state: 'ended', reason: 'gone' });
    const third = await alert(gone);
    answers['/failing'] = { status: 500 };
    const failing = await watch('/failing', { failing_since: new Date(Date.now() - 6 * 86_400_000) });
    await tried(await alert(failing));
    expect(await stateOf(failing)).toEqual({ state: 'ended', reason: 'failing' });
    // The delivery that was due before the other watch failed was skipped.
    expect((await delivery(third)).state).toBe('due');
    expect(at('/gone').every(({ headers }) => [first, second].includes(String(headers['webhook-id'])))).toBe(true);
  });

  it("respects the receiver's Retry-After for all its alerts", async () => {
    answers['/later'] = { status: 429, headers: { 'retry-after': '120' } };
    const later = await watch('/later');
    const id = await alert(later);
    await tried(id);
    expect((await delivery(id)).wait).toBeGreaterThan(100);
    const other = await alert(later);
    await tried(await alert(await watch('/good')));
    expect([at('/later').length, (await delivery(other)).state]).toEqual([1, 'due']);
  });

  it('is signed with both secrets for a day after a rotation, and with one afterwards', async () => {
    const [former, id] = [newWebhookSecret(), await watch('/good')];
    const rotated = (ago: string) =>
      database.pool.query('UPDATE watch SET former_secret = $2, rotated_at = now() - $3::interval WHERE id = $1', [
        id,
        sealed,
        ago,
      ]);
    const sealed = sealSecret(await published(), id, former);
    for (const [ago, signatures] of [
      ['23 hours', 2],
      ['25 hours', 1],
    ] as const) {
      await rotated(ago);
      const one = await alert(id);
      await tried(one);
      const last = at('/good').find(({ headers }) => headers['webhook-id'] === one)!;
      expect(String(last.headers['webhook-signature']).match(/v1,/g)).toHaveLength(signatures);
      verified(last);
      if (signatures === 2) verified(last, former);
      else expect(() => verified(last, former)).toThrow();
    }
  });

  it('starts when the receiver answers with the challenge', async () => {
    answers['/echo'] = { status: 200, body: 'something' };
    const id = await watch('/echo', { state: 'pending' });
    const [early, verify] = [await alert(id), await alert(id, 'endpoint.verify', 'c0ffee')];
    await tried(verify);
    expect(await delivery(verify)).toMatchObject({ state: 'due', outcome: 'challenge_not_answered' });
    answers['/echo'] = { status: 200, body: '{"challenge":"c0ffee"}' };
    await comes(verify);
    await until('the receiver is known', async () => (await delivery(early)).state === 'delivered');
    expect(at('/echo').map(({ body }) => (JSON.parse(body) as { type: string }).type)).toEqual([
      'endpoint.verify',
      'endpoint.verify',
      'host.changed',
    ]);
  });

  it('sends nothing to a receiver whose secret was encrypted for other keys', async () => {
    const id = await watch('/other', { secret: sealSecret(await published(), randomUUID(), secret) });
    const one = await alert(id);
    await tried(one);
    expect([await delivery(one), at('/other')]).toEqual([expect.objectContaining({ outcome: 'secret_lost' }), []]);
  });

  it('continues while a dozen receivers hang, with four deliveries at a time per site', async () => {
    const good = await watch('/quick');
    answers['/quick'] = { status: 200 };
    const slow = await watch('/hangs', { site: 'hangs-0' });
    await database.pool.query(
      `INSERT INTO watch (id, domain, host_site, url, site, types, key_hash, state, created_at, ends_at)
       SELECT gen_random_uuid(), domain, host_site, url, 'hangs-' || n, types, 'hangs-' || n, state, now(), ends_at
       FROM watch, generate_series(1, 11) n WHERE id = $1`,
      [slow],
    );
    await database.pool.query(
      `WITH of AS (SELECT id, 'a' || n || key_hash AS alert FROM watch, generate_series(1, 6) n WHERE site LIKE 'hangs-%'),
         told AS (INSERT INTO alert (id, domain, type, at) SELECT alert, 'shop.example.com', 'host.changed', now() FROM of)
       INSERT INTO alert_delivery (watch_id, alert_id, next_at) SELECT id, alert, now() FROM of`,
    );
    await until('all of them hang', () => Promise.resolve(open() === 48));
    const ids = await Promise.all([1, 2, 3, 4, 5].map(() => alert(good)));
    for (const id of ids) await tried(id);
    expect(open()).toBeLessThanOrEqual(48); // those that time out meanwhile are replaced, four at a time
    expect(at('/quick')).toHaveLength(5);
    await database.pool.query(`DELETE FROM watch WHERE site LIKE 'hangs-%'`);
  });

  it('continues while thousands of receivers on different sites are slow', async () => {
    const [crowd, quick] = [await watch('/crowded', { host_site: 'crowd.example' }), await watch('/quick')];
    answers['/quick'] = { status: 200 };
    await database.pool.query(
      `INSERT INTO watch (id, domain, host_site, url, site, types, key_hash, state, created_at, ends_at)
       SELECT gen_random_uuid(), domain, host_site, url, 'crowd-' || n, types, 'crowd-' || n, state, now(), ends_at
       FROM watch, generate_series(1, 3072) n WHERE id = $1`,
      [crowd],
    );
    await database.pool.query(
      `WITH told AS (INSERT INTO alert (id, domain, type, at) VALUES ('crowd', 'crowd.example', 'host.changed', now()) RETURNING id)
       INSERT INTO alert_delivery (watch_id, alert_id) SELECT watch.id, told.id FROM watch, told WHERE site LIKE 'crowd-%'`,
    );
    const crowded = async (): Promise<number> =>
      (await database.pool.query(`SELECT FROM alert_delivery WHERE alert_id = 'crowd' AND attempt > 0`)).rowCount ?? 0;
    await until('they hang', async () => (await crowded()) >= 200);
    await tried(await alert(quick));
    const theirs = open(); // Out of 512 slots.
    await database.pool.query(
      `DELETE FROM watch WHERE host_site = 'crowd.example'; DELETE FROM alert WHERE id = 'crowd'`,
    );
    expect(theirs).toBeLessThan(512);
  });

  it('waits for the next minute if its receiver had its messages of this one, without counting a failure', async () => {
    const store = openLimitStore({ redisUrl: service.config.redis?.url ?? null, pool: database.pool });
    const budgets = new ReceiverBudgets(store);
    const spent = { host: '', site: 'spent.example' };
    await Promise.all(Array.from({ length: MESSAGES_PER_SITE_MIN }, () => budgets.spend(spent, [])));
    const id = await watch('/spent', { site: spent.site });
    const one = await alert(id);
    const paused = 'SELECT FROM watch WHERE id = $1 AND paused_until > now()';
    await until('its receiver is paused', async () => (await database.pool.query(paused, [id])).rowCount === 1);
    await until('it is given back', async () => (await delivery(one)).wait <= 0);
    expect([await delivery(one), at('/spent')]).toEqual([
      expect.objectContaining({ state: 'due', failures: 0, outcome: null }),
      [],
    ]);
    store.close();
  });

  it('continues while one receiver has a backlog of thousands, of which it gets four at a time', async () => {
    answers['/crowd'] = { status: 200 };
    const [crowd, quick] = [await watch('/crowd'), await watch('/quick')];
    await database.pool.query(
      `WITH told AS (INSERT INTO alert (id, domain, type, at) SELECT 'crowd' || n, 'shop.example.com', 'host.changed', now()
         FROM generate_series(1, 6000) n RETURNING id)
       INSERT INTO alert_delivery (watch_id, alert_id, next_at) SELECT $1, id, now() - interval '1 hour' FROM told`,
      [crowd],
    );
    await tried(await alert(quick));
    expect(at('/crowd').length).toBeLessThan(500);
    await database.pool.query('DELETE FROM watch WHERE id = $1', [crowd]);
  });

  it('loses nothing with Redis: waiting alerts still arrive after it was emptied', async () => {
    answers['/waiting'] = { status: 200 };
    const id = await watch('/waiting', { paused_until: new Date(Date.now() + 3_600_000) });
    const ids = await Promise.all(Array.from({ length: 20 }, () => alert(id)));
    const { redis } = service.config;
    if (redis) {
      const client = new Redis(redis.url);
      await client.flushdb();
      client.disconnect();
    }
    expect(at('/waiting')).toEqual([]);
    await database.pool.query('UPDATE watch SET paused_until = NULL WHERE id = $1', [id]);
    for (const one of ids) await tried(one);
    expect(
      at('/waiting')
        .map(({ headers }) => String(headers['webhook-id']))
        .toSorted(),
    ).toEqual(ids.toSorted());
  });

  it('is not blocked by a receiver whose URL cannot be decrypted, which fails like a refused one', async () => {
    answers['/beside'] = { status: 204 };
    const [lost, good] = [await watch('/lost', { url: 'sealed:AAAA' }), await watch('/beside')];
    const ids = await Promise.all([lost, good].map((one) => alert(one)));
    for (const id of ids) await tried(id);
    expect((await Promise.all(ids.map(delivery))).map(({ outcome }) => outcome)).toEqual(['address_refused', '204']);
    expect(await new DeliveryRepository(database).troubled()).toContainEqual(
      expect.objectContaining({ id: lost, receiver: '' }),
    );
  });

  it('loses nothing if a worker crashes with taken deliveries', async () => {
    const taker = new DeliveryRepository(database);
    answers['/kept'] = { status: 200 };
    const id = await watch('/kept', { paused_until: new Date(Date.now() + 3_600_000) });
    const one = await alert(id);
    await database.pool.query('UPDATE watch SET paused_until = NULL WHERE id = $1', [id]);
    const [taken] = (await taker.take({ most: 100, failing: false, running: {} })).filter(({ watch: of }) => of === id);
    await comes(one); // The lease of the dead worker has expired.
    await until('another one delivers', async () => (await delivery(one)).state === 'delivered');
    if (taken)
      await taker.record(taken, {
        taken: false,
        status: 500,
        outcome: '500',
        ms: 1,
        excerpt: '',
        waitSec: 5,
        pauseSec: 0,
        gone: false,
      });
    expect((await delivery(one)).state).toBe('delivered');
  });
});
