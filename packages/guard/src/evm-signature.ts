import { isObject, type JsonObject, type Payment } from './payment.js';

/** The x402 contracts that may spend a Permit2 witness: for the schemes `exact` and `upto`. */
const PERMIT2_SPENDERS: readonly string[] = [
  '0x402085c248eea27d92e8b30b2c58ed07f9e20001',
  '0x4020a4f3b7b90cca423b9fabcc0ce57c6c240002',
];

/** Permit2 itself, with the same address on every network. */
const PERMIT2 = '0x000000000022d473030f116ddee9f6b43ac78ba3';

/** Typed data of a payment, and the payment. */
export interface SignedData {
  readonly domain: JsonObject;
  readonly types: Readonly<Record<string, readonly { readonly name: string; readonly type: string }[]>>;
  readonly primaryType: string;
  readonly message: JsonObject;
}

const fields = (text: string) =>
  text.split(', ').map((field) => {
    const [type = '', name = ''] = field.split(' ');
    return Object.freeze({ name, type });
  });

const TRANSFER = {
  TransferWithAuthorization: fields(
    'address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce',
  ),
};
const PERMIT = {
  PermitWitnessTransferFrom: fields(
    'TokenPermissions permitted, address spender, uint256 nonce, uint256 deadline, Witness witness',
  ),
  TokenPermissions: fields('address token, uint256 amount'),
};
/** In the order of {@link PERMIT2_SPENDERS}. */
const WITNESSES = [
  fields('address to, uint256 validAfter'),
  fields('address to, address facilitator, uint256 validAfter'),
];

/**
 * The payment of typed data (EIP-712): a transfer with authorization (EIP-3009), or a Permit2 transfer through an x402
 * contract. The data is rebuilt from the parsed fields with the types of the contracts. Undefined for anything else,
 * because an allowance, a voucher or a message could pay without a limit.
 */
export function signedPayment(data: unknown, permit2: boolean): { payment: Payment; data: SignedData } | undefined {
  const { domain, message, primaryType }: JsonObject = isObject(data) ? data : {};
  const known = isObject(domain) ? domainOf(domain) : undefined;
  if (!known || !isObject(message)) return undefined;
  const network = `eip155:${String(known['chainId'])}`;
  const contract = known['verifyingContract'];
  const types =
    primaryType === 'TransferWithAuthorization'
      ? TRANSFER
      : permit2
        ? permitTypes(primaryType, contract, message)
        : undefined;
  const built = types && structOf(types, String(primaryType), message);
  if (!built) return undefined;
  const { permitted, witness } = built;
  const payment =
    types === TRANSFER
      ? paymentFrom(network, contract, built['to'], built['value'])
      : isObject(permitted) && isObject(witness)
        ? paymentFrom(network, permitted['token'], witness['to'], permitted['amount'])
        : undefined;
  return payment && { payment, data: { domain: known, types, primaryType: String(primaryType), message: built } };
}

/** The types of a Permit2 transfer through one of the x402 contracts. */
function permitTypes(
  primaryType: unknown,
  contract: unknown,
  { spender }: JsonObject,
): SignedData['types'] | undefined {
  if (primaryType !== 'PermitWitnessTransferFrom' || !isOneOf(contract, [PERMIT2])) return undefined;
  const Witness = typeof spender === 'string' ? WITNESSES[PERMIT2_SPENDERS.indexOf(spender.toLowerCase())] : undefined;
  return Witness && { ...PERMIT, Witness };
}

/** The chain id as a number: wallets omit it from the signature if it has another type. */
function domainOf({ name, version, chainId, verifyingContract, salt }: JsonObject): JsonObject | undefined {
  const chain = whole(chainId);
  const texts = Object.entries({ name, version, verifyingContract, salt }).filter(([, text]) => text !== undefined);
  if (chain === undefined || chain > Number.MAX_SAFE_INTEGER || texts.some(([, text]) => typeof text !== 'string'))
    return undefined;
  return Object.freeze({ ...Object.fromEntries(texts), chainId: Number(chain) });
}

/** Exactly the fields of a struct, if each is a primitive value. */
function structOf(types: SignedData['types'], type: string, from: JsonObject): JsonObject | undefined {
  const members = (types[type] ?? []).map(({ name, type: of }) => {
    const value = Object.hasOwn(from, name) ? from[name] : undefined;
    return [name, types[of] && isObject(value) ? structOf(types, of, value) : value] as const;
  });
  const isPlain = members.every(([, value]) => value !== null && (typeof value !== 'object' || Object.isFrozen(value)));
  return isPlain ? Object.freeze(Object.fromEntries(members)) : undefined;
}

function isOneOf(address: unknown, known: readonly string[]): boolean {
  return typeof address === 'string' && known.includes(address.toLowerCase());
}

function paymentFrom(network: string, asset: unknown, payTo: unknown, value: unknown): Payment | undefined {
  const amount = whole(value);
  if (typeof asset !== 'string' || typeof payTo !== 'string' || amount === undefined) return undefined;
  return Object.freeze({ network, asset, payTo, amount });
}

function whole(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value >= 0n ? value : undefined;
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : undefined;
  return typeof value === 'string' && /^(?:\d{1,78}|0x[0-9a-f]{1,64})$/i.test(value) ? BigInt(value) : undefined;
}
