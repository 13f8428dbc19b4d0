import { createSIWxPayload, encodeSIWxHeader, type SIWxExtension } from '@x402/extensions/sign-in-with-x';
import { decodePaymentResponseHeader } from '@x402/core/http';
import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { decodeFunctionData, parseAbi, serializeSignature, type Hex } from 'viem';
import type { ChangesReport } from '@app/reports';
import { chainClient } from '../../standalone/src/embedded/embedded-chain';
import { startFaultyFacilitator, type FaultyFacilitator } from '../../../test/support/facilitator';
import { runCommand } from '../../../test/support/command-line';
import { callTool, NATIVE } from '../../../test/support/mcp';
import { newPayer, signPayment, type Payer } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { backends, stack } from '../../../test/support/stack';
import { says, startTestHost, type TestHost } from '../../../test/support/test-host';

interface Bought {
  readonly key: string;
  readonly endsAt: string;
  readonly createdAt: string;
}

/** Costs 5 USDC for 30 days; includes two refreshes here, so that the test can use up the budget. */
describe.each(backends().slice(0, 1))('a subscription, with the counters on %s', (backend) => {
  let service: Service;
  let shop: TestHost;
  let facilitator: FaultyFacilitator;
  let database: Client;
  let host: string;

  beforeAll(async () => {
    facilitator = await startFaultyFacilitator();
    shop = await startTestHost({ '*': says('not found', { 'content-type': 'text/plain' }, 404) });
    service = await startService({
      backend,
      connectTo: [shop.as('shop.example.com')],
      env: { X402_FACILITATOR_URL: facilitator.url, SUBSCRIPTION_REFRESHES_PER_DAY: '2' },
    });
    host = `${service.baseUrl}/api/v1/hosts/shop.example.com`;
    database = new Client({ connectionString: service.config.database.url });
    await database.connect();
    await database.query(
      `INSERT INTO change_event (domain, at, protocol, kind, summary, before, after)
       SELECT 'shop.example.com', now(), 'llms', 'version_changed', 'change ' || n, to_jsonb(n - 1), to_jsonb(n)
       FROM generate_series(1, 60) AS n`,
    );
  });
  afterAll(async () => {
    await database.end();
    await service.stop();
    await shop.close();
    await facilitator.close();
  });

  /** A wallet that bought a subscription, with a name for the purchase if given. */
  async function subscriber(name?: string): Promise<{ payer: Payer; payment: string; bought: Bought }> {
    const payer = await newPayer(10_000_000n);
    const payment = await signPayment(payer, await fetch(`${host}/subscription`, { method: 'POST' }));
    return { payer, payment, bought: await buy(payment, name) };
  }
  const subscribe = (payment: string, name?: string): Promise<Response> => {
    const headers = { 'payment-signature': payment, ...(name && { 'idempotency-key': name }) };
    return fetch(`${host}/subscription`, { method: 'POST', headers });
  };
  const buy = async (payment: string, name?: string): Promise<Bought> => {
    const response = await subscribe(payment, name);
    expect(response.status).toBe(200);
    return (await response.json()) as Bought;
  };
  const withKey = (url: string, key: string, method = 'GET'): Promise<Response> =>
    fetch(url, { method, headers: { authorization: `Bearer ${key}` } });

  /** Signs the message in a 401 response. */
  async function signIn(payer: Payer): Promise<{ 'sign-in-with-x': string }> {
    const refused = await fetch(`${host}/subscription`);
    expect(refused.status).toBe(401);
    const body = (await refused.json()) as { extensions: { 'sign-in-with-x': SIWxExtension } };
    const { info } = body.extensions['sign-in-with-x'];
    const asked = { ...info, chainId: 'eip155:8453', type: 'eip191' as const };
    return { 'sign-in-with-x': encodeSIWxHeader(await createSIWxPayload(asked, payer.account, refused.url)) };
  }

  it('returns a key for the payment, and the same key without a second charge if the purchase is named again', async () => {
    const name = randomUUID();
    const { payer, payment, bought } = await subscriber(name);
    expect(bought).toMatchObject({
      domain: 'shop.example.com',
      status: 'active',
      key: expect.stringMatching(/^hps_[\w-]{43}$/),
      subscriber: payer.account.address.toLowerCase(),
      refreshesPerDay: 2,
    });
    expect(Date.parse(bought.endsAt) - Date.parse(bought.createdAt)).toBe(30 * 86_400_000);
    const again = await Promise.all([subscribe(payment, name), subscribe(payment, name)]);
    for (const replay of again) {
      expect(replay.headers.get('idempotent-replayed')).toBe('true');
      expect(await replay.json()).toEqual(bought);
    }
    expect(await payer.balance()).toBe(5_000_000n);
    expect(await tablesThatHold(database, bought.key)).toEqual([]);
    expect(await tablesThatHold(database, payer.account.address.toLowerCase())).toContain('subscription');
  });

  it('does not show the key of an unnamed purchase to a caller who only has the payment, which is public on the chain', async () => {
    const payer = await newPayer(10_000_000n);
    const response = await subscribe(await signPayment(payer, await fetch(`${host}/subscription`, { method: 'POST' })));
    const { key, ...rest } = (await response.json()) as Bought;
    expect(key).toMatch(/^hps_/);
    const shown = response.headers.get('location');
    expect([response.status, shown]).toEqual([200, '/api/v1/hosts/shop.example.com/subscription']);
    const { transaction } = decodePaymentResponseHeader(response.headers.get('payment-response') ?? '');
    const stolen = await paymentOnChain(transaction as Hex);
    for (const name of [undefined, '', randomUUID()]) {
      const headers = { 'x-payment': stolen, ...(name !== undefined && { 'idempotency-key': name }) };
      const replay = await fetch(`${host}/subscription`, { method: 'POST', headers });
      if (name === '') expect(replay.status).toBe(402);
      else expect(await replay.json()).toEqual({ ...rest, key: null });
    }
  });

  it('does not show the key of a named purchase without the name', async () => {
    const name = randomUUID();
    const { payment, bought } = await subscriber(name);
    expect(await buy(payment)).toEqual({ ...bought, key: null });
    expect(await buy(payment, name)).toEqual(bought);
  });

  it('shows the key of an unnamed purchase to one of several copies', async () => {
    const payer = await newPayer(10_000_000n);
    const payment = await signPayment(payer, await fetch(`${host}/subscription`, { method: 'POST' }));
    const copies = await Promise.all([1, 2, 3, 4].map(() => buy(payment)));
    expect(copies.filter(({ key }) => (key as string | null) !== null)).toHaveLength(1);
  });

  it('returns the same key at another gateway, and none after the secret changed', async () => {
    const name = randomUUID();
    const { payment, bought } = await subscriber(name);
    const same = { DATABASE_URL: service.config.database.url, PUBLIC_BASE_URL: service.baseUrl };
    const secret = 'of thirty-two characters at least';
    for (const [env, key] of [
      [same, bought.key] as const,
      [{ ...same, SUBSCRIPTION_KEY_SECRET: secret }, null] as const,
    ]) {
      const other = await startService({ backend, worker: false, env });
      const replay = await fetch(
        `http://127.0.0.1:${other.config.http.port}/api/v1/hosts/shop.example.com/subscription`,
        {
          method: 'POST',
          headers: { 'payment-signature': payment, 'idempotency-key': name },
        },
      );
      expect(await replay.json()).toEqual({ ...bought, key });
      await other.stop();
    }
    expect((await withKey(`${host}/changes`, bought.key)).status).toBe(200);
  });

  it('adds the days of a renewal to the remaining time', async () => {
    const { payer, bought } = await subscriber();
    const payment = await signPayment(payer, await fetch(`${host}/subscription`, { method: 'POST' }));
    const renewed = (await (await subscribe(payment)).json()) as Bought;
    expect(Date.parse(renewed.endsAt) - Date.parse(bought.endsAt)).toBe(30 * 86_400_000);
    expect(renewed.key).not.toBe(bought.key);
  });

  it('handles purchases of a wallet one after the other, so that their days add up', async () => {
    const payer = await newPayer(10_000_000n);
    const sign = async (): Promise<string> =>
      signPayment(payer, await fetch(`${host}/subscription`, { method: 'POST' }));
    const [first, second] = [await sign(), await sign()];
    const nonce = nonceOf(first);
    facilitator.fault = (call) => (call.nonce === nonce ? 'settle_not_sent' : 'none');
    expect(await (await subscribe(first)).json()).toMatchObject({ code: 'settlement_unknown' });
    const waiting = await subscribe(second);
    expect(waiting.status).toBe(503);
    expect(waiting.headers.get('retry-after')).toBe('5');
    expect(await waiting.json()).toMatchObject({ code: 'payment_in_progress' });
    facilitator.fault = 'none';
    const [one, other] = [await buy(first), await buy(second)];
    expect(Date.parse(other.endsAt) - Date.parse(one.endsAt)).toBe(30 * 86_400_000);
    expect(await payer.balance()).toBe(0n);
  });

  it('gives no subscription after a refused settlement, not even to the wallet that signed', async () => {
    const payer = await newPayer(10_000_000n);
    const payment = await signPayment(payer, await fetch(`${host}/subscription`, { method: 'POST' }));
    facilitator.fault = 'settle_refused';
    const refused = await subscribe(payment).finally(() => (facilitator.fault = 'none'));
    expect(refused.status).toBe(402);
    expect(await refused.text()).not.toMatch(/hps_[\w-]{43}/);
    const rows = await database.query('SELECT payer FROM subscription WHERE payer = $1', [
      payer.account.address.toLowerCase(),
    ]);
    expect(rows.rowCount).toBe(1);
    const state = await fetch(`${host}/subscription`, { headers: await signIn(payer) });
    expect(state.status).toBe(401);
    expect(await state.json()).toMatchObject({ code: 'not_subscribed' });
  });

  it('shows the public five summaries, with any parameters', async () => {
    const response = await fetch(`${host}/changes?limit=50&cursor=30`);
    const report = (await response.json()) as ChangesReport;
    expect(report).toMatchObject({ full: false, subscribe: { priceUsd: 5, days: 30 } });
    expect(report.changes.map(({ summary }) => summary)).toEqual([60, 59, 58, 57, 56].map((n) => `change ${n}`));
    expect(report.changes.every((change) => !('before' in change))).toBe(true);
    expect(report).not.toHaveProperty('nextCursor');
    expect(response.headers.get('vary')).toContain('Authorization');
  });

  it.each([
    ['cursor', 'nextCursor'],
    ['before', 'nextBefore'],
  ] as const)('shows the subscriber every event in pages, by %s', async (cursor, next) => {
    const { bought } = await subscriber();
    const first = await withKey(`${host}/changes`, bought.key);
    expect(first.headers.get('cache-control')).toBe('private, no-store');
    const page = (await first.json()) as ChangesReport;
    expect(page.full).toBe(true);
    expect(page.changes).toHaveLength(20);
    expect(page.changes[0]).toMatchObject({ summary: 'change 60', before: 59, after: 60 });
    const seen: string[] = [];
    let after = '';
    do {
      const response = await withKey(`${host}/changes?limit=25${after}`, bought.key);
      const { changes, [next]: further } = (await response.json()) as ChangesReport;
      seen.push(...changes.map(({ summary }) => summary));
      after = further === undefined ? '' : `&${cursor}=${further}`;
    } while (after !== '');
    expect(seen).toEqual(Array.from({ length: 60 }, (_, n) => `change ${60 - n}`));
  });

  it('includes refreshes of its origin until the daily limit is reached', async () => {
    const { payer, bought } = await subscriber();
    const full = await withKey(`${host}/refresh`, bought.key);
    expect(full.status).toBe(200);
    expect(await full.json()).toMatchObject({ domain: 'shop.example.com', reachable: true });
    expect(full.headers.get('payment-response')).toBeNull();
    expect(full.headers.get('ratelimit')).toContain('"subscription";r=1');
    expect((await withKey(`${host}/protocols/llms/refresh`, bought.key)).status).toBe(200);
    const spent = await withKey(`${host}/refresh`, bought.key);
    expect(spent.status).toBe(429);
    expect(await spent.json()).toMatchObject({ code: 'subscription_budget' });
    expect(Number(spent.headers.get('retry-after'))).toBeGreaterThan(86_000);
    expect(spent.headers.get('payment-required')).toBeNull();
    expect((await withKey(`${host}/changes`, bought.key)).status).toBe(200);
    expect(await payer.balance()).toBe(5_000_000n);
  });

  it.each(['/changes', '/refresh', '?refresh=1', '/protocols/llms/refresh', '/subscription'])(
    'refuses a wrong key at %s instead of treating its bearer as the public',
    async (path) => {
      const response = await withKey(`${host}${path}`, `hps_${'A'.repeat(43)}`);
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toContain('Bearer');
      expect(await response.json()).toMatchObject({ code: 'subscription_key_invalid' });
    },
  );

  it('refuses a key at another origin', async () => {
    const { bought } = await subscriber();
    const other = host.replace('shop.', 'other.');
    for (const path of ['/changes', '/refresh', '/subscription']) {
      const response = await withKey(`${other}${path}`, bought.key);
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({ code: 'subscription_of_another_origin' });
    }
  });

  it('refuses an expired key and still shows the state', async () => {
    const { bought } = await subscriber();
    await database.query(`UPDATE subscription SET ends_at = now() WHERE ends_at = $1`, [bought.endsAt]);
    const response = await withKey(`${host}/changes`, bought.key);
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ code: 'subscription_expired' });
    expect(await (await withKey(`${host}/subscription`, bought.key)).json()).toMatchObject({ status: 'expired' });
  });

  it('can be revoked by its owner, with its key or its wallet', async () => {
    const { payer, bought } = await subscriber();
    expect(await (await withKey(`${host}/subscription`, bought.key)).json()).toMatchObject({ status: 'active' });
    const revoked = await withKey(`${host}/subscription`, bought.key, 'DELETE');
    expect(revoked.status).toBe(200);
    expect(await revoked.json()).toMatchObject({ status: 'revoked' });
    const byKey = await withKey(`${host}/changes`, bought.key);
    const byWallet = await fetch(`${host}/changes`, { headers: await signIn(payer) });
    for (const response of [byKey, byWallet]) {
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({ code: 'subscription_revoked' });
    }
  });

  it('lets the wallet that paid sign in, once per signed message', async () => {
    const { payer } = await subscriber();
    const headers = await signIn(payer);
    const answers = await Promise.all([fetch(`${host}/changes`, { headers }), fetch(`${host}/changes`, { headers })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
    const reports = (await Promise.all(answers.map((answer) => answer.json()))) as readonly object[];
    expect(reports).toContainEqual(expect.objectContaining({ full: true }));
    expect(reports).toContainEqual(expect.objectContaining({ code: 'sign_in_nonce_used' }));
    expect((await fetch(`${host}/refresh`, { headers: await signIn(payer) })).status).toBe(200);
  });

  it('refuses a wallet that never paid', async () => {
    const other = await newPayer(0n);
    const response = await fetch(`${host}/changes`, { headers: await signIn(other) });
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ code: 'not_subscribed' });
  });

  describe('at the MCP endpoint', () => {
    const shown = (key: string) => ({ authorization: `Bearer ${key}` });
    const domain = 'shop.example.com';

    it('includes refreshes and the history, as at the routes', async () => {
      const { payer, bought } = await subscriber();
      const headers = { ...shown(bought.key), ...NATIVE };
      const probed = await callTool(service, 'refresh_host_protocol', { domain, protocol: 'llms' }, { headers });
      expect(probed.body.result).toMatchObject({ structuredContent: { domain, protocol: 'llms' } });
      expect(probed.headers.get('ratelimit')).toContain('"subscription";r=1');
      expect((await callTool(service, 'refresh_host', { domain }, { headers })).body.result?.isError).toBeUndefined();
      const spent = await callTool(service, 'refresh_host', { domain }, { headers });
      expect(spent.body.result).toMatchObject({ isError: true, structuredContent: { code: 'subscription_budget' } });
      expect(await payer.balance()).toBe(5_000_000n);
      const pages = await callTool(service, 'list_changes', { domain, limit: 7, cursor: '40' }, { headers });
      const routed = await withKey(`${host}/changes?limit=7&cursor=40`, bought.key);
      expect(pages.body.result?.structuredContent).toEqual(await routed.json());
      expect(pages.body.result?.structuredContent).toMatchObject({ full: true, nextCursor: expect.any(String) });
    });

    it('has no effect for other hosts, although it is sent with every call', async () => {
      const { bought } = await subscriber();
      const headers = shown(bought.key);
      const other = { domain: 'other.example.com' };
      const changes = await callTool(service, 'list_changes', other, { headers });
      expect(changes.body.result?.structuredContent).toMatchObject({ ...other, full: false });
      const asked = await callTool(service, 'refresh_host', other, { headers });
      expect([asked.status, asked.body['sku']]).toEqual([402, 'host_refresh']);
      const check = await callTool(service, 'pay_preflight', { domain }, { headers });
      expect([check.status, check.body['sku']]).toEqual([402, 'pay_preflight']);
    });

    it('is refused if the key is invalid', async () => {
      for (const tool of ['list_changes', 'refresh_host']) {
        const plain = await callTool(service, tool, { domain }, { headers: shown('hps_none') });
        expect([plain.status, plain.body.error?.data?.['code']]).toEqual([401, 'subscription_key_invalid']);
        expect(plain.headers.get('www-authenticate')).toContain('Bearer');
        const native = await callTool(service, tool, { domain }, { headers: { ...shown('hps_none'), ...NATIVE } });
        expect(native.status).toBe(200);
        expect(native.body.result).toMatchObject({
          isError: true,
          structuredContent: { code: 'subscription_key_invalid' },
        });
      }
    });
  });

  it('is granted, listed and revoked by the operator', async () => {
    const env = { DATABASE_URL: service.config.database.url };
    const command = async (...args: string[]): Promise<string> => {
      const { out, err } = await runCommand(['subscription', ...args], { env });
      return out + err;
    };
    const granted = await command('grant', 'Shop.Example.com', '--days', '3');
    const key = /hps_[\w-]{43}/.exec(granted)?.[0] ?? '';
    const id = /id (\S+)/.exec(granted)?.[1] ?? '';
    expect((await withKey(`${host}/changes`, key)).status).toBe(200);
    expect(await tablesThatHold(database, key)).toEqual([]);
    expect(await command('list')).toMatch(new RegExp(`^${id}  active .* shop.example.com  granted$`, 'm'));
    await command('revoke', id);
    expect((await withKey(`${host}/changes`, key)).status).toBe(401);
    expect(await command('revoke', 'missing')).toContain('there is no subscription missing');
  });
});

/** The nonce of the authorization in a payment header, as the facilitator gets it. */
function nonceOf(header: string): string | undefined {
  return /"nonce":"(0x[0-9a-fA-F]{64})"/.exec(Buffer.from(header, 'base64').toString())?.[1]?.toLowerCase();
}

/** The payment that anybody can reconstruct from its settlement transaction. */
async function paymentOnChain(hash: Hex): Promise<string> {
  const { input } = await chainClient(stack().rpcUrl, 8453).getTransaction({ hash });
  const abi = parseAbi([
    'function transferWithAuthorization(address, address, uint256, uint256, uint256, bytes32, uint8, bytes32, bytes32)',
  ]);
  const { args } = decodeFunctionData({ abi, data: input });
  const [from, to, value, validAfter, validBefore, nonce, v, r, s] = args;
  const authorization = {
    ...{ from, to, nonce, value: value.toString() },
    ...{ validAfter: validAfter.toString(), validBefore: validBefore.toString() },
  };
  const payload = { signature: serializeSignature({ r, s, yParity: v % 27 }), authorization };
  return Buffer.from(JSON.stringify({ x402Version: 1, scheme: 'exact', network: 'base', payload })).toString('base64');
}

/** Tables with a row that contains the text in any column. */
async function tablesThatHold(database: Client, text: string): Promise<readonly string[]> {
  const tables = await database.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`,
  );
  const holding: string[] = [];
  for (const { name } of tables.rows) {
    const { rows } = await database.query(`SELECT FROM "${name}" AS t WHERE strpos(t::text, $1) > 0 LIMIT 1`, [text]);
    if (rows.length > 0) holding.push(name);
  }
  return holding;
}
