import { loadConfig } from '@app/config';
import { HostName } from '@app/hosts';
import { keyHash, newKey, type Subscription } from '@app/owners';
import { createSIWxPayload, encodeSIWxHeader, type SIWxExtension } from '@x402/extensions/sign-in-with-x';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { RequestError } from '../http/request-error';
import { Subscribers } from './subscribers';

const CONFIG = loadConfig({
  DATABASE_URL: 'postgres://127.0.0.1/none',
  PUBLIC_BASE_URL: 'https://probe.example.com',
});
const KEY = newKey('subscription');
const SUBSCRIPTION: Subscription = {
  id: '1',
  domain: 'shop.example.com',
  payer: null,
  createdAt: new Date(0),
  endsAt: new Date(Date.now() + 86_400_000),
  revokedAt: null,
};

function host(name: string): HostName {
  const reading = HostName.parse(name);
  if (!reading.ok) throw new Error(reading.sentence);
  return reading.host;
}

/** The subscribers of one origin, with the number of key lookups and the used nonces. */
function counted(subscribed?: string): {
  readonly subscribers: Subscribers;
  lookups: number;
  readonly nonces: string[];
} {
  const nonces: string[] = [];
  const counter = {
    nonces,
    lookups: 0,
    subscribers: new Subscribers(
      {
        findByKey: (hash) => {
          counter.lookups += 1;
          return Promise.resolve(hash === keyHash(KEY) ? SUBSCRIPTION : undefined);
        },
        findByPayer: (_, payer) => Promise.resolve(payer === subscribed ? SUBSCRIPTION : undefined),
      },
      { take: (_, nonce) => Promise.resolve(nonces.push(nonce) > 0) },
      CONFIG,
    ),
  };
  return counter;
}

describe('a key that is sent with every call', () => {
  it('is looked up once per call about its origin', async () => {
    const counter = counted();
    const shop = host('shop.example.com');
    const credential = await counter.subscribers.concerning(shop, { kind: 'key', key: KEY });
    expect(await counter.subscribers.active(shop, credential)).toBe(SUBSCRIPTION);
    expect(counter.lookups).toBe(1);
  });

  it('does not count for other origins, whose routes refuse it', async () => {
    const { subscribers } = counted();
    const other = host('other.example.com');
    expect(await subscribers.concerning(other, { kind: 'key', key: KEY })).toEqual({ kind: 'foreign' });
    await expect(subscribers.find(other, { kind: 'foreign' })).rejects.toMatchObject({
      code: 'subscription_of_another_origin',
    });
    await expect(subscribers.find(other, { kind: 'key', key: KEY })).rejects.toMatchObject({
      code: 'subscription_of_another_origin',
    });
    await expect(subscribers.find(other, { kind: 'found', subscription: SUBSCRIPTION })).rejects.toMatchObject({
      code: 'subscription_of_another_origin',
    });
  });

  it.each(['hps_', `hps_${'A'.repeat(43)}`])('is refused if it is not valid: %s', async (key) => {
    const { subscribers } = counted();
    const shop = host('shop.example.com');
    const credential = await subscribers.concerning(shop, { kind: 'key', key });
    await expect(subscribers.active(shop, credential)).rejects.toMatchObject({ code: 'subscription_key_invalid' });
  });
});

describe('a wallet sign-in', () => {
  const shop = host('shop.example.com');
  const signed = async (account: ReturnType<typeof privateKeyToAccount>, subscribers: Subscribers) => {
    const error = await subscribers.find(shop, undefined).catch((thrown: unknown) => thrown);
    if (!(error instanceof RequestError)) throw error;
    const { info } = (error.extra['extensions'] as { 'sign-in-with-x': SIWxExtension })['sign-in-with-x'];
    const url = `${CONFIG.http.publicBaseUrl}/api/v1/hosts/shop.example.com/subscription`;
    const message = await createSIWxPayload({ ...info, chainId: 'eip155:8453', type: 'eip191' }, account, url);
    return subscribers.find(shop, { kind: 'wallet', header: encodeSIWxHeader(message) });
  };

  it('uses up its nonce', async () => {
    const account = privateKeyToAccount(generatePrivateKey());
    const { subscribers, nonces } = counted(account.address.toLowerCase());
    expect(await signed(account, subscribers)).toBe(SUBSCRIPTION);
    expect(nonces).toHaveLength(1);
  });

  it('of a wallet without purchases stores nothing', async () => {
    const { subscribers, nonces } = counted();
    for (let i = 0; i < 5; i += 1) {
      const stranger = signed(privateKeyToAccount(generatePrivateKey()), subscribers);
      await expect(stranger).rejects.toMatchObject({ code: 'not_subscribed' });
    }
    expect(nonces).toEqual([]);
  });
});
