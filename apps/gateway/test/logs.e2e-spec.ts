import { generatePrivateKey } from 'viem/accounts';
import { newPayer, signPayment } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { backends } from '../../../test/support/stack';
import { says, startTestHost, type TestHost } from '../../../test/support/test-host';
import { until } from '../../../test/support/until';

const OFFER_KEY = generatePrivateKey();
const PASSWORD = 'correct horse battery';
const KEY_SECRET = 'a secret that cannot be guessed at all';

interface Line {
  readonly msg: string;
  readonly requestId?: string;
  readonly runId?: string;
  readonly state?: string;
  readonly transaction?: string;
}

describe('the logs of a paid request', () => {
  let service: Service;
  let shop: TestHost;
  const written: string[] = [];

  beforeAll(async () => {
    shop = await startTestHost({ '/llms.txt': says('# Shop\n') });
    service = await startService({
      backend: backends()[0]!,
      connectTo: [shop.as('shop.example.com')],
      logTo: { write: (line) => written.push(line) },
      env: {
        LOG_LEVEL: 'trace',
        OFFER_SIGNING_KEY: OFFER_KEY,
        OPERATOR_PASSWORD: PASSWORD,
        SUBSCRIPTION_KEY_SECRET: KEY_SECRET,
      },
    });
    await service.admitted();
  });
  afterAll(async () => {
    await service.stop();
    await shop.close();
  });
  const lines = () => written.map((line) => JSON.parse(line) as Line);

  it('contain one id from the request through the job to the settlement, and no secrets', async () => {
    const payer = await newPayer();
    const url = `${service.baseUrl}/api/v1/hosts/shop.example.com/refresh`;
    const payment = await signPayment(payer, await fetch(url));
    written.length = 0;
    const headers = { 'payment-signature': payment, 'request-id': 'order-2026_11' };
    expect((await fetch(url, { headers })).status).toBe(200);
    // Failures are logged in most detail: an unreadable payment, a payment for another request, a wrong password.
    await fetch(url, { headers: { 'payment-signature': `${payment.slice(0, -8)}AAAA` } });
    const other = url.replace('/refresh', '/protocols/llms/refresh');
    expect((await fetch(other, { headers: { 'payment-signature': payment } })).status).toBeGreaterThanOrEqual(400);
    await fetch(`${service.baseUrl}/metrics`, { headers: { authorization: `Basic ${btoa(`operator:${PASSWORD}`)}` } });
    await until('the line of a probe that ended', () => lines().some(({ msg }) => msg === 'probe finished'));

    const asked = lines().find(({ msg }) => msg === 'probe asked for')!;
    const probed = lines().find(({ msg }) => msg === 'probe finished')!;
    const settled = lines().find(({ state }) => state === 'settled')!;
    expect(asked.requestId).toBe('order-2026_11');
    expect([probed.requestId, probed.runId]).toEqual([asked.requestId, asked.runId]);
    expect(settled.requestId).toBe(asked.requestId);
    expect(settled.transaction).toMatch(/^0x[0-9a-f]{64}$/);

    const { payload } = JSON.parse(Buffer.from(payment, 'base64').toString('utf8')) as {
      payload: { signature: string; authorization: { nonce: string } };
    };
    const said = written.join('').toLowerCase();
    const secrets = [payment, payload.signature, payload.authorization.nonce, OFFER_KEY, PASSWORD, KEY_SECRET];
    for (const secret of [...secrets, OFFER_KEY.slice(2), btoa(`operator:${PASSWORD}`)]) {
      expect(said).not.toContain(secret.toLowerCase());
    }
  });
});
