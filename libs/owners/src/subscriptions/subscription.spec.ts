import { renewedUntil, subscriptionStatus, type HeldSubscription } from './subscription';

const AT = new Date('2026-11-22T12:00:00.000Z');
const running = {
  id: '8d7f6a54-0000-4000-8000-000000000000',
  domain: 'shop.example.com',
  payer: null,
  createdAt: new Date('2026-11-01T00:00:00.000Z'),
  endsAt: new Date('2026-11-22T12:00:00.001Z'),
  revokedAt: null,
};

describe('subscriptionStatus', () => {
  it.each([
    ['active', running],
    ['expired', { ...running, endsAt: AT }],
    ['revoked', { ...running, revokedAt: AT }],
    ['revoked', { ...running, endsAt: AT, revokedAt: AT }],
  ])('is %s', (status, subscription) => {
    expect(subscriptionStatus(subscription, AT)).toBe(status);
  });
});

describe('a renewal', () => {
  const in30Days = (from: Date): Date => new Date(from.getTime() + 30 * 86_400_000);
  const later = in30Days(AT);
  const held = (more: Partial<HeldSubscription>): HeldSubscription => ({
    ...{ endsAt: later, revokedAt: null, payments: ['settled'], ...more },
  });

  it.each([
    ['now without another one', [], AT],
    ['the end of the remaining time', [held({}), held({ endsAt: AT })], later],
    ['the end of a gift', [held({ payments: null })], later],
    ['now when the other one is over', [held({ endsAt: new Date(0) })], AT],
    ['now when the other one is revoked', [held({ revokedAt: AT })], AT],
    ['now when the other one was never paid', [held({ payments: [] }), held({ payments: ['settle_failed'] })], AT],
    ['now when its payment was never verified', [held({ payments: ['received'] })], AT],
  ] as const)('counts its days from %s', (_from, others, from) => {
    expect(renewedUntil(others, 30, AT)).toEqual(in30Days(from));
  });

  it.each(['verified', 'working', 'answer_stored', 'settling', 'settle_unknown'])(
    'waits while the payment of another one is %s, even if revoked',
    (state) => {
      for (const revokedAt of [null, AT])
        expect(renewedUntil([held({}), held({ revokedAt, payments: [state] })], 30, AT)).toBeUndefined();
    },
  );
});
