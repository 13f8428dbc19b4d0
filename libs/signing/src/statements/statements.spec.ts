import { createPrivateKey, sign } from 'node:crypto';
import fc from 'fast-check';
import { newSigningKey } from '@app/signing';
import { StatementError, verifyStatement, type Expected } from '../../../../packages/guard/src/verify-statement';
import { statedReport } from '../../../../test/support/stated-report';
import { membersOf, railsDigest, statedRails, type StatementMembers } from './statement-members';
import { KeyRing, type StoredKey } from './key-ring';
import { publicJwkOf, signJws, thumbprintOf, type ReportKey } from './statement-jws';

const ISSUER = 'https://hostprobe.example';
const DAY = 86_400;
const AT = Date.parse('2026-11-22T12:00:00.000Z') / 1_000;

function drawn(): ReportKey {
  const key = createPrivateKey(newSigningKey());
  return { kid: thumbprintOf(publicJwkOf(key)), key };
}

const [CURRENT, RETIRED] = [drawn(), drawn()];
const listed = ({ kid, key }: ReportKey) => ({ ...publicJwkOf(key), kid, use: 'sig' as const });
const KEYS = { keys: [listed(CURRENT), { ...listed(RETIRED), 'hostprobe:iat_before': AT - DAY }] };

const report = (count = 1) => statedReport({ at: AT, rails: count });
const claims = (more: object = {}): StatementMembers => ({ ...membersOf(report(), 'payment', ISSUER), ...more });
const token = (said: object = claims(), key = CURRENT) => signJws(said, 'hostprobe-report+jwt', key);

function withHeader(header: object, said: object = claims(), key = CURRENT): string {
  const text = [{ alg: 'EdDSA', typ: 'hostprobe-report+jwt', kid: key.kid, ...header }, said]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${text}.${sign(null, Buffer.from(text), key.key).toString('base64url')}`;
}

const expected: Expected = {
  issuer: ISSUER,
  keys: KEYS,
  now: AT + 10,
  subject: 'https://shop.example.com',
};

async function outcome(text: string, more: Partial<Expected> = {}): Promise<string> {
  try {
    await verifyStatement(text, { ...expected, ...more });
    return 'accepted';
  } catch (error) {
    if (error instanceof StatementError) return error.code;
    throw error;
  }
}

/** The other cases are in docs/verify/vectors.json, for every language (test/verify-vectors.spec.ts). */
describe('a statement', () => {
  it('is accepted with both names of the algorithm', async () => {
    for (const good of [token(), withHeader({ alg: 'Ed25519' })]) expect(await outcome(good)).toBe('accepted');
  });

  it('is rejected if it is older than its reader allows, even before it expires', async () => {
    expect(await outcome(token(claims({ exp: AT + 10 * DAY })), { now: AT + 901, maxAgeSec: 900 })).toBe('stale');
  });

  it('is rejected with an invalid key set', async () => {
    expect(await outcome(token(), { keys: { keys: [{ ...listed(CURRENT), x: 'AA' }] } })).toBe('signature');
  });
});

describe('the claims of a report', () => {
  it.each([
    [1, 1_600],
    [3, 2_048],
    [4, 1_500],
  ])('with %i options fit in %i bytes', (rails, bytes) => {
    const said = membersOf(report(rails), 'payment', ISSUER);
    expect(token(said).length).toBeLessThanOrEqual(bytes);
    expect(Array.isArray(said.rails)).toBe(rails < 3);
  });

  it('contain the hash of the options if there are many', () => {
    const said = membersOf(report(4), 'payment', ISSUER);
    const { paymentRails } = JSON.parse(report(4).facts) as { paymentRails: { rails: never } };
    expect(said.rails).toEqual(railsDigest(statedRails(paymentRails.rails)));
  });

  it('are valid for 15 minutes with options, and for a day without', () => {
    const [payment, listing] = (['payment', 'listing'] as const).map((form) => membersOf(report(), form, ISSUER));
    expect([payment!.exp - payment!.iat, listing!.exp - listing!.iat]).toEqual([900, DAY]);
    expect(listing!.rails).toBeUndefined();
  });

  it('contain the reason if a host did not answer', () => {
    const down = statedReport({ at: AT, rails: 0, unreachable: 'dns_nxdomain' });
    expect(membersOf(down, 'listing', ISSUER)).toMatchObject({
      outcome: 'unreachable:dns_nxdomain',
      cells: { x402: 'error:dns_nxdomain' },
    });
  });
});

describe('the key ring', () => {
  const key = (from: number, revoked: boolean): StoredKey => {
    const pem = newSigningKey();
    const kid = thumbprintOf(publicJwkOf(createPrivateKey(pem)));
    return { kid, pem, signsFrom: new Date(from * 1_000), ...end(revoked) };
  };
  const end = (revoked: boolean) =>
    revoked ? { revokedAt: new Date(), revokedReason: 'stolen' } : { revokedAt: null, revokedReason: null };
  const dates = fc.uniqueArray(fc.record({ from: fc.integer({ min: 1, max: 50 }), revoked: fc.boolean() }), {
    selector: ({ from }) => from,
    minLength: 1,
    maxLength: 5,
  });

  it('only signs with keys that readers trust, and never reuses a key', async () => {
    await fc.assert(
      fc.asyncProperty(dates, fc.integer({ min: 0, max: 60 }), async (made, iat) => {
        const stored = made.map(({ from, revoked }) => key(from, revoked));
        const ring = new KeyRing(stored);
        const signer = ring.at(iat);
        const { keys, revoked } = ring.document(new Date(60_000));
        expect(revoked.map(({ kid }) => kid).sort()).toEqual(
          stored.flatMap(({ kid, revokedAt }) => (revokedAt ? [kid] : [])).sort(),
        );
        if (!signer) return;
        const text = token(claims({ iat, exp: iat + 900 }), signer);
        expect(await outcome(text, { keys: { keys }, now: iat })).toBe('accepted');
      }),
      { numRuns: 60 },
    );
  });

  it('has no key if all are revoked', () => {
    expect(new KeyRing([key(1, true), key(2, true)]).at(5)).toBeUndefined();
  });
});
