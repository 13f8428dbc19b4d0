import { keyHash, purchasedKey } from '@app/owners';
import type { PayloadReading } from '@app/payments';
import type { ProductDeps } from './product-deps';
import { subscription } from './subscription';

const SECRET = 'secret of the installation';
const DIGEST = 'digest of the payment';
const KEY = purchasedKey(SECRET, DIGEST);

/** What a request with the payment gets, and on whose behalf it asked for the key. */
async function delivered(first: boolean, identifier?: string) {
  const asked: unknown[] = [];
  const deps = {
    installation: { baseUrl: 'https://probe.example.org', subscription: { price: { base: 1n }, days: 30 } },
    purchaseSecret: () => Promise.resolve(SECRET),
    subscriptions: {
      showKey: (_digest: string, to: unknown) => {
        asked.push(to);
        return Promise.resolve(to === 'first' ? keyHash(KEY) : undefined);
      },
    },
  } as unknown as ProductDeps;
  const payload = { ok: true, payload: { digest: DIGEST, identifier } } as unknown as PayloadReading;
  const { deliver } = subscription.order({ domain: 'shop.example.com' }, deps, payload);
  return { asked, ...(await deliver!(first)) };
}

describe('the key of a subscription', () => {
  it('is sent to the first request with the payment', async () => {
    expect(await delivered(true)).toEqual({ asked: ['first'], key: KEY });
  });

  it('is not sent to a later one that has only the payment', async () => {
    expect(await delivered(false)).toEqual({ asked: [{ name: null }], key: null });
    expect(await delivered(false, 'order-1')).toEqual({ asked: [{ name: 'order-1' }], key: null });
  });
});
