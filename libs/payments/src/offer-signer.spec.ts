import { requirementFor } from './challenge';
import { OfferSigner } from './offer-signer';
import { offerOf } from '../../../test/support/offers';

const KEY = `0x${'5'.repeat(64)}` as const;
const RESOURCE = 'https://probe.example.com/api/v1/hosts/a.example.com/refresh';
const REQUIREMENT = requirementFor(
  offerOf({
    method: 'GET',
    resource: RESOURCE,
    route: { path: '/api/v1/hosts/:domain/refresh', answer: {} },
  }),
  { network: 'eip155:8453', payTo: '0x1111111111111111111111111111111111111111' },
);
const SIGNED = { 'offer-receipt': { info: { offers: [] } } };

/** A signer whose issuer fails at the given step the first time. */
function failingOnce(at: 'open' | 'offer'): { readonly signer: OfferSigner; signatures: number } {
  let failed = false;
  const failAt = (step: 'open' | 'offer'): void => {
    if (step !== at || failed) return;
    failed = true;
    throw new Error('too many open files');
  };
  const made = {
    signatures: 0,
    signer: new OfferSigner(KEY, 8453, async () => {
      await Promise.resolve();
      failAt('open');
      const offerFor = async (): Promise<typeof SIGNED> => {
        await Promise.resolve();
        failAt('offer');
        made.signatures += 1;
        return SIGNED;
      };
      return { offerFor, receiptFor: () => Promise.resolve(SIGNED) };
    }),
  };
  return made;
}

describe('the signer of offers', () => {
  it.each(['open', 'offer'] as const)('signs again after failing to %s, and caches only signatures', async (at) => {
    const made = failingOnce(at);
    await expect(made.signer.offerFor(RESOURCE, REQUIREMENT)).rejects.toThrow('too many open files');
    expect(await made.signer.offerFor(RESOURCE, REQUIREMENT)).toEqual(SIGNED);
    expect(await made.signer.offerFor(RESOURCE, REQUIREMENT)).toEqual(SIGNED);
    expect(made.signatures).toBe(1);
  });

  it('returns copies, so that changes to one do not affect others', async () => {
    const signer = new OfferSigner(KEY, 8453);
    const first = await signer.offerFor(RESOURCE, REQUIREMENT);
    const untouched = JSON.stringify(first);
    Object.assign(first['offer-receipt'] as object, { info: null });
    expect(JSON.stringify(await signer.offerFor(RESOURCE, REQUIREMENT))).toBe(untouched);
  });
});
