import { CHAINS, SELLABLE } from '@app/networks';
import { atomicToUsd } from '@app/payments';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client, type PaymentRequirements } from '@x402/fetch';
import { privateKeyToAccount, type LocalAccount } from 'viem/accounts';
import { CommandError, EXIT } from '../terminal/exit-codes';
import { retryingFetch } from './retrying-fetch';
import { approve } from './spend-limit';

/** The private key of the paying wallet; null if there is none. */
export type WalletKey = `0x${string}` | null;

/** The payment for a response. */
export interface Paid {
  readonly usd: string;
  readonly transaction: string;
}

/** Callbacks for the progress of a purchase. */
interface PayingListener {
  readonly onPaying: (usd: string) => void;
  /** Called when the same payment is sent again. */
  readonly onRetry: () => void;
}

const PAYMENT_FAILED = /^Failed to (?:parse payment requirements|create payment payload): /;

/** Buys one response with USDC over x402. Nothing is signed before the spend limit has approved the price. */
export class PayingFetch {
  private readonly account: LocalAccount | typeof NO_WALLET;
  private price: bigint | undefined;
  private stopped: CommandError | undefined;
  private receipt: Paid | null = null;

  /** @param what the purchase, as the subject of a sentence */
  constructor(
    private readonly key: WalletKey,
    private readonly limit: Parameters<typeof approve>[2],
    private readonly what: string,
    private readonly listener: PayingListener,
  ) {
    this.account = key === null ? NO_WALLET : privateKeyToAccount(key);
  }

  /** The payer's address if a payment was sent, even if it was rejected. */
  get payer(): string | null {
    return this.price === undefined ? null : this.account.address;
  }

  /** Null if nothing was charged. */
  get paid(): Paid | null {
    return this.receipt;
  }

  /** @throws {CommandError} `overLimit` or `notPaid` before anything was signed; any error of fetch */
  readonly send = async (request: Request): Promise<Response> => {
    const client = new x402Client()
      .setSpendControls({ maxAmountPerPayment: false }) // the limit of this command applies, not the library's dollar
      .registerPolicy((_version, offers) => offers.filter(isPlainUsdc));
    for (const id of SELLABLE) client.register(id, new ExactEvmScheme(this.account));
    client.onBeforePaymentCreation(({ selectedRequirements }) => this.approve(BigInt(selectedRequirements.amount)));
    const response = await wrapFetchWithPayment(
      retryingFetch(fetch, { onRetry: this.listener.onRetry }),
      client,
    )(request).catch((error: unknown) => {
      throw this.stopped ?? (this.price === undefined ? unpayable(error, this.what) : unanswered(this.price));
    });
    this.receipt = receiptIn(response, this.price);
    return response;
  };

  private async approve(atomic: bigint): Promise<{ readonly abort: true; readonly reason: string } | undefined> {
    try {
      await approve(atomic, this.what, this.limit);
      if (this.key === null) throw noWallet(this.what, atomic);
    } catch (error) {
      this.stopped = asCommandError(error);
      return { abort: true, reason: this.stopped.message };
    }
    this.price = atomic;
    this.listener.onPaying(atomicToUsd(atomic));
    return undefined;
  }
}

/** A signer that is never called, because a purchase without a wallet ends earlier. */
const NO_WALLET = {
  address: '0x0000000000000000000000000000000000000000',
  signTypedData: () => Promise.reject(new Error('no wallet is set')),
} as const;

/**
 * Whether an option asks for USDC on a known network, moved by the token's own authorization (EIP-3009). The wallet
 * signs nothing else.
 */
function isPlainUsdc({ network, asset, scheme, amount, extra }: PaymentRequirements): boolean {
  const known = SELLABLE.find((id) => id === network);
  const token = known && CHAINS[known].usdc.address.toLowerCase();
  if (token !== asset.toLowerCase() || scheme !== 'exact' || !/^\d{1,30}$/.test(amount)) return false;
  const method: unknown = extra['assetTransferMethod'];
  return method === undefined || method === 'eip3009';
}

function noWallet(what: string, atomic: bigint): CommandError {
  return new CommandError(
    EXIT.notPaid,
    `${what} costs ${atomicToUsd(atomic)} USDC, and no wallet is set: set HOSTPROBE_KEY to its private key`,
  );
}

function unpayable(error: unknown, what: string): unknown {
  if (!(error instanceof Error) || !PAYMENT_FAILED.test(error.message)) return error;
  return new CommandError(
    EXIT.notPaid,
    `the service does not sell ${what} for USDC on ${SELLABLE.map((id) => CHAINS[id].name).join(' or ')}; nothing was signed`,
  );
}

/** The error if a payment was sent but got no response: only the service or the chain knows whether it was charged. */
function unanswered(price: bigint): CommandError {
  return new CommandError(
    EXIT.serviceUnavailable,
    `the connection broke after a payment of ${atomicToUsd(price)} USDC was sent, which may have been charged`,
  );
}

function asCommandError(error: unknown): CommandError {
  return error instanceof CommandError ? error : new CommandError(EXIT.fault, String(error));
}

function receiptIn({ headers }: Response, price: bigint | undefined): Paid | null {
  const receipt = headers.get('payment-response');
  if (price === undefined || receipt === null) return null;
  const { success, transaction } = decodePaymentResponseHeader(receipt);
  return success ? { usd: atomicToUsd(price), transaction } : null;
}
