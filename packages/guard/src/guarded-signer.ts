import type { SignedData } from './evm-signature.js';
import { isObject, type JsonObject } from './payment.js';
import { PaymentRefused } from './payment-refused.js';
import { transactionOf } from './rebuilt-transaction.js';

/** Checks before signing; they throw for anything that must not be signed. */
export interface SignerChecks {
  /** The data to sign instead: the same payment, rebuilt from the checked fields. */
  readonly typedData: (data: unknown) => Promise<SignedData>;
  readonly message: (bytes: Uint8Array) => Promise<void>;
}

type Method = (...args: readonly unknown[]) => unknown;

/** Methods that only read a chain. All others could transfer money without a check, so they are refused. */
const READS = /^(?:get|read|is|has|estimate|multicall)(?![a-z])/;

/** Methods that create another signer of the same wallet. */
const SIGNERS = /^to(?:Signer|Account)$/;

/** Properties with keys or seeds: code that has them could bypass the guard. */
const KEYS =
  /^_?(?:secret|private|signing|seed)_?key|^_?key_?pair|^_?(?:mnemonic|seed|entropy)(?![a-z])|(?:Secret|Private)Key/i;

/** Properties with which a value could sign or pay. */
const SIGNS = /^_?(?:sign|send|request)(?![a-z])/;

/** Methods whose name says that they return a signer. */
const HANDS_OUT = /^(?:get|read|to)\w*(?:Signer|Account|Wallet|Client|Provider|Key_?pair|Key)s?$/i;

/**
 * A signer of the same class and with the same properties, which only signs what the checks allow: typed data of viem
 * and ethers, transactions of `@solana/kit` (`signTransactions`) and of wallets (`signTransaction`).
 */
export function guardedSigner<T extends object>(signer: T, checks: SignerChecks): T {
  const guarded = Object.create(Object.getPrototypeOf(signer) as object | null) as T;
  for (const name of membersOf(signer))
    Object.defineProperty(guarded, name, { enumerable: true, get: () => member(signer, name, checks) });
  return guarded;
}

function membersOf(signer: object): readonly string[] {
  const names = new Set<string>();
  for (let from: unknown = signer; isObject(from) && from !== Object.prototype; from = Object.getPrototypeOf(from))
    for (const name of Object.getOwnPropertyNames(from)) names.add(name);
  names.delete('constructor');
  return [...names];
}

function member(signer: object, name: string, checks: SignerChecks): unknown {
  if (KEYS.test(name)) return undefined;
  const value: unknown = Reflect.get(signer, name, signer);
  if (typeof value !== 'function') return handedOut(value, checks);
  const call = (...args: readonly unknown[]): unknown => Reflect.apply(value, signer, args);
  if (name === 'signTypedData' || name === '_signTypedData') return typedDataSigner(name, call, checks);
  if (name === 'signTransaction') return transactionSigner(call, checks);
  if (name === 'signTransactions') return transactionsSigner(call, checks);
  if (SIGNERS.test(name) || READS.test(name)) return reader(call, checks);
  return () => Promise.reject(new PaymentRefused('signs_something_else', { got: name }));
}

/** A property or result of a signer: wrapped if it could sign or has a key, otherwise unchanged. */
function handedOut(value: unknown, checks: SignerChecks): unknown {
  if (isObject(value) && typeof value['then'] === 'function')
    return Promise.resolve(value).then((later) => handedOut(later, checks));
  if (Array.isArray(value)) return canSign(value) ? value.map((one) => handedOut(one, checks)) : value;
  return isObject(value) && canSign(value) ? guardedSigner(value, checks) : value;
}

const DEEPEST = 6;

/** Checks the names of properties and nested properties. Results of methods are checked when the methods are called. */
function canSign(value: unknown, depth = DEEPEST): boolean {
  if (Array.isArray(value)) return value.some((one) => canSign(one, depth - 1));
  if (!isObject(value) || ArrayBuffer.isView(value)) return false;
  const names = membersOf(value);
  if (depth === 0 || names.some((name) => SIGNS.test(name) || KEYS.test(name) || HANDS_OUT.test(name))) return true;
  return names.some((name) => canSign(Object.getOwnPropertyDescriptor(value, name)?.value, depth - 1));
}

/**
 * Signs data rebuilt from the checked payment, so that a wallet that reads other arguments, or reads twice, finds
 * nothing else.
 */
function typedDataSigner(name: string, call: Method, checks: SignerChecks): Method {
  return async (...args) => {
    const [first, types, value] = copied(args, name);
    // ethers: domain, types, value; viem: one object.
    const isEthers = args.length === 3 || name === '_signTypedData';
    if (args.length !== (isEthers ? 3 : 1)) throw new PaymentRefused('signs_something_else', { got: 'more arguments' });
    const primaryType = isObject(types) ? primaryOf(types) : undefined;
    const checked = await checks.typedData(isEthers ? { domain: first, message: value, primaryType } : first);
    if (isEthers) return call(checked.domain, checked.types, checked.message);
    const account = isObject(first) && typeof first['account'] === 'string' ? { account: first['account'] } : {};
    return call({ ...account, ...checked });
  };
}

/**
 * Copies plain data: getters are read once, and values with a proxy or a method (`toJSON`) cannot be copied. @throws
 * {PaymentRefused}
 */
function copied<T>(value: T, got: string): T {
  try {
    return structuredClone(value);
  } catch {
    throw new PaymentRefused('signs_something_else', { got });
  }
}

/** ethers signs the one type that no other type refers to. */
function primaryOf(types: Readonly<Record<string, unknown>>): string | undefined {
  const used = Object.values(types).flatMap((fields) =>
    (Array.isArray(fields) ? fields : []).map((field: unknown) => (isObject(field) ? field['type'] : undefined)),
  );
  const [primary, ...others] = Object.keys(types).filter((type) => !used.includes(type) && type !== 'EIP712Domain');
  return others.length === 0 ? primary : undefined;
}

function transactionSigner(call: Method, checks: SignerChecks): Method {
  return async (...args) => {
    const message = messageOf(args[0]);
    if (!message || args.length > 1) throw new PaymentRefused('signs_something_else', { got: 'signTransaction' });
    await checks.message(message.slice());
    const signed = await call(transactionOf(message));
    const returned = messageOf(signed);
    if (returned?.length !== message.length || returned.some((byte, at) => byte !== message[at]))
      throw new PaymentRefused('signs_something_else', { got: 'a transaction that changed while it was signed' });
    return signed;
  };
}

function transactionsSigner(call: Method, checks: SignerChecks): Method {
  return async (...args) => {
    const [listed, config] = args;
    if (!Array.isArray(listed) || args.length > 2)
      throw new PaymentRefused('signs_something_else', { got: 'signTransactions' });
    const count = listed.length;
    const copies = Array.from({ length: count }, (_, at) => kitTransaction((listed as readonly unknown[])[at]));
    for (const { messageBytes } of copies) await checks.message(messageBytes.slice());
    const abortSignal = isObject(config) ? config['abortSignal'] : undefined;
    return call(copies, abortSignal instanceof AbortSignal ? { abortSignal } : {});
  };
}

/** A transaction of `@solana/kit` with only the signed properties, so that a wallet cannot read others instead. */
function kitTransaction(transaction: unknown) {
  const { messageBytes, signatures = {}, lifetimeConstraint }: JsonObject = isObject(transaction) ? transaction : {};
  if (!(messageBytes instanceof Uint8Array))
    throw new PaymentRefused('signs_something_else', { got: 'signTransactions' });
  const rest = copied(
    { signatures, ...(lifetimeConstraint === undefined ? {} : { lifetimeConstraint }) },
    'signTransactions',
  );
  return Object.freeze({ messageBytes: new Uint8Array(messageBytes), ...rest });
}

function reader(call: Method, checks: SignerChecks): Method {
  return (...args) => handedOut(call(...args), checks);
}

/** The bytes covered by the signature of a Solana transaction, read once and copied. */
function messageOf(transaction: unknown): Uint8Array | undefined {
  if (!isObject(transaction)) return undefined;
  const { messageBytes, message, serializeMessage } = transaction;
  const serialize = isObject(message) ? message['serialize'] : serializeMessage;
  const owner = isObject(message) ? message : transaction;
  const bytes: unknown =
    messageBytes ?? (typeof serialize === 'function' ? Reflect.apply(serialize, owner, []) : undefined);
  // Does not use the array's own `slice`, which a class can override.
  return bytes instanceof Uint8Array ? new Uint8Array(bytes) : undefined;
}
