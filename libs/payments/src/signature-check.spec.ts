import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { CHAINS } from '@app/networks';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { privateKeyToAccount } from 'viem/accounts';
import { offerOf } from '../../../test/support/offers';
import { requirementFor } from './challenge';
import { readPayment, type ReadPayload } from './payload';
import { SignatureCheck, type WalletReader } from './signature-check';

const NETWORKS = ['eip155:8453', 'eip155:84532'] as const;
const RESOURCE = 'https://probe.example.com/api/v1/hosts/a.example.com/refresh';
const OFFER = offerOf({ method: 'GET', resource: RESOURCE, route: { path: '/refresh', answer: {} } });

/** A payment as the official client signs it. */
async function signed(seed: string, network: (typeof NETWORKS)[number] = 'eip155:8453') {
  const account = privateKeyToAccount(`0x${createHash('sha256').update(seed).digest('hex')}`);
  const requirement = requirementFor(OFFER, { network, payTo: '0x1111111111111111111111111111111111111111' });
  const { payload } = await new ExactEvmScheme(account).createPaymentPayload(2, requirement);
  const reading = readPayment({ x402Version: 2, accepted: requirement, payload });
  if (!reading.ok) throw new Error(reading.error);
  return { payload: reading.payload, requirement };
}

/** Hex with one digit of it replaced by another. */
const altered = (hex: string, at: number): string => {
  const index = 2 + (at % (hex.length - 2));
  return hex.slice(0, index) + (hex[index] === '1' ? '2' : '1') + hex.slice(index + 1);
};

const MEMBERS = ['signature', 'from', 'to', 'value', 'validAfter', 'validBefore', 'nonce'] as const;

function tampered(payload: ReadPayload, member: (typeof MEMBERS)[number], at: number): ReadPayload {
  if (member === 'signature') return { ...payload, signature: altered(payload.signature, at) };
  const { authorization } = payload;
  const old = authorization[member];
  const value = old.startsWith('0x') ? altered(old, at) : String(BigInt(old) + 1n + BigInt(at));
  return { ...payload, authorization: { ...authorization, [member]: value } };
}

const contract = (word: boolean): WalletReader & { asked: number } => ({
  asked: 0,
  accepts() {
    this.asked += 1;
    return Promise.resolve(word);
  },
});

describe('the signature of a payment', () => {
  it.each(NETWORKS)("by the payer's key is verified on %s without a node", async (network) => {
    const wallets = contract(false);
    const { payload, requirement } = await signed('payer', network);
    expect(await new SignatureCheck(wallets).isSigned(payload, requirement)).toBe(true);
    expect(wallets.asked).toBe(0);
    const other = NETWORKS.find((one) => one !== network)!;
    const elsewhere = { ...requirement, network: other, asset: CHAINS[other].usdc.address };
    expect(await new SignatureCheck(null).isSigned(payload, elsewhere)).toBe(false);
  });

  it('covers every field of the authorization: no field and no digit of the signature can be changed', async () => {
    const { payload, requirement } = await signed('payer');
    const check = new SignatureCheck(null);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...MEMBERS), fc.nat(10_000), async (member, at) => {
        expect(await check.isSigned(tampered(payload, member, at), requirement)).toBe(false);
      }),
      { numRuns: 150 },
    );
  });

  it('not made by a key is verified by the contract, or without a node by the facilitator', async () => {
    const { payload, requirement } = await signed('payer');
    const longer = { ...payload, signature: `${payload.signature}00` };
    const [yes, no] = [contract(true), contract(false)];
    expect(await new SignatureCheck(yes).isSigned(longer, requirement)).toBe(true);
    expect(await new SignatureCheck(no).isSigned(longer, requirement)).toBe(false);
    expect([yes.asked, no.asked]).toEqual([1, 1]);
    expect(await new SignatureCheck(null).isSigned(longer, requirement)).toBe(true);
  });

  it('is checked for a limited number of contracts at once', async () => {
    const { payload, requirement } = await signed('payer');
    const longer = { ...payload, signature: `${payload.signature}00` };
    let answer: () => void = () => undefined;
    const answered = new Promise<boolean>(
      (resolve) =>
        (answer = () => {
          resolve(true);
        }),
    );
    const check = new SignatureCheck({ accepts: () => answered });
    const reads = Array.from({ length: 60 }, () => check.isSigned(longer, requirement).catch(() => 'refused'));
    await Promise.resolve();
    setImmediate(answer);
    const ends = await Promise.all(reads);
    expect(ends.filter((end) => end === 'refused')).toHaveLength(28);
    expect(await check.isSigned(longer, requirement)).toBe(true);
  });
});
