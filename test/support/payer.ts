import { CHAINS } from '@app/networks';
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import type { Address } from 'viem';
import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { chainClient } from '../../apps/standalone/src/embedded/embedded-chain';
import { mintUsdc, usdcBalance } from '../../apps/standalone/src/embedded/usdc-contract';
import { stack } from './stack';

const { usdc: USDC } = CHAINS['eip155:8453'];

/** A buyer with its own wallet on the local chain. */
export interface Payer {
  readonly account: PrivateKeyAccount;
  /** Pays with the newest official client. */
  readonly fetch: typeof fetch;
  /** The balance in atomic USDC. */
  balance(): Promise<bigint>;
}

/** @param rpcUrl of the local chain with its money */
export async function newPayer(atomic = 1_000_000n, rpcUrl: string = stack().rpcUrl): Promise<Payer> {
  const account = privateKeyToAccount(generatePrivateKey());
  const client = chainClient(rpcUrl, 8453);
  if (atomic > 0n) await mintUsdc(client, account.address, atomic);
  const x402 = new x402Client().register('eip155:*', new ExactEvmScheme(account));
  return {
    account,
    fetch: wrapFetchWithPayment(fetch, x402),
    balance: () => usdcBalance(client, USDC, account.address),
  };
}

/** Mints USDC for an address. */
export async function fund(address: Address, atomic: bigint): Promise<void> {
  await mintUsdc(chainClient(stack().rpcUrl, 8453), address, atomic);
}

/** The balance of any address in atomic USDC. */
export function balanceOf(address: Address, rpcUrl: string = stack().rpcUrl): Promise<bigint> {
  return usdcBalance(chainClient(rpcUrl, 8453), USDC, address);
}

/** A payment for a 402 answer, as the header that a client would send; tests may send it repeatedly. */
export async function signPayment(payer: Payer, challenge: Pick<Response, 'headers'>): Promise<string> {
  const required = decodePaymentRequiredHeader(challenge.headers.get('payment-required') ?? '');
  const client = new x402Client()
    .register('eip155:*', new ExactEvmScheme(payer.account))
    // By default the client signs at most one dollar, and a subscription costs five.
    .setSpendControls(false);
  return encodePaymentSignatureHeader(await client.createPaymentPayload(required));
}
