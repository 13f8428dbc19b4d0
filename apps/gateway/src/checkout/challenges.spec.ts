import { challengeFor, OfferSigner, requirementFor } from '@app/payments';
import { Challenges } from './challenges';
import { offerOf } from '../../../../test/support/offers';

const TERMS = { network: 'eip155:8453', payTo: '0x1111111111111111111111111111111111111111' } as const;
const ROUTE = { path: '/api/v1/hosts/:domain/refresh', answer: {} };
const refreshOf = (domain: string) =>
  offerOf({
    method: 'GET',
    resource: `https://probe.example.com/api/v1/hosts/${domain}/refresh`,
    route: ROUTE,
  });
const batchOf = (hosts: number) =>
  offerOf(
    { method: 'POST', resource: 'https://probe.example.com/x', route: ROUTE },
    { sku: 'batch_refresh', priceAtomic: BigInt(hosts) * 2_000n },
  );
const refused = { code: 'invalid_payment', error: 'the payment was refused' };

describe('cached challenges', () => {
  it('equal newly built challenges, for each resource and each price', async () => {
    const challenges = new Challenges(TERMS, null);
    for (const offered of [refreshOf('a.example.com'), refreshOf('b.example.com'), batchOf(1), batchOf(2)]) {
      await challenges.of(offered);
      expect(await challenges.of(offered)).toEqual(challengeFor(offered, TERMS));
    }
  });

  it('are built once, with a text that matches the body', async () => {
    const challenges = new Challenges(TERMS, null);
    const first = await challenges.of(refreshOf('a.example.com'));
    expect(await challenges.of(refreshOf('a.example.com'))).toBe(first);
    expect(JSON.parse(first.text)).toEqual(first.body);
  });

  it('are not used when a refused payment needs its reason', async () => {
    const challenges = new Challenges(TERMS, null);
    await challenges.of(refreshOf('a.example.com'));
    expect((await challenges.of(refreshOf('a.example.com'), refused)).body).toMatchObject(refused);
    expect((await challenges.of(refreshOf('a.example.com'))).body.code).toBe('payment_required');
  });

  it('are signed for signed products, and built again after signing failed', async () => {
    const signer = new OfferSigner(`0x${'12'.repeat(32)}`, 8453);
    let fails = true;
    const challenges = new Challenges(TERMS, {
      offerFor: (resource, requirement) => {
        if (fails) return Promise.reject(new Error('no signature'));
        return signer.offerFor(resource, requirement);
      },
    });
    const offered = refreshOf('a.example.com');
    await expect(challenges.of(offered)).rejects.toThrow('no signature');
    fails = false;
    const expected = await signer.offerFor(offered.resource, requirementFor(offered, TERMS));
    expect((await challenges.of(offered)).body.extensions).toMatchObject(expected);
  });
});
