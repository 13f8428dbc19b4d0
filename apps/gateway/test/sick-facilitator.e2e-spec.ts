import {
  startFaultyFacilitator,
  type FacilitatorFault,
  type FaultyFacilitator,
} from '../../../test/support/facilitator';
import { newPayer, signPayment, type Payer } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { says, startTestHost, type TestHost } from '../../../test/support/test-host';

describe('a faulty facilitator', () => {
  let facilitator: FaultyFacilitator;
  let service: Service;
  let shop: TestHost;
  let url: string;
  let payer: Payer;

  beforeAll(async () => {
    facilitator = await startFaultyFacilitator();
    shop = await startTestHost({ '/llms.txt': says('# Shop\n') });
    service = await startService({
      connectTo: [shop.as('shop.example.com')],
      env: { X402_FACILITATOR_URL: facilitator.url },
    });
    url = `${service.baseUrl}/api/v1/hosts/shop.example.com/refresh`;
  });
  beforeEach(async () => {
    facilitator.fault = 'none';
    payer = await newPayer();
  });
  afterAll(async () => {
    await service.stop();
    await Promise.all([shop.close(), facilitator.close()]);
  });

  const pay = async (): Promise<{ headers: { 'payment-signature': string } }> => ({
    headers: { 'payment-signature': await signPayment(payer, await fetch(url)) },
  });

  it.each<FacilitatorFault>(['verify_500', 'verify_junk'])(
    'causes a 503 without a challenge if its answer is unusable (%s), and the same payment works later',
    async (fault) => {
      const payment = await pay();
      facilitator.fault = fault;
      const away = await fetch(url, payment);
      expect(away.status).toBe(503);
      expect(away.headers.get('payment-required')).toBeNull();
      expect(away.headers.get('retry-after')).not.toBeNull();
      expect(await away.text()).not.toMatch(/secret|facilitator verify failed/i);
      facilitator.fault = 'none';
      expect((await fetch(url, payment)).status).toBe(200);
      expect(await payer.balance()).toBe(980_000n);
    },
  );

  it('does not prevent the release if the settlement succeeded and only its answer was lost', async () => {
    const payment = await pay();
    facilitator.fault = 'settle_landed_then_dropped';
    const response = await fetch(url, payment);
    expect(response.status).toBe(200);
    expect(response.headers.get('payment-response')).not.toBeNull();
    expect(await payer.balance()).toBe(980_000n);
  });

  it.each<FacilitatorFault>(['settle_500', 'settle_not_sent'])(
    'never causes a second payment if the outcome is unknown (%s); the retry gets the answer for one charge',
    async (fault) => {
      const payment = await pay();
      facilitator.fault = fault;
      const unknown = await fetch(url, payment);
      expect(unknown.status).toBe(503);
      expect(unknown.headers.get('payment-required')).toBeNull();
      expect(await unknown.json()).toMatchObject({ code: 'settlement_unknown' });
      expect(await payer.balance()).toBe(1_000_000n);
      facilitator.fault = 'none';
      const retry = await fetch(url, payment);
      expect(retry.status).toBe(200);
      expect(await payer.balance()).toBe(980_000n);
    },
  );

  it('makes the answer withheld, with the reason, if it refuses the settlement', async () => {
    const payment = await pay();
    facilitator.fault = 'settle_refused';
    const refused = await fetch(url, payment);
    expect(refused.status).toBe(402);
    expect(await refused.json()).toMatchObject({ code: 'insufficient_funds' });
    expect(await payer.balance()).toBe(1_000_000n);
  });
});
