import type { NewAttempt } from '@app/payments';
import type { Database } from '../database/database';
import { Prisma } from '../generated/client';
import { hashOfName, openAttempt, sealAnswer, sealPayment, sealSettlement } from '../payments/sealed-payment';
import { openReceiver, sealReceiver } from '../owners/sealed-receiver';
import { openBodies, openLines, sealBundle } from '../evidence/stored-bundle';
import { Vault } from '../database/vault';

const vault = new Vault('one');
const database = { secrets: { vault: () => Promise.resolve(vault) } } as unknown as Database;
const OF = { network: 'eip155:8453', asset: '0xa', payer: '0xb', nonce: '0xc' };
const claim = {
  ...OF,
  payment: { payload: { signature: '0x5150' } },
  requirement: { resource: 'https://probe.example.com/?url=token-1' },
  fingerprint: 'GET https://probe.example.com/?url=token-2',
  resource: 'https://probe.example.com/?url=token-3',
} as unknown as NewAttempt;
const SETTLEMENT = { transaction: '0x1', network: 'n', payer: 'p', extensions: { signed: 'token-4' } };
const ANSWER = { body: 'token-5', subject: { domain: 'token-6', sha256: 'token-7' } };
const AT = new Date('2026-11-22T12:00:00.000Z');
const KNOWN = {
  ...{ ...OF, id: 'one', payTo: '0xd', validBefore: AT, sku: 'refresh', payloadDigest: 'd', paymentIdentifier: null },
  ...{ state: 'settled', reason: null, createdAt: AT },
};
const sealedRow = (more: object = {}) => ({
  ...{ ...KNOWN, amount: new Prisma.Decimal('1000000000000000000000001'), watchAt: null, updatedAt: AT },
  payment: JSON.parse(sealPayment(vault, claim)) as { readonly sealed: string },
  answer: sealAnswer(vault, claim, ANSWER),
  settlement: JSON.parse(sealSettlement(vault, claim, SETTLEMENT)) as object,
  ...more,
});

describe('stored rows', () => {
  it('contain no signature, request URL, answer or purchase name in plain text', () => {
    expect(JSON.stringify(sealedRow())).not.toMatch(/0x5150|token/);
    expect(hashOfName(vault, 'order-7')).not.toContain('order-7');
  });

  it('can be decrypted with the key, in the row of their authorization and in their own column only', () => {
    const amount = 1_000_000_000_000_000_000_000_001n;
    const opened = { ...claim, ...KNOWN, amount, answer: ANSWER, settlement: SETTLEMENT };
    expect(openAttempt(vault, sealedRow())).toEqual({ ...opened, watched: false, reachedAt: AT });
    for (const refused of [{ nonce: '0xd' }, { answer: sealedRow().payment.sealed }])
      expect(() => openAttempt(vault, sealedRow(refused))).toThrow('cannot decrypt');
    expect(() => openAttempt(new Vault('other'), sealedRow())).toThrow('cannot decrypt');
  });

  it('contain no line and no body of a bundle in plain text, and can be decrypted for their own host and hash only', async () => {
    const [secret, bytes] = ['a line', Buffer.from('a body '.repeat(2_000))];
    const bundle = { root: 'r', lines: [secret], bodies: new Map([['h', { bytes, leaks: false }]]) };
    const { lines, bodies } = await sealBundle(database, 'shop.example.com', bundle);
    expect([lines, ...bodies].map(({ bytes }) => bytes[0])).toEqual([1, 1]);
    expect(await openLines(vault, 'shop.example.com', 'r', lines.bytes)).toEqual([secret]);
    expect(await openBodies(vault, 'shop.example.com', bodies)).toEqual(bundle.bodies);
    await expect(openLines(vault, 'other.example.com', 'r', lines.bytes)).rejects.toThrow('cannot decrypt');
    const moved = bodies.map((body) => ({ ...body, sha256: 'g' }));
    await expect(openBodies(vault, 'shop.example.com', moved)).rejects.toThrow('cannot decrypt');
  });

  it('contain no receiver URL and no answer of it in plain text', () => {
    const url = 'https://hooks.example.com/services/T0/B0/secret';
    const stored = sealReceiver(vault, 'shop.example.com', url);
    expect(stored).toMatch(/^sealed:/);
    expect(openReceiver(vault, 'shop.example.com', stored)).toBe(url);
    expect(openReceiver(vault, 'other.example.com', stored)).toBe('');
  });
});
