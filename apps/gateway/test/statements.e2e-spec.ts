import { createHash } from 'node:crypto';
import { readBundle } from '@app/evidence';
import { type KeySet } from '@app/signing';
import { startTwoGateways, type TwoGateways } from '../../../test/support/chaos/two-gateways';
import { newPayer, signPayment } from '../../../test/support/payer';
import { verified } from '../../../test/support/verified';

const HOST = '/api/v1/hosts/shop.example.com';

describe('statements of two gateways', () => {
  let both: TwoGateways;

  beforeAll(async () => {
    both = await startTwoGateways();
  });
  afterAll(() => both.stop());

  const ask = (path: string, headers: Record<string, string> = {}, gateway = 0) =>
    fetch(`${both.fleet.gateways[gateway]!}${path}`, { headers });
  const textOf = async (path: string, gateway = 0) => (await ask(path, {}, gateway)).text();
  const keySet = async () => JSON.parse(await textOf('/.well-known/hostprobe-keys.json')) as KeySet;

  /** A refresh that is paid for at one gateway, and what another answers when the payment is sent again. */
  async function refreshed(): Promise<readonly [Response, Response]> {
    const challenge = await ask(`${HOST}/refresh`);
    const payment = { 'payment-signature': await signPayment(await newPayer(), challenge) };
    return [await ask(`${HOST}/refresh`, payment), await ask(`${HOST}/refresh`, payment, 1)];
  }

  it('are asked for in vain before the first probe', async () => {
    const none = await ask(`${HOST}/statement`);
    expect([none.status, await none.json()]).toMatchObject([404, { code: 'statement_expired' }]);
  });

  it('are the same bytes from each, whichever way they are asked for', async () => {
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

  it('hold for 15 minutes with payment options, and for a day without', async () => {
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

  it('name a report that stays what it was after the next probe', async () => {
    const { report } = JSON.parse(await textOf(HOST)) as { report: { uri: string; sha256: string; len: number } };
    await refreshed();
    const kept = await ask(new URL(report.uri).pathname, { 'accept-encoding': 'gzip' }, 1);
    const bytes = Buffer.from(await kept.arrayBuffer());
    expect([createHash('sha256').update(bytes).digest('base64url'), bytes.length]).toEqual([report.sha256, report.len]);
    expect(kept.headers.get('cache-control')).toContain('immutable');
    expect(kept.headers.get('ratelimit-policy')).toMatch(/^"evidence";/);
    expect((await ask(`${HOST}/reports/${'0'.repeat(64)}`)).status).toBe(404);
  });

  it('name the evidence by its address, and by the same root in hex', async () => {
    const issuer = new URL((JSON.parse(await textOf(HOST)) as { report: { uri: string } }).report.uri).origin;
    const { evidence } = await verified(await textOf(`${HOST}/statement`), { issuer, keys: await keySet() });
    const hex = Buffer.from(evidence!.root, 'base64url').toString('hex');
    const [named, same] = await Promise.all([evidence!.root, hex].map((root) => textOf(`${HOST}/evidence/${root}`)));
    expect(same).toBe(named);
    expect(await readBundle(Buffer.from(named!))).toMatchObject({ root: hex, lines: { length: evidence!.n - 1 } });
  });

  it('are the same bytes from gateways that have just started and are asked at once', async () => {
    const token = await textOf(`${HOST}/statement`);
    await both.fleet.renew();
    const asked = Array.from({ length: 32 }, (_, index) => textOf(`${HOST}/statement`, index % 2));
    expect(new Set(await Promise.all(asked))).toEqual(new Set([token]));
  });
});
