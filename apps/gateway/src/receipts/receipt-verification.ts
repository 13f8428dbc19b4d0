import { judgeReceipt, type ChainReader } from '@app/chain';
import { NETWORKS, offer, usdToAtomic, type NetworkId, type Offer } from '@app/payments';
import { envelope } from '../checks/paid-envelope';
import { addressArgument, memberOf } from '../http/arguments';
import { RequestError } from '../http/request-error';
import { validated } from '../http/validated';
import type { PaidOperation } from '../paywall/paid-operation';
import type { Job, Work } from '../paywall/paywall.service';
import { VerifyReceiptDto } from './dto/verify-receipt.dto';
import { RECEIPT_VERIFY } from './receipt-route';

export interface ReceiptArgs {
  /** Lower case. */
  readonly txHash: string;
  readonly network: NetworkId;
  readonly asset: string;
  readonly payTo: string;
  /** Atomic units. */
  readonly amount: bigint;
}

export interface ReceiptVerificationParts {
  readonly chains: Readonly<Record<NetworkId, ChainReader>>;
  readonly baseUrl: string;
}

/** Endpoint 10: did a USDC transfer settle. Reads the chain only; no worker is needed. */
export class ReceiptVerification implements PaidOperation<ReceiptArgs> {
  constructor(private readonly parts: ReceiptVerificationParts) {}

  parse(raw: unknown): ReceiptArgs {
    const dto = validated(VerifyReceiptDto, raw);
    const network = dto.network ?? 'eip155:8453';
    return {
      txHash: dto.tx.toLowerCase(),
      network,
      asset: assetOf(dto.asset ?? 'USDC', network),
      payTo: addressArgument(memberOf(raw, 'payTo'), 'payTo', 'invalid_pay_to'),
      amount: amountOf(dto),
    };
  }

  /** In canonical form: the amount in atomic units, however it was asked. */
  offer({ txHash, network, payTo, amount }: ReceiptArgs): Offer {
    const query = new URLSearchParams({ payTo, network, amount: amount.toString() });
    const resource = `${this.parts.baseUrl}/api/v1/receipts/${txHash}/verify?${query.toString().replace('%3A', ':')}`;
    return offer('receipt_verify', { method: 'GET', resource, route: RECEIPT_VERIFY });
  }

  job(args: ReceiptArgs): Job {
    return { admit: () => Promise.resolve(), work: () => this.work(args) };
  }

  /** A chain that cannot be read is our lack, so that answer is given away. */
  private async work(args: ReceiptArgs): Promise<Work> {
    const check = judgeReceipt(await this.parts.chains[args.network].look(args.txHash), args);
    if (check.verdict !== 'not_found') return envelope('receipt_verify', check, check.verdict !== 'unavailable');
    const foundOn = await this.otherNetwork(args);
    return envelope('receipt_verify', { ...check, ...(foundOn === undefined ? {} : { foundOn }) });
  }

  /** People mix the two networks up; whoever did is told where the transaction is. */
  private async otherNetwork({ network, txHash }: ReceiptArgs): Promise<NetworkId | undefined> {
    const other = network === 'eip155:8453' ? 'eip155:84532' : 'eip155:8453';
    return (await this.parts.chains[other].look(txHash)).kind === 'mined' ? other : undefined;
  }
}

function assetOf(stated: string, network: NetworkId): string {
  const { address } = NETWORKS[network].usdc;
  const named = stated.trim().toLowerCase();
  if (named === 'usdc' || named === address.toLowerCase()) return address;
  throw new RequestError(400, 'invalid_asset', `asset must be USDC or its address on ${network}, ${address}`);
}

function amountOf({ amount, amountUsd }: VerifyReceiptDto): bigint {
  const atomic = amount === undefined ? usdToAtomic(amountUsd ?? '') : BigInt(amount);
  if (atomic === undefined || atomic === 0n) {
    throw new RequestError(400, 'invalid_amount_usd', 'amountUsd must be more than 0');
  }
  return atomic;
}
