import { createPublicKey, randomUUID, verify, type JsonWebKey } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { keyHash, newKey } from '@app/owners';
import { Client } from 'pg';
import { Webhook } from 'standardwebhooks';
import { startFaultyFacilitator, type FaultyFacilitator } from '../../../test/support/facilitator';
import { newPayer, signPayment } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { backends } from '../../../test/support/stack';
import { says, startTestHost, type TestHost } from '../../../test/support/test-host';
import { until } from '../../../test/support/until';
import type { NewClaim } from '../src/owners/claim-state';
import type { NewWatchState, RotatedWatch, WatchList, WatchState } from '../src/owners/watch-state';

const DOMAIN = 'shop.example.com';
const URL = 'https://hooks.example.com/alerts';

describe('a watch', () => {
  let service: Service;
  let shop: TestHost;
  let receiver: TestHost;
  let database: Client;
  let facilitator: FaultyFacilitator;
  const received: { path: string; headers: IncomingHttpHeaders; body: string }[] = [];
  let llms = '# Shop\n';
  let callers = 0;

  beforeAll(async () => {
    shop = await startTestHost({
      '/llms.txt': (request, response) => {
        if (llms === '') response.writeHead(404).end();
        else says(llms, { 'content-type': 'text/plain' })(request, response);
      },
    });
    receiver = await startTestHost({
      '*': (request, response) => {
        let body = '';
        request.on('data', (chunk: Buffer) => (body += chunk.toString()));
        request.on('end', () => {
          received.push({ path: request.url ?? '', headers: request.headers, body });
          const { data } = JSON.parse(body) as { data: { challenge?: string } };
          response.end(data.challenge ?? '');
        });
      },
    });
    facilitator = await startFaultyFacilitator();
    service = await startService({
      backend: backends()[0]!,
      connectTo: [shop.as(DOMAIN), receiver.as('hooks.example.com')],
      env: {
        X402_FACILITATOR_URL: facilitator.url,
        SCHEDULED_PROBES_PER_MIN: '0',
        RATE_LIMIT_CLAIMS_PER_HOUR: '20',
        TRUSTED_PROXIES: '127.0.0.1',
        OPT_OUT: 'left-alone.example.com',
      },
    });
    database = new Client({ connectionString: service.config.database.url });
    await database.connect();
  });
  afterAll(async () => {
    await database.end();
    await service.stop();
    await Promise.all([shop.close(), receiver.close(), facilitator.close()]);
  });

  const asked = (path: string, key = '', method = 'GET', body?: object): Promise<Response> =>
    fetch(`${service.baseUrl}/api/v1/${path}`, {
      method,
      headers: {
        // As many callers: each may create only a few watches per hour.
        'x-forwarded-for': `203.0.113.${(callers = (callers + 1) % 250)}`,
        ...(key && { authorization: `Bearer ${key}` }),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
  const begin = (key: string, more: object = {}): Promise<Response> =>
    asked('watches', key, 'POST', { domain: DOMAIN, url: URL, ...more });
  const code = async (answer: Response): Promise<unknown> => [
    answer.status,
    ((await answer.json()) as { code: string }).code,
  ];

  /** A claim with verified control at that level. */
  async function claimed(level: string): Promise<NewClaim> {
    const claim = (await (await asked(`hosts/${DOMAIN}/claims`, '', 'POST')).json()) as NewClaim;
    await database.query(
      `UPDATE claim SET level = $2, level_since = now() - interval '1 hour', last_seen_at = now() WHERE id = $1`,
      [claim.id, level],
    );
    return claim;
  }

  /** The same without calling the service, which counts callers. */
  async function putClaim(domain = DOMAIN): Promise<{ readonly id: string; readonly key: string }> {
    const [id, key] = [randomUUID(), newKey('claim')];
    await database.query(
      `INSERT INTO claim (id, domain, site, caller, key_hash, challenge, created_at, level, level_since, last_seen_at, asked_at)
       VALUES ($1, $2, $2, '', $3, 'c', now(), 'dns', now() - interval '1 hour', now(), now())`,
      [id, domain, keyHash(key)],
    );
    return { id, key };
  }

  it('gets the alerts of its host, which can be verified with Standard Webhooks and the published key', async () => {
    await service.admitted();
    const payer = await newPayer(1_000_000n);
    const refresh = async (): Promise<void> => {
      expect((await payer.fetch(`${service.baseUrl}/api/v1/hosts/${DOMAIN}/refresh`)).status).toBe(200);
    };
    await refresh();
    const claim = await claimed('dns');
    const answer = await begin(claim.key);
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([201, 'private, no-store']);
    const { key, secret, ...watch } = (await answer.json()) as NewWatchState;
    expect(watch).toMatchObject({ domain: DOMAIN, url: URL, status: 'pending' });
    expect(answer.headers.get('location')).toBe(`/api/v1/watches/${watch.id}`);
    const shown = async (): Promise<WatchState> =>
      (await (await asked(`watches/${watch.id}`, key)).json()) as WatchState;
    await until('the receiver is known', async () => (await shown()).status === 'active');
    llms = '# Another shop\n\n- [New](https://shop.example.com/new)\n';
    await refresh();
    llms = '';
    await refresh();
    await refresh();
    await until('an alert', () => Promise.resolve(received.length > 1));
    const { headers, body } = received[1]!;
    const told = new Webhook(secret).verify(body, headers as Record<string, string>);
    expect(told).toMatchObject({
      type: 'host.changed',
      data: {
        ...{ domain: DOMAIN, seq: 1, coalesced: null },
        statement: `${service.baseUrl}/api/v1/hosts/${DOMAIN}/statement`,
        changesUrl: `${service.baseUrl}/api/v1/hosts/${DOMAIN}/changes`,
        changes: [{ kind: 'details_changed', protocol: 'llms', before: expect.anything(), after: expect.anything() }],
        changesOmitted: 0,
      },
    });
    const published = await fetch(`${service.baseUrl}/.well-known/hostprobe-webhook-keys.json`);
    const { keys } = (await published.json()) as { keys: JsonWebKey[] };
    const [, own = ''] = /v1a,(\S+)/.exec(String(headers['webhook-signature'])) ?? [];
    const content = Buffer.from(`${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`);
    expect(verify(null, content, createPublicKey({ key: keys[0]!, format: 'jwk' }), Buffer.from(own, 'base64'))).toBe(
      true,
    );

    const rotated = (await (await asked(`watches/${watch.id}/rotate`, key, 'POST')).json()) as RotatedWatch;
    const id = String(headers['webhook-id']);
    const before = received.length;
    expect((await asked(`watches/${watch.id}/deliveries/${id}/replay`, key, 'POST')).status).toBe(200);
    await until('the alert again', () =>
      Promise.resolve(received.slice(before).some((one) => one.headers['webhook-id'] === id)),
    );
    const again = received.slice(before).find((one) => one.headers['webhook-id'] === id)!;
    expect(again.body).toBe(body);
    for (const one of [secret, rotated.secret])
      new Webhook(one).verify(again.body, again.headers as Record<string, string>);
    expect(await code(await asked(`watches/${watch.id}/deliveries/msg_none/replay`, key, 'POST'))).toEqual([
      404,
      'delivery_unknown',
    ]);
    await database.query('UPDATE watch SET ends_at = now() WHERE id = $1', [watch.id]);
    expect(await shown()).toMatchObject({ status: 'ended', reason: null });
    const ended = await asked(`watches/${watch.id}`, key, 'DELETE');
    expect([ended.status, await ended.text()]).toEqual([204, '']);
    expect(await code(await asked(`watches/${watch.id}`, key))).toEqual([401, 'watch_key_invalid']);
  });

  it('needs a claim that is verified by DNS, or a subscription', async () => {
    const [byFile, byDns] = [await claimed('http'), await claimed('dns')];
    expect(await code(await begin(byFile.key))).toEqual([403, 'claim_not_verified']);
    await database.query('UPDATE claim SET missing = true WHERE id = $1', [byDns.id]);
    expect(await code(await begin(byDns.key))).toEqual([403, 'claim_not_verified']);
    expect(await code(await begin('hps_x'))).toEqual([401, 'subscription_key_invalid']);
    expect(await code(await begin('hpo_x'))).toEqual([401, 'claim_key_invalid']);
    expect(await code(await begin(byDns.key, { domain: 'other.example.com' }))).toEqual([401, 'claim_key_invalid']);
  });

  it('needs a valid receiver and known types, and is limited to ten per claim', async () => {
    const { key } = await claimed('dns');
    for (const url of ['http://hooks.example.com/', 'https://hooks.example.com:8443/', 'https://127.0.0.1/', 'x']) {
      expect(await code(await begin(key, { url }))).toEqual([400, 'invalid_url']);
    }
    const alone = 'left-alone.example.com';
    expect(await code(await begin(key, { url: `https://${alone}/` }))).toEqual([403, 'opted_out']);
    expect(await code(await begin('', { domain: alone }))).toEqual([403, 'opted_out']);
    for (const types of [['host.gone'], [], 'x'])
      expect(await code(await begin(key, { types }))).toEqual([400, 'invalid_types']);
    for (let i = 0; i < 10; i += 1) expect((await begin(key, { types: ['claim.lapsing'] })).status).toBe(201);
    expect(await code(await begin(key))).toEqual([409, 'too_many_watches']);
  });

  it.each([
    ['its claim is deleted', [401, 'claim_key_invalid']],
    ['its subscription is revoked', [401, 'subscription_revoked']],
    ['its subscription is deleted', [401, 'subscription_key_invalid']],
    ['its receiver is deleted', [401, 'watch_key_invalid']],
  ] as const)('is created or refused if %s at the same time, without an internal error', async (what, expected) => {
    for (let n = 0; n < 12; n += 1) {
      const subscription = newKey('subscription');
      await database.query('DELETE FROM subscription');
      await database.query(
        `INSERT INTO subscription (id, domain, key_hash, created_at, ends_at) VALUES (gen_random_uuid(), $1, $2, now(), now() + interval '3 days')`,
        [DOMAIN, keyHash(subscription)],
      );
      const byClaim = what.includes('claim') || what.includes('receiver');
      const { id, key } = byClaim ? await putClaim() : { id: '', key: subscription };
      const ends: Readonly<Record<string, () => Promise<unknown>>> = {
        'its claim is deleted': () => asked(`claims/${id}`, key, 'DELETE'),
        'its subscription is revoked': () => database.query('UPDATE subscription SET revoked_at = now()'),
        'its subscription is deleted': () => database.query('DELETE FROM subscription'),
        'its receiver is deleted': async () => {
          const watch = (await (await begin(key)).json()) as NewWatchState;
          const both = ['rotate', ''].map((path) =>
            asked(`watches/${watch.id}${path && `/${path}`}`, watch.key, path ? 'POST' : 'DELETE'),
          );
          for (const answer of await Promise.all(both)) expect([200, 204, 401]).toContain(answer.status);
        },
      };
      const [answers] = await Promise.all([Promise.all([1, 2, 3].map(() => begin(key))), ends[what]!()]);
      for (const answer of answers) {
        if (answer.status !== 201) expect(await code(answer)).toEqual(expected);
      }
    }
    await database.query('DELETE FROM subscription');
  });

  it('is refused before payment if its host or site has reached the limit of its kind', async () => {
    const put = (price: 'claimed' | 'bought', domain: string, many: number) =>
      database.query(
        `INSERT INTO watch (id, domain, host_site, url, site, types, key_hash, claim_id, created_at, ends_at)
         SELECT gen_random_uuid(), $1, 'full.example', 'https://a.example/', 'a.example', '{}', $1 || n,
           CASE WHEN $2 = 'claimed' THEN (SELECT id FROM claim LIMIT 1) END, now(), now() + interval '1 day'
         FROM generate_series(1, $3) n`,
        [domain, price, many],
      );
    const { key } = await putClaim('shop.full.example');
    await put('claimed', 'shop.full.example', 400);
    expect(await code(await begin(key, { domain: 'shop.full.example' }))).toEqual([409, 'too_many_watches']);
    expect((await begin('', { domain: 'shop.full.example' })).status).toBe(402);
    await put('bought', 'one.full.example', 1_000);
    expect(await code(await begin('', { domain: 'one.full.example' }))).toEqual([409, 'too_many_watches']);
    expect((await begin('', { domain: 'two.full.example' })).status).toBe(402);
    for (const n of [2, 3, 4]) await put('bought', `${n}.full.example`, 1_000);
    expect(await code(await begin('', { domain: 'two.full.example' }))).toEqual([409, 'too_many_watches']);
    expect((await begin('', { domain: 'full2.example' })).status).toBe(402);
    await database.query(`DELETE FROM watch WHERE host_site = 'full.example'`);
  });

  it('is listed in pages with the key that created it, and alone with its own key', async () => {
    const [claim, other] = [await putClaim(), await putClaim()];
    const begun: NewWatchState[] = [];
    for (let n = 0; n < 3; n += 1) begun.push((await (await begin(claim.key)).json()) as NewWatchState);
    await begin(other.key);
    const list = async (key: string, query = ''): Promise<WatchList> =>
      (await (await asked(`watches${query}`, key)).json()) as WatchList;
    const { watches, ...end } = await list(claim.key);
    expect([watches.map(({ id }) => id), end]).toEqual([begun.map(({ id }) => id).sort(), {}]);
    const first = await list(claim.key, '?limit=2');
    expect(first).toEqual({ watches: watches.slice(0, 2), nextCursor: watches[1]!.id });
    expect(await list(claim.key, `?limit=2&cursor=${first.nextCursor}`)).toEqual({ watches: watches.slice(2) });
    const [one] = begun;
    expect((await list(one!.key)).watches).toMatchObject([{ id: one!.id, url: URL }]);
    expect((await list((await putClaim()).key)).watches).toEqual([]);
    for (const [kind, prefix] of [
      ['claim', 'hpo_'],
      ['subscription', 'hps_'],
      ['watch', 'hpw_'],
      ['watch', ''],
    ]) {
      expect(await code(await asked('watches', prefix && `${prefix}x`))).toEqual([401, `${kind}_key_invalid`]);
    }
    expect(await code(await asked('watches?cursor=x', claim.key))).toEqual([400, 'invalid_cursor']);
  });

  it('is changed to other types at once, and to another receiver after that answered the challenge', async () => {
    const { key: owner } = await putClaim();
    const { id, key } = (await (await begin(owner)).json()) as NewWatchState;
    const shown = async (): Promise<WatchState> => (await (await asked(`watches/${id}`, key)).json()) as WatchState;
    const change = (body: object): Promise<Response> => asked(`watches/${id}`, key, 'PATCH', body);
    await until('the receiver is known', async () => (await shown()).status === 'active');
    const changed = await change({ types: ['host.recovered', 'host.unreachable', 'host.recovered'] });
    expect([changed.status, await changed.json()]).toEqual([
      200,
      expect.objectContaining({ status: 'active', url: URL, types: ['host.unreachable', 'host.recovered'] }),
    ]);
    for (const body of [{}, { url: URL }]) {
      expect(await (await change(body)).json()).toMatchObject({ status: 'active', types: { length: 2 } });
    }
    const moved = await change({ url: `${URL}/moved` });
    expect(await moved.json()).toMatchObject({ status: 'pending', url: `${URL}/moved` });
    await until('the new receiver is known', async () => (await shown()).status === 'active');
    expect(received.filter(({ path }) => path.endsWith('/moved'))).toHaveLength(1);
    for (const url of ['http://hooks.example.com/', 'https://hooks.example.com:8443/', 'https://127.0.0.1/', 'x', 7]) {
      expect(await code(await change({ url }))).toEqual([400, 'invalid_url']);
    }
    expect(await code(await change({ types: [] }))).toEqual([400, 'invalid_types']);
    expect(await code(await change({ domain: DOMAIN }))).toEqual([400, 'unknown_member']);
    expect(await code(await asked(`watches/${id}`, owner, 'PATCH', {}))).toEqual([401, 'watch_key_invalid']);
    await database.query(`UPDATE watch SET state = 'ended', reason = 'gone' WHERE id = $1`, [id]);
    expect(await code(await change({ url: URL }))).toEqual([409, 'watch_ended']);
  });

  it('can be created with a subscription key of its host, but of no other', async () => {
    const key = newKey('subscription');
    await database.query(
      `INSERT INTO subscription (id, domain, key_hash, created_at, ends_at)
       VALUES (gen_random_uuid(), $1, $2, now(), now() + interval '3 days')`,
      [DOMAIN, keyHash(key)],
    );
    const payer = await newPayer();
    const payment = await signPayment(payer, await begin(''));
    const answer = await fetch(`${service.baseUrl}/api/v1/watches`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'payment-signature': payment, 'content-type': 'application/json' },
      body: JSON.stringify({ domain: DOMAIN, url: URL }),
    });
    const { endsAt, alertsLeft } = (await answer.json()) as NewWatchState;
    expect([answer.status, alertsLeft, await payer.balance()]).toEqual([201, null, 1_000_000n]);
    const { rows } = await database.query<{ ends_at: Date }>('SELECT ends_at FROM subscription');
    expect(endsAt).toBe(rows[0]!.ends_at.toISOString());
    expect(await code(await begin(key, { domain: 'other.example.com' }))).toEqual([
      401,
      'subscription_of_another_origin',
    ]);
  });

  describe('that is paid', () => {
    const buy = async (payment: string, more: object = {}, name?: string): Promise<Response> =>
      fetch(`${service.baseUrl}/api/v1/watches`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'payment-signature': payment,
          ...(name && { 'idempotency-key': name }),
        },
        body: JSON.stringify({ domain: 'payee.example.com', url: URL, ...more }),
      });
    const unpaid = (more: object = {}): Promise<Response> => begin('', { domain: 'payee.example.com', ...more });

    it('sends nothing before the payment is settled, then for 30 days or 100 alerts', async () => {
      const [refused, payer, name] = [await newPayer(), await newPayer(), randomUUID()];
      facilitator.fault = 'settle_refused';
      const failed = await buy(await signPayment(refused, await unpaid()), { url: `${URL}/refused` }).finally(
        () => (facilitator.fault = 'none'),
      );
      expect([failed.status, /(hpw|whsec)_\w{9}/.test(await failed.text())]).toEqual([402, false]);

      const payment = await signPayment(payer, await unpaid());
      const sold = await buy(payment, { url: `${URL}/bought` }, name);
      const bought = (await sold.json()) as NewWatchState;
      const { id, key, secret, createdAt, endsAt } = bought;
      expect([sold.status, sold.headers.get('location')]).toEqual([200, `/api/v1/watches/${id}`]);
      expect(bought).toMatchObject({ status: 'pending', alertsLeft: 100, domain: 'payee.example.com' });
      expect(Math.round((Date.parse(endsAt) - Date.parse(createdAt)) / 86_400_000)).toBe(30);
      const shown = async (): Promise<WatchState> => (await (await asked(`watches/${id}`, key)).json()) as WatchState;
      await until('the receiver is known', async () => (await shown()).status === 'active');
      const { headers, body } = received.find(({ path }) => path.endsWith('/bought'))!;
      expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({
        type: 'endpoint.verify',
      });
      const { rows } = await database.query<{ attempt: number; url: string }>(
        `SELECT attempt, url FROM alert_delivery JOIN watch ON id = watch_id WHERE domain = 'payee.example.com' ORDER BY attempt`,
      );
      // The URL is a secret of the receiver, like those of Slack and Discord (behaviour 13.5).
      const url = expect.stringMatching(/^sealed:/) as string;
      expect(rows).toEqual([
        { url, attempt: 0 },
        { url, attempt: 1 },
      ]);

      const again = async (as?: string): Promise<unknown> => {
        const answer = await buy(payment, { url: `${URL}/bought` }, as);
        expect(answer.headers.get('idempotent-replayed')).toBe('true');
        expect(answer.headers.get('location')).toBe(`/api/v1/watches/${id}`);
        return answer.json();
      };
      expect(await again(name)).toEqual(bought);
      expect(await again()).toEqual({ ...bought, key: null, secret: null });
      expect(await code(await buy(payment, { url: `${URL}/other` }))).toEqual([
        409,
        'payment_used_for_another_request',
      ]);
      expect([await payer.balance(), await refused.balance()]).toEqual([990_000n, 1_000_000n]);
      expect((await asked(`watches/${id}/rotate`, key, 'POST')).status).toBe(200);
      expect(await again(name)).toEqual({ ...bought, secret: null });
    });

    it('shows its key to one of several copies of its payment', async () => {
      const payment = await signPayment(await newPayer(), await unpaid());
      const copies = await Promise.all(
        [1, 2, 3].map(async () => (await (await buy(payment)).json()) as { key: string | null; id: string }),
      );
      expect(copies.filter(({ key }) => key !== null)).toHaveLength(1);
      expect(new Set(copies.map(({ id }) => id)).size).toBe(1);
    });
  });

  it('is stored encrypted', async () => {
    const { rows } = await database.query<{ secret: string }>('SELECT secret FROM watch');
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter(({ secret }) => !/^sealed:[\w-]{40,}$/.test(secret))).toEqual([]);
  });
});
