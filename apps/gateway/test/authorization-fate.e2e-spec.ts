import { randomBytes } from 'node:crypto';
import { ViemAuthorizationReader, type AuthorizationQuery } from '@app/payments';
import { CHAINS } from '@app/networks';
import type { Hex } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { chainClient } from '../../standalone/src/embedded/embedded-chain';
import { cancelAuthorization, useAuthorization, useTogether } from '../../../test/support/authorization';
import { newPayer, type Payer } from '../../../test/support/payer';
import { stack } from '../../../test/support/stack';

describe('the state of an authorization on the chain', () => {
  const reader = new ViemAuthorizationReader([stack().rpcUrl]);
  const payTo = privateKeyToAddress(generatePrivateKey());
  const validBefore = BigInt(Math.floor(Date.now() / 1_000) + 600);
  let payer: Payer;
  let nonce: Hex;

  beforeEach(async () => {
    payer = await newPayer();
    nonce = `0x${randomBytes(32).toString('hex')}`;
  });

  const query = (more: Partial<AuthorizationQuery> = {}): AuthorizationQuery => ({
    asset: CHAINS['eip155:8453'].usdc.address.toLowerCase(),
    payer: payer.account.address.toLowerCase(),
    nonce,
    payTo,
    amount: 20_000n,
    createdAt: new Date(),
    ...more,
  });

  it('is unused before anything happened', async () => {
    const { timestamp } = await chainClient(stack().rpcUrl, 8453).getBlock();
    const fate = await reader.fateOf(query());
    expect(fate).toEqual({ kind: 'unused', asOf: expect.any(Date) });
    expect(fate.kind === 'unused' && fate.asOf.getTime()).toBeGreaterThanOrEqual(Number(timestamp) * 1_000);
  });

  it('is settled with the transaction that moved the money', async () => {
    const transaction = await useAuthorization(payer, { to: payTo, value: 20_000n, validBefore, nonce });
    expect(await reader.fateOf(query())).toMatchObject({ kind: 'settled', transaction });
  });

  it('is settled even if it was presented long ago', async () => {
    const transaction = await useAuthorization(payer, { to: payTo, value: 20_000n, validBefore, nonce });
    expect(await reader.fateOf(query({ createdAt: new Date(0) }))).toMatchObject({ kind: 'settled', transaction });
  });

  it('is void if the payer canceled it', async () => {
    await cancelAuthorization(payer, nonce);
    expect(await reader.fateOf(query())).toEqual({ kind: 'void' });
  });

  it('is void if it paid somebody else or another amount', async () => {
    const other = privateKeyToAddress(generatePrivateKey());
    await useAuthorization(payer, { to: other, value: 20_000n, validBefore, nonce });
    expect(await reader.fateOf(query())).toEqual({ kind: 'void' });
    expect(await reader.fateOf(query({ payTo: other, amount: 19_999n }))).toEqual({ kind: 'void' });
  });

  it('is void if the transfer belongs to another authorization', async () => {
    const other = { to: payTo, value: 20_000n, validBefore, nonce: `0x${randomBytes(32).toString('hex')}` } as const;
    const spent = { to: payer.account.address, value: 0n, validBefore, nonce };
    const transaction = await useTogether(payer, [spent, other]);
    expect(await reader.fateOf(query({ nonce: other.nonce }))).toMatchObject({ kind: 'settled', transaction });
    expect(await reader.fateOf(query())).toEqual({ kind: 'void' });
  });

  it('is settled even if its transaction executes others', async () => {
    const others = [1n, 2n].map((value) => {
      const anew = `0x${randomBytes(32).toString('hex')}` as const;
      return { to: payTo, value, validBefore, nonce: anew };
    });
    const [first, last] = [others[0]!, others[1]!];
    const transaction = await useTogether(payer, [first, { to: payTo, value: 20_000n, validBefore, nonce }, last]);
    for (const it of [query(), query({ nonce: first.nonce, amount: 1n }), query({ nonce: last.nonce, amount: 2n })]) {
      expect(await reader.fateOf(it)).toMatchObject({ kind: 'settled', transaction });
    }
  });

  it('is not guessed if there is neither event', async () => {
    await useAuthorization(payer, { to: payTo, value: 20_000n, validBefore, nonce });
    // Mines two more blocks, because other tests may mine none: the search then begins after the event.
    await newPayer();
    const tomorrow = new Date(Date.now() + 86_400_000);
    expect(await reader.fateOf(query({ createdAt: tomorrow }))).toEqual({ kind: 'unreadable' });
  });

  it('is not guessed while the node is down', async () => {
    const away = new ViemAuthorizationReader(['http://127.0.0.1:9']);
    expect(await away.fateOf(query())).toEqual({ kind: 'unreadable' });
  });
});
