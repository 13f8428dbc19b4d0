import type { Exchange } from '@app/detectors';
import type { Claim } from '@app/payments';
import type { Database } from '../database/database';
import { gzipSync } from 'node:zlib';
import { openEvidence } from '../evidence/sealed-evidence';
import {
  hashOfName,
  openAttempt,
  sealAnswer,
  sealPayment,
  sealSettlement,
  type StoredAttempt,
} from '../payments/sealed-payment';
import { openReceiver, sealReceiver } from '../owners/sealed-receiver';
import { openBodies, openLines, sealBundle } from '../evidence/stored-bundle';
import { isSealed, Vault } from '../database/vault';

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
  requirement: { resource: 'https://probe.example.com/?url=token-1' },
  fingerprint: 'GET https://probe.example.com/?url=token-2',
  resource: 'https://probe.example.com/?url=token-3',
} as unknown as Claim;
const SETTLEMENT = { transaction: '0x1', network: 'n', payer: 'p', extensions: { signed: 'token-4' } };
const rowOf = (more: object): StoredAttempt =>
  ({ ...claim, id: 'one', amount: '1', answer: null, settlement: null, ...more }) as unknown as StoredAttempt;
const sealedRow = (more: object = {}): StoredAttempt =>
  rowOf({
    payment: JSON.parse(sealPayment(vault, claim)),
    ...{ requirement: null, fingerprint: null, resource: 'https://probe.example.com/' },
    answer: sealAnswer(vault, claim, 'token-5'),
    settlement: JSON.parse(sealSettlement(vault, claim, SETTLEMENT)),
    ...more,
  });

describe('rows at rest', () => {
  it('hold no signature, no URL of a request, no answer and no name in clear', () => {
    expect(JSON.stringify(sealedRow())).not.toMatch(/0x5150|token/);
    expect(hashOfName(vault, 'order-7')).not.toContain('order-7');
  });

  it('open to who has the key, in the row of their authorization and in their own column only', () => {
    const opened = { ...claim, id: 'one', amount: 1n, answer: 'token-5', settlement: SETTLEMENT };
    expect(openAttempt(vault, sealedRow())).toEqual(opened);
    for (const refused of [{ nonce: '0xd' }, { answer: (sealedRow().payment as { sealed: string }).sealed }])
      expect(() => openAttempt(vault, sealedRow(refused))).toThrow('cannot be opened');
    expect(() => openAttempt(new Vault('other'), sealedRow())).toThrow('cannot be opened');
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
    expect(openReceiver(vault, 'other.example.com', stored)).toBe('');
  });

  it('of a process of an earlier release, which stores them in clear, are read all the same', async () => {
    const clear = { ...claim, id: 'one', amount: 1n, answer: 'a', settlement: SETTLEMENT };
    const paymentAlone = {
      sealed: vault.sealText('payment', 'eip155:8453 0xa 0xb 0xc', JSON.stringify(claim.payment)),
    };
    for (const payment of [claim.payment, paymentAlone])
      expect(openAttempt(vault, rowOf({ payment, answer: 'a', settlement: SETTLEMENT }))).toEqual(clear);
    expect(await openEvidence(database, 'shop.example.com', ARCHIVE)).toEqual(EXCHANGES);
  });
});
