import { PaymentRefused } from './payment-refused.js';
import { caip2Of, sameAccount } from './networks.js';

/** A payment: network (CAIP-2), token contract or mint, recipient and amount in atomic units. */
export interface Payment {
  readonly network: string;
  readonly asset: string;
  readonly payTo: string;
  readonly amount: bigint;
}

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The amount in atomic units, if the text is a valid one. */
export function atomic(text: unknown): bigint | undefined {
  return typeof text === 'string' && /^\d{1,78}$/.test(text) ? BigInt(text) : undefined;
}

/** The payment of an x402 requirement of either version, copied. @throws {PaymentRefused} `unreadable_requirement` */
export function paymentOf(requirement: unknown): Payment {
  const read: JsonObject = isObject(requirement) ? requirement : {};
  const { network, asset, payTo } = read;
  const amount = atomic(read['amount'] ?? read['maxAmountRequired']);
  if (typeof network !== 'string' || typeof asset !== 'string' || typeof payTo !== 'string' || amount === undefined)
    throw new PaymentRefused('unreadable_requirement');
  return Object.freeze({ network: caip2Of(network), asset, payTo, amount });
}

/** Whether two payments transfer the same. */
export function samePayment(a: Payment, b: Payment): boolean {
  return (
    a.network === b.network &&
    a.amount === b.amount &&
    sameAccount(a.network, a.asset, b.asset) &&
    sameAccount(a.network, a.payTo, b.payTo)
  );
}
