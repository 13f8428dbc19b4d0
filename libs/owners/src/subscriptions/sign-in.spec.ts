import { createSIWxPayload, encodeSIWxHeader, type SIWxPayload } from '@x402/extensions/sign-in-with-x';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { readSignIn, signInInvitation } from './sign-in';

const BASE = 'https://probe.example.com';
const RESOURCE = `${BASE}/api/v1/hosts/shop.example.com/subscription`;
const noContract = (): Promise<boolean> => Promise.resolve(false);
const account = privateKeyToAccount(generatePrivateKey());

async function signed(resource = RESOURCE, now = new Date()): Promise<SIWxPayload> {
  const { info } = await signInInvitation(resource, 'eip155:8453', now);
  return createSIWxPayload({ ...info, chainId: 'eip155:8453', type: 'eip191' }, account, resource);
}

describe('readSignIn', () => {
  it('returns the account that signed the invitation, and its nonce', async () => {
    const message = await signed();
    expect(await readSignIn(encodeSIWxHeader(message), BASE, noContract)).toEqual({
      ok: true,
      address: account.address.toLowerCase(),
      nonce: message.nonce,
    });
  });

  it('accepts an invitation from a gateway whose clock is a few seconds ahead', async () => {
    const message = await signed(RESOURCE, new Date(Date.now() + 5_000));
    expect(await readSignIn(encodeSIWxHeader(message), BASE, noContract)).toMatchObject({ ok: true });
  });

  it.each<[string, () => Promise<SIWxPayload>, string]>([
    ['for another origin', () => signed('https://other.example.com/x'), 'domain_mismatch'],
    ['older than five minutes', () => signed(RESOURCE, new Date(Date.now() - 301_000)), 'issued_at_too_old'],
    ['from the future', () => signed(RESOURCE, new Date(Date.now() + 60_000)), 'issued_at_in_future'],
    ['of another wallet', async () => ({ ...(await signed()), address: `0x${'12'.repeat(20)}` }), 'signature'],
    ['with another nonce', async () => ({ ...(await signed()), nonce: 'ab'.repeat(16) }), 'signature'],
    ['with half a signature', async () => ({ ...(await signed()), signature: '0x12' }), 'signature'],
    ['of another chain family', async () => ({ ...(await signed()), chainId: 'solana:x' }), 'unsupported_chain'],
    ['with an endless nonce', async () => ({ ...(await signed()), nonce: 'a'.repeat(129) }), 'malformed'],
  ])('refuses a message %s', async (_, message, reason) => {
    expect(await readSignIn(encodeSIWxHeader(await message()), BASE, noContract)).toMatchObject({ ok: false, reason });
  });

  it.each(['', '!', 'bm9wZQ==', 'bnVsbA==', Buffer.from('{"address":{}}').toString('base64'), 'A'.repeat(4_097)])(
    'refuses %j',
    async (header) => {
      expect(await readSignIn(header, BASE, noContract)).toMatchObject({ ok: false, reason: 'malformed' });
    },
  );
});
