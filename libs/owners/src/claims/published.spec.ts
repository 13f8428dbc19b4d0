import * as fc from 'fast-check';
import { claimKeyHash, newChallenge, newClaimKey } from './claim';
import { challengeRecord, fileFinding, isSuffixOfTenants, recordHolds } from './published';

const NOW = new Date('2026-11-22T12:00:00.000Z');
const OURS = newChallenge();
const FOREIGN = newChallenge();

describe('the record of a claim', () => {
  it.each([
    ['as it is shown', [challengeRecord(OURS)]],
    ['alone', [OURS]],
    ['beside other records', ['v=spf1 -all', `token=${OURS}`]],
    ['with members in capitals', [`TOKEN=${OURS} EXPIRY=2026-11-22`]],
  ])('counts %s', (_, records) => {
    expect(recordHolds(records, OURS, NOW)).toBe(true);
  });

  it.each([
    ['of another claim', [challengeRecord(FOREIGN)]],
    ['that has expired', [`token=${OURS} expiry=2026-11-21`]],
    ['whose expiry cannot be read', [`token=${OURS} expiry=soon`]],
    ['with the token second', [`attr=x token=${OURS}`]],
    ['with a letter too many', [`token=${OURS}0`]],
    ['cut short', [`token=${OURS.slice(1)}`]],
    ['that is endless', [`token=${OURS} ${'x'.repeat(1_024)}`]],
  ])('does not count %s', (_, records) => {
    expect(recordHolds(records, OURS, NOW)).toBe(false);
  });

  it('does not count by whatever else is written', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 80 })), (records) => {
        expect(recordHolds(records, OURS, NOW)).toBe(false);
      }),
    );
  });
});

describe('the file of a claim', () => {
  const answer = { status: 200, contentType: 'text/plain; charset=utf-8', body: `${OURS}\n`, bytes: 65 };

  it.each([
    ['found', answer],
    ['absent', { ...answer, status: 404 }],
    ['absent', { ...answer, body: FOREIGN }],
    ['absent', { ...answer, body: `<pre>${OURS}</pre>` }],
    ['redirected', { ...answer, status: 302 }],
    ['not_text', { ...answer, contentType: 'text/html' }],
    ['not_text', { ...answer, contentType: 'text/plainish' }],
    ['too_large', { ...answer, bytes: 4_097 }],
    ['unknown', { ...answer, status: 503 }],
    ['unknown', { ...answer, status: 403 }],
    ['unknown', undefined],
  ] as const)('is %s', (finding, given) => {
    expect(fileFinding(given, OURS)).toBe(finding);
  });
});

describe('the key of a claim', () => {
  it('is random, and stored as 64 hex digits', () => {
    expect(newClaimKey()).not.toBe(newClaimKey());
    expect(claimKeyHash(newClaimKey())).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each(['', 'hpo_', `hps_${'a'.repeat(43)}`, `hpo_${'a'.repeat(44)}`])('is not %j', (text) => {
    expect(claimKeyHash(text)).toBeUndefined();
  });
});

describe('a name below which many tenants are', () => {
  it.each(['github.io', 'vercel.app', 'co.uk'])('is %s', (name) => {
    expect(isSuffixOfTenants(name)).toBe(true);
  });

  it.each(['alice.github.io', 'shop.example.com', 'example.com'])('is not %s', (name) => {
    expect(isSuffixOfTenants(name)).toBe(false);
  });
});
