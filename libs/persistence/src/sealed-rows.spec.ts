import type { Exchange } from '@app/detectors';
import type { Attempt, Claim } from '@app/payments';
import type { Database } from './database';
import { gzipSync } from 'node:zlib';
import { openEvidence } from './sealed-evidence';
import { hashOfName, openPayment, sealPayment } from './sealed-payment';
import { openReceiver, sealReceiver } from './sealed-receiver';
import { openBodies, openLines, sealBundle } from './stored-bundle';
import { isSealed, Vault } from './vault';

const vault = new Vault('one');
const database = { secrets: { vault: () => Promise.resolve(vault) } } as unknown as Database;
const EXCHANGES = [{ kind: 'failure', reason: 'timeout', url: 'https://shop.example.com/' }] as unknown as Exchange[];
const ARCHIVE = gzipSync(EXCHANGES.map((exchange) => `${JSON.stringify(exchange)}\n`).join(''));
const claim = {
  network: 'eip155:8453',
  asset: '0xa',
  payer: '0xb',
  nonce: '0xc',
  payment: { payload: { signature: '0x5150' } },
} as unknown as Claim;
type StoredRow = Parameters<typeof openPayment>[1];
const rowWith = (payment: unknown, nonce = claim.nonce): StoredRow =>
  ({ ...claim, id: 'one', nonce, payment }) as unknown as StoredRow;

describe('rows at rest', () => {
  it('hold no signature and no name in clear', () => {
    expect(sealPayment(vault, claim)).not.toContain('0x5150');
    expect(hashOfName(vault, 'order-7')).not.toContain('order-7');
  });

  it('open to who has the key, and in the row of their authorization only', () => {
    const sealed = JSON.parse(sealPayment(vault, claim)) as Attempt['payment'];
    expect(openPayment(vault, rowWith(sealed))).toEqual(claim.payment);
    expect(() => openPayment(vault, rowWith(sealed, '0xd'))).toThrow('cannot be opened');
    expect(() => openPayment(new Vault('other'), rowWith(sealed))).toThrow('cannot be opened');
  });

  it('hold no exchange in clear', async () => {
    const stored = vault.seal('evidence', 'shop.example.com', ARCHIVE);
    expect([isSealed(stored), isSealed(ARCHIVE)]).toEqual([true, false]);
    expect(await openEvidence(database, 'shop.example.com', stored)).toEqual(EXCHANGES);
    await expect(openEvidence(database, 'other.example.com', stored)).rejects.toThrow('cannot be opened');
  });

  it('hold no line and no body of a bundle in clear, and open under their own host and hash only', async () => {
    const [secret, bytes] = ['a line', Buffer.from('a body '.repeat(2_000))];
    const bundle = { root: 'r', lines: [secret], bodies: new Map([['h', { bytes, leaks: false }]]) };
    const { lines, bodies } = await sealBundle(database, 'shop.example.com', bundle);
    expect([lines, ...bodies].map((one) => isSealed(one.bytes))).toEqual([true, true]);
    expect(await openLines(vault, 'shop.example.com', 'r', lines.bytes)).toEqual([secret]);
    expect(await openBodies(vault, 'shop.example.com', bodies)).toEqual(bundle.bodies);
    await expect(openLines(vault, 'other.example.com', 'r', lines.bytes)).rejects.toThrow('cannot be opened');
    const moved = bodies.map((body) => ({ ...body, sha256: 'g' }));
    await expect(openBodies(vault, 'shop.example.com', moved)).rejects.toThrow('cannot be opened');
  });

  it('hold no address of a receiver and none of its answers in clear', () => {
    const url = 'https://hooks.example.com/services/T0/B0/secret';
    const stored = sealReceiver(vault, 'shop.example.com', url);
    expect(stored).toMatch(/^sealed:/);
    expect(openReceiver(vault, 'shop.example.com', stored)).toBe(url);
    expect(openReceiver(vault, 'shop.example.com', url)).toBe(url);
    expect(() => openReceiver(vault, 'other.example.com', stored)).toThrow('cannot be opened');
  });

  it('of a process of an earlier release, which stores them in clear, are read all the same', async () => {
    expect(openPayment(vault, rowWith(claim.payment))).toEqual(claim.payment);
    expect(await openEvidence(database, 'shop.example.com', ARCHIVE)).toEqual(EXCHANGES);
  });
});
