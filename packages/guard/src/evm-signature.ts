import { isObject, type JsonObject, type Payment } from './payment.js';

/** The contracts of x402 that a Permit2 witness may be spent by: of the schemes `exact` and `upto`. */
const PERMIT2_SPENDERS: readonly string[] = [
  '0x402085c248eea27d92e8b30b2c58ed07f9e20001',
  '0x4020a4f3b7b90cca423b9fabcc0ce57c6c240002',
];

/** Permit2 itself, the same on every network. */
const PERMIT2 = '0x000000000022d473030f116ddee9f6b43ac78ba3';

/**
 * What a signature over typed data (EIP-712) would pay: a transfer with authorization (EIP-3009), or a transfer by Permit2
 * through a contract of x402. Undefined for everything else: an allowance, a voucher or a message pays without a limit.
 */
export function signedPayment(data: unknown, permit2: boolean): Payment | undefined {
  const { domain, message, primaryType }: JsonObject = isObject(data) ? data : {};
  if (!isObject(domain) || !isObject(message)) return undefined;
  const chain = whole(domain['chainId']);
  if (chain === undefined) return undefined;
  const network = `eip155:${chain}`;
  if (primaryType === 'TransferWithAuthorization')
    return paymentFrom(network, domain['verifyingContract'], message['to'], message['value']);
  return permit2 && primaryType === 'PermitWitnessTransferFrom' ? permitted(network, domain, message) : undefined;
}

function permitted(
  network: string,
  domain: JsonObject,
  { spender, permitted, witness }: JsonObject,
): Payment | undefined {
  if (!isOneOf(domain['verifyingContract'], [PERMIT2]) || !isOneOf(spender, PERMIT2_SPENDERS)) return undefined;
  if (!isObject(permitted) || !isObject(witness)) return undefined;
  return paymentFrom(network, permitted['token'], witness['to'], permitted['amount']);
}

function isOneOf(address: unknown, known: readonly string[]): boolean {
  return typeof address === 'string' && known.includes(address.toLowerCase());
}

function paymentFrom(network: string, asset: unknown, payTo: unknown, value: unknown): Payment | undefined {
  const amount = whole(value);
  if (typeof asset !== 'string' || typeof payTo !== 'string' || amount === undefined) return undefined;
  return { network, asset, payTo, amount };
}

function whole(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value >= 0n ? value : undefined;
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : undefined;
  return typeof value === 'string' && /^(?:\d{1,78}|0x[0-9a-f]{1,64})$/i.test(value) ? BigInt(value) : undefined;
}
