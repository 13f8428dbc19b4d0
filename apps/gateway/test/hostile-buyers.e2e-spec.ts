import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { keyHash, newKey } from '@app/owners';
import { callTool, NATIVE } from '../../../test/support/mcp';
import { newPayer, signPayment, type Payer } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { says, startTestHost, type TestHost } from '../../../test/support/test-host';

/** What buyers send who are careless or mean harm, over every paid route. */
describe('a suspicious purchase request', () => {
  let service: Service;
  let shop: TestHost;
  let database: Client;
  let host: string;
  let payer: Payer;

  beforeAll(async () => {
    shop = await startTestHost({ '/llms.txt': says('# Shop\n') });
    service = await startService({
      connectTo: [shop.as('shop.example.com')],
    });
    host = `${service.baseUrl}/api/v1/hosts/shop.example.com`;
    database = new Client({ connectionString: service.config.database.url });
    await database.connect();
  });
  beforeEach(async () => {
    payer = await newPayer(20_000_000n);
  });
  afterAll(async () => {
    await database.end();
    await service.stop();
    await shop.close();
  });

  const rows = async (): Promise<number> => {
    const { rowCount } = await database.query('SELECT FROM payment_attempt WHERE payer = $1', [
      payer.account.address.toLowerCase(),
    ]);
    return rowCount ?? 0;
  };

  const PAID = ['/refresh', '?refresh=1', '/protocols/llms/refresh', '/pay-preflight'];

  it.each(PAID)('HEAD sells nothing at %s, even with a payment', async (path) => {
    const url = `${host}${path}`;
    const header = await signPayment(payer, await fetch(url));
    for (const headers of [
      {},
      { 'payment-signature': header },
      { authorization: `Bearer ${newKey('subscription')}` },
    ]) {
      const response = await fetch(url, { method: 'HEAD', headers });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET']);
      expect(response.headers.get('payment-required')).toBeNull();
    }
    const options = await fetch(url, { method: 'OPTIONS' });
    if (path !== '?refresh=1') expect(options.headers.get('allow')).toBe('GET, OPTIONS');
    expect([await payer.balance(), await rows()]).toEqual([20_000_000n, 0]);
  });

  it('an unreadable payment header gets 400, one of an unknown kind 402 with the terms', async () => {
    const url = `${host}/protocols/llms/refresh`;
    for (const text of ['%%%', Buffer.from('hello').toString('base64')]) {
      const response = await fetch(url, { headers: { 'payment-signature': text } });
      expect([response.status, response.headers.get('payment-required')]).toEqual([400, null]);
      expect(await response.json()).toMatchObject({ code: 'payment_malformed' });
    }
    const unknown = await fetch(url, { headers: { 'payment-signature': 'e30=' } });
    expect([unknown.status, await unknown.json()]).toMatchObject([402, { code: 'payment_invalid', accepts: [{}] }]);
    expect([await payer.balance(), await rows()]).toEqual([20_000_000n, 0]);
  });

  it('a payment in the header of the other version is refused, over REST and MCP', async () => {
    const url = `${host}/protocols/llms/refresh`;
    const second = await signPayment(payer, await fetch(url));
    const { payload } = JSON.parse(Buffer.from(second, 'base64').toString()) as { payload: object };
    const first = Buffer.from(JSON.stringify({ x402Version: 1, scheme: 'exact', network: 'base', payload })).toString(
      'base64',
    );
    for (const headers of [{ 'x-payment': second }, { 'payment-signature': first }]) {
      const response = await fetch(url, { headers });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ code: 'payment_malformed' });
      const args = { domain: 'shop.example.com', protocol: 'llms' };
      const called = await callTool(service, 'refresh_host_protocol', args, { headers });
      expect(JSON.stringify(called.body)).toContain('payment_malformed');
    }
    expect([await payer.balance(), await rows()]).toEqual([20_000_000n, 0]);
  });

  it("a payment with another host's key buys, and the answer says that the key was ignored", async () => {
    const key = newKey('subscription');
    await database.query(
      `INSERT INTO subscription (id, domain, key_hash, created_at, ends_at)
       VALUES ($1, 'other.example.com', $2, now(), now() + interval '1 day')`,
      [randomUUID(), keyHash(key)],
    );
    const url = `${host}/protocols/llms/refresh`;
    const bearer = { authorization: `Bearer ${key}` };
    expect((await fetch(url, { headers: bearer })).status).toBe(401);
    const payment = { 'payment-signature': await signPayment(payer, await fetch(url)) };
    const bought = await fetch(url, { headers: { ...bearer, ...payment } });
    expect(bought.status).toBe(200);
    expect(await bought.json()).toMatchObject({ protocol: 'llms', notice: expect.stringContaining('another host') });
    const again = await fetch(url, { headers: payment });
    expect([again.status, await again.json()]).not.toHaveProperty('1.notice');
    const meta = { 'x402/payment': await paymentFor(url) };
    const args = { domain: 'shop.example.com', protocol: 'llms' };
    const called = await callTool(service, 'refresh_host_protocol', args, { headers: { ...bearer, ...NATIVE }, meta });
    expect(called.body.result?.structuredContent).toMatchObject({ notice: expect.stringContaining('another host') });
    expect(await payer.balance()).toBe(19_990_000n);
    const wrong = {
      authorization: `Bearer ${newKey('subscription')}`,
      'payment-signature': await signPayment(payer, await fetch(url)),
    };
    expect((await fetch(url, { headers: wrong })).status).toBe(401);
  });

  async function paymentFor(url: string): Promise<unknown> {
    return JSON.parse(Buffer.from(await signPayment(payer, await fetch(url)), 'base64').toString());
  }
});
