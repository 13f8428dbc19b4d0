import { HostName } from '@app/reports';
import { keyHash, randomKey, type Subscription } from '@app/subscriptions';
import { Subscribers } from './subscribers';

const KEY = randomKey();
const SUBSCRIPTION: Subscription = {
  id: '1',
  domain: 'shop.example.com',
  payer: null,
  since: new Date(0),
  expiresAt: new Date(Date.now() + 86_400_000),
  revokedAt: null,
};

function host(name: string): HostName {
  const reading = HostName.parse(name);
  if (!reading.ok) throw new Error(reading.sentence);
  return reading.host;
}

/** Subscribers of one origin, and how often a key was looked up. */
function counted(): { readonly subscribers: Subscribers; lookups: number } {
  const counter = {
    lookups: 0,
    subscribers: new Subscribers({
      subscriptions: {
        findByKey: (hash) => {
          counter.lookups += 1;
          return Promise.resolve(hash === keyHash(KEY) ? SUBSCRIPTION : undefined);
        },
        findByPayer: () => Promise.resolve(undefined),
      },
      nonces: { take: () => Promise.resolve(true) },
      baseUrl: 'https://probe.example.com',
      network: 'eip155:8453',
    }),
  };
  return counter;
}

describe('a key that comes along with every call', () => {
  it('is looked up once for a call about its origin', async () => {
    const counter = counted();
    const shop = host('shop.example.com');
    const credential = await counter.subscribers.concerning(shop, { kind: 'key', key: KEY });
    expect(await counter.subscribers.active(shop, credential!)).toBe(SUBSCRIPTION);
    expect(counter.lookups).toBe(1);
  });

  it('says nothing about other origins, where routes refuse it', async () => {
    const { subscribers } = counted();
    const other = host('other.example.com');
    expect(await subscribers.concerning(other, { kind: 'key', key: KEY })).toBeUndefined();
    await expect(subscribers.find(other, { kind: 'key', key: KEY })).rejects.toMatchObject({
      code: 'subscription_of_another_origin',
    });
    await expect(subscribers.find(other, { kind: 'found', subscription: SUBSCRIPTION })).rejects.toMatchObject({
      code: 'subscription_of_another_origin',
    });
  });

  it.each(['hps_', `hps_${'A'.repeat(43)}`])('is refused when it is none: %s', async (key) => {
    const { subscribers } = counted();
    const shop = host('shop.example.com');
    const credential = await subscribers.concerning(shop, { kind: 'key', key });
    await expect(subscribers.active(shop, credential!)).rejects.toMatchObject({ code: 'subscription_key_invalid' });
  });
});
