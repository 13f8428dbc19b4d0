import { atomicToUsd, NETWORKS } from '@app/payments';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client, type PaymentRequirements } from '@x402/fetch';
import { privateKeyToAccount } from 'viem/accounts';
import { CommandError, EXIT } from '../exit-codes';
import { patientFetch } from './patient-fetch';
import type { SpendLimit } from './spend-limit';

/** The wallet that pays: a private key, or null when there is none. */
export type WalletKey = `0x${string}` | null;

export interface PaidRequest {
  readonly url: string;
  readonly init?: RequestInit;
  /** What is bought, as the subject of a sentence. */
  readonly what: string;
}

/** An answer and what it cost; null when it was free. */
export interface PaidAnswer {
  readonly response: Response;
  readonly paid: { readonly usd: string; readonly transaction: string; readonly payer: string } | null;
  /** The payer's address, when a payment was made, accepted or not. */
  readonly payer: string | null;
}

const PAYMENT_FAILED = /^Failed to (?:parse payment requirements|create payment payload): /;

/** Buys answers with USDC through x402: nothing is signed before the limit has approved the price. */
export class PayingFetch {
  constructor(
    private readonly key: WalletKey,
    private readonly limit: SpendLimit,
    private readonly onPaying: (usd: string) => void,
  ) {}

  /** @throws {CommandError} `overLimit` or `notPaid` before anything was signed; what fetch throws */
  async buy({ url, init, what }: PaidRequest): Promise<PaidAnswer> {
    let refusal: CommandError | undefined;
    let price: bigint | undefined;
    const account = this.key === null ? NO_WALLET : privateKeyToAccount(this.key);
    const client = new x402Client()
      .setSpendControls({ maxAmountPerPayment: false }) // the limit of this command decides, not the library's dollar
      .registerPolicy((_version, offers) => offers.filter(isPlainUsdc));
    for (const network of Object.values(NETWORKS)) client.register(network.id, new ExactEvmScheme(account));
    client.onBeforePaymentCreation(async ({ selectedRequirements }) => {
      const atomic = BigInt(selectedRequirements.amount);
      try {
        await this.limit.approve(atomic, what);
        if (this.key === null) throw noWallet(what, atomic);
      } catch (error) {
        refusal = asCommandError(error);
        return { abort: true, reason: refusal.message };
      }
      price = atomic;
      this.onPaying(atomicToUsd(atomic));
      return undefined;
    });
    const response = await wrapFetchWithPayment(patientFetch(fetch), client)(url, init).catch((error: unknown) => {
      throw refusal ?? (price === undefined ? unpayable(error, what) : unanswered(price));
    });
    return { response, paid: paidFor(response, price), payer: price === undefined ? null : account.address };
  }
}

/** A signer that is never asked: without a wallet the purchase ends before it. */
const NO_WALLET = {
  address: '0x0000000000000000000000000000000000000000',
  signTypedData: () => Promise.reject(new Error('there is no wallet')),
} as const;

/** USDC of a network we know, moved by the token's own authorization (EIP-3009): the one thing this wallet signs. */
function isPlainUsdc({ network, asset, scheme, amount, extra }: PaymentRequirements): boolean {
  const known = Object.values(NETWORKS).find(({ id }) => id === network);
  if (known?.usdc.address.toLowerCase() !== asset.toLowerCase() || scheme !== 'exact' || !/^\d{1,30}$/.test(amount))
    return false;
  const method: unknown = extra['assetTransferMethod'];
  return method === undefined || method === 'eip3009';
}

function noWallet(what: string, atomic: bigint): CommandError {
  return new CommandError(
    EXIT.notPaid,
    `${what} costs ${atomicToUsd(atomic)} USDC, and there is no wallet: set HOSTPROBE_KEY to a private key`,
  );
}

function unpayable(error: unknown, what: string): unknown {
  if (!(error instanceof Error) || !PAYMENT_FAILED.test(error.message)) return error;
  return new CommandError(EXIT.notPaid, `${what} is not offered for USDC on Base or Base Sepolia; nothing was signed`);
}

/** The payment left this machine: only the service, or the chain, knows what became of it. */
function unanswered(price: bigint): CommandError {
  return new CommandError(
    EXIT.serviceAway,
    `the service stopped answering after it got a payment of ${atomicToUsd(price)} USDC, which may have been charged`,
  );
}

function asCommandError(error: unknown): CommandError {
  return error instanceof CommandError ? error : new CommandError(EXIT.fault, String(error));
}

function paidFor({ headers }: Response, price: bigint | undefined): PaidAnswer['paid'] {
  const receipt = headers.get('payment-response');
  if (price === undefined || receipt === null) return null;
  const { success, transaction, payer } = decodePaymentResponseHeader(receipt);
  return success ? { usd: atomicToUsd(price), transaction, payer: payer ?? '' } : null;
}
