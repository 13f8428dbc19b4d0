import { subscriptionStatus } from './subscription';

const AT = new Date('2026-11-22T12:00:00.000Z');
const running = {
  id: '8d7f6a54-0000-4000-8000-000000000000',
  domain: 'shop.example.com',
  payer: null,
  since: new Date('2026-11-01T00:00:00.000Z'),
  expiresAt: new Date('2026-11-22T12:00:00.001Z'),
  revokedAt: null,
};

describe('subscriptionStatus', () => {
  it.each([
    ['active', running],
    ['expired', { ...running, expiresAt: AT }],
    ['revoked', { ...running, revokedAt: AT }],
    ['revoked', { ...running, expiresAt: AT, revokedAt: AT }],
  ])('is %s', (status, subscription) => {
    expect(subscriptionStatus(subscription, AT)).toBe(status);
  });
});
