import { createHash } from 'node:crypto';
import { Client } from 'pg';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { readBundle } from '@app/evidence';
import { type KeySet } from '@app/signing';
import { Fleet, fleetEnv } from '../../../test/support/chaos/fleet';
import { startFaultyFacilitator, type FaultyFacilitator } from '../../../test/support/facilitator';
import { balanceOf, newPayer, signPayment } from '../../../test/support/payer';
import { backends } from '../../../test/support/stack';
import { says, startTestHost, type TestHost } from '../../../test/support/test-host';
import { verified } from '../../../test/support/verified';

const COPIES = 20;
const HOST = '/api/v1/hosts/shop.example.com';
const PATH = `${HOST}/refresh`;

describe('two gateways selling for one account', () => {
  const payTo = privateKeyToAddress(generatePrivateKey());
  let fleet: Fleet;
  let shop: TestHost;
  let facilitator: FaultyFacilitator;
  let database: Client;

  beforeAll(async () => {
    facilitator = await startFaultyFacilitator();
    shop = await startTestHost({ '/llms.txt': says('# Shop\n') });
    const terms = { payTo, facilitatorUrl: facilitator.url, connectTo: [shop.as('shop.example.com')] };
    const env = await fleetEnv(backends()[0]!, terms);
    fleet = await Fleet.start(env);
    database = new Client({ connectionString: env.DATABASE_URL });
    await database.connect();
  });
  afterAll(async () => {
    await fleet.stop();
    await database.end();
    await Promise.all([shop.close(), facilitator.close()]);
  });

  const ask = (path: string, headers: Record<string, string> = {}, gateway = 0) =>
    fetch(`${fleet.gateways[gateway]!}${path}`, { headers });
  const textOf = async (path: string, gateway = 0) => (await ask(path, {}, gateway)).text();
  const keySet = async () => JSON.parse(await textOf('/.well-known/hostprobe-keys.json')) as KeySet;

  /** A refresh paid at one gateway, and another gateway's response when the payment is sent again. */
  async function refreshed(): Promise<readonly [Response, Response]> {
    const challenge = await ask(PATH);
    const payment = { 'payment-signature': await signPayment(await newPayer(), challenge) };
    return [await ask(PATH, payment), await ask(PATH, payment, 1)];
  }

  it('have no statement, before the first probe', async () => {
    const none = await ask(`${HOST}/statement`);
    expect([none.status, await none.json()]).toMatchObject([404, { code: 'host_not_probed' }]);
  });

  it('answer twenty copies of one payment with one probe, one transaction and twenty equal answers', async () => {
    const payer = await newPayer();
    const challenge = await fetch(`${fleet.gateways[0]!}${PATH}`);
    const headers = { 'payment-signature': await signPayment(payer, challenge) };
    const answers = await Promise.all(
      Array.from({ length: COPIES }, (_, copy) => fetch(`${fleet.gateways[copy % 2]!}${PATH}`, { headers })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: COPIES }, () => 200));
    expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1);
    expect(new Set(answers.map((answer) => answer.headers.get('payment-response'))).size).toBe(1);
    expect(answers.filter((answer) => answer.headers.get('idempotent-replayed') === null)).toHaveLength(1);
    expect(shop.requests.filter((request) => request === 'GET /llms.txt')).toHaveLength(1);
    expect(facilitator.settlements()).toBe(1);
    const { rows } = await database.query<{ state: string }>('SELECT state FROM payment_event ORDER BY seq');
    const once = ['received', 'verified', 'working', 'answer_stored', 'settling', 'settled'];
    expect(rows.map(({ state }) => state)).toEqual(once);
    expect(await payer.balance()).toBe(980_000n);
    expect(await balanceOf(payTo)).toBe(20_000n);
  });

  it('return the same statement bytes, over every interface', async () => {
    const [sold, replayed] = await refreshed();
    expect(sold.status).toBe(200);
    const token = sold.headers.get('hostprobe-statement');
    expect(token).toMatch(/^ey/);
    expect(replayed.headers.get('hostprobe-statement')).toBe(token);
    expect(await replayed.text()).toBe(await sold.text());
    const first = await ask(`${HOST}/statement`);
    expect([await first.text(), await textOf(`${HOST}/statement`, 1)]).toEqual([token, token]);
    expect(first.headers.get('content-type')).toBe('application/jwt');
    const negotiated = await ask(HOST, { accept: 'application/jwt' });
    expect([await negotiated.text(), negotiated.headers.get('vary')]).toEqual([token, 'Accept']);
    const known = await ask(`${HOST}/statement`, { 'if-none-match': first.headers.get('etag')! });
    expect(known.status).toBe(304);
    expect((await ask(`${HOST}/statement?form=other`)).status).toBe(400);
  });

  it('return statements valid for 15 minutes with payment options, and for a day without', async () => {
    const keys = await keySet();
    const { report } = JSON.parse(await textOf(HOST)) as { report: { uri: string; sha256: string } };
    const expected = {
      issuer: new URL(report.uri).origin,
      keys,
      subject: 'https://shop.example.com',
    };
    const claims = await verified(await textOf(`${HOST}/statement`), expected);
    expect(claims).toMatchObject({ outcome: 'probed', report, cells: { llms: 'present' }, rails: [] });
    expect(claims.exp - claims.iat).toBe(900);
    const listing = await verified(await textOf(`${HOST}/statement?form=listing`), expected);
    expect([listing.exp - listing.iat, listing.rails]).toEqual([86_400, undefined]);
  });

  it('refer in a statement to a report that does not change with the next probe', async () => {
    const { report } = JSON.parse(await textOf(HOST)) as { report: { uri: string; sha256: string; len: number } };
    await refreshed();
    const kept = await ask(new URL(report.uri).pathname, { 'accept-encoding': 'gzip' }, 1);
    const bytes = Buffer.from(await kept.arrayBuffer());
    expect([createHash('sha256').update(bytes).digest('base64url'), bytes.length]).toEqual([report.sha256, report.len]);
    expect(kept.headers.get('cache-control')).toContain('immutable');
    expect(kept.headers.get('ratelimit-policy')).toMatch(/^"evidence";/);
    expect((await ask(`${HOST}/reports/${'0'.repeat(64)}`)).status).toBe(404);
  });

  it('refer in a statement to the evidence by URL, also with the root in hex', async () => {
    const issuer = new URL((JSON.parse(await textOf(HOST)) as { report: { uri: string } }).report.uri).origin;
    const { evidence } = await verified(await textOf(`${HOST}/statement`), { issuer, keys: await keySet() });
    const hex = Buffer.from(evidence!.root, 'base64url').toString('hex');
    const [named, same] = await Promise.all([evidence!.root, hex].map((root) => textOf(`${HOST}/evidence/${root}`)));
    expect(same).toBe(named);
    expect(await readBundle(Buffer.from(named!))).toMatchObject({ root: hex, lines: { length: evidence!.n - 1 } });
  });

  it('return the same statement bytes right after their start', async () => {
    const token = await textOf(`${HOST}/statement`);
    await fleet.renew('gateway');
    const asked = Array.from({ length: 32 }, (_, index) => textOf(`${HOST}/statement`, index % 2));
    expect(new Set(await Promise.all(asked))).toEqual(new Set([token]));
  });
});
