import type { Payment } from './payment.js';

const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
const TOKEN_PROGRAMS = [TOKEN, TOKEN_2022];
const ASSOCIATED_TOKEN = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';

/** Programs that transfer no money: compute budget, memo and the assertions that wallets add. */
const HARMLESS = [
  'ComputeBudget111111111111111111111111111111',
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95',
];

const TRANSFER_CHECKED = 12;
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/**
 * Whether a Solana transaction (its message bytes) makes exactly one payment and nothing else: a single
 * `TransferChecked` of the amount in the mint to the recipient's associated token account.
 */
export async function makesPayment(message: Uint8Array, payment: Payment): Promise<boolean> {
  if (!payment.network.startsWith('solana:')) return false;
  const instructions = read(message)?.instructions;
  const moving = instructions?.filter(({ program }) => !HARMLESS.includes(program)) ?? [];
  const [transfer] = moving;
  if (!transfer || moving.length > 1 || !TOKEN_PROGRAMS.includes(transfer.program)) return false;
  const { accounts, data, program } = transfer;
  if (data.length !== 10 || data[0] !== TRANSFER_CHECKED || accounts.length !== 4) return false;
  const amount = new DataView(data.buffer, data.byteOffset).getBigUint64(1, true);
  const [, mint, destination] = accounts;
  if (amount !== payment.amount || mint !== payment.asset || destination === undefined) return false;
  return isAccountOf(payment, program, destination);
}

interface Instruction {
  readonly program: string;
  readonly accounts: readonly string[];
  readonly data: Uint8Array;
}

/** The accounts that must sign a message, in order. */
export function signersOf(message: Uint8Array): readonly string[] {
  return read(message)?.signers ?? [];
}

/** Undefined if a message is incomplete, or uses addresses from lookup tables. */
function read(
  message: Uint8Array,
): { readonly signers: readonly string[]; readonly instructions: readonly Instruction[] } | undefined {
  let at = 0;
  const take = (length: number): Uint8Array => {
    if (at + length > message.length) throw new RangeError('the message ends early');
    at += length;
    return message.slice(at - length, at);
  };
  const byte = (): number => take(1)[0] ?? 0;
  const count = (): number => {
    let [value, shift] = [0, 0];
    for (;;) {
      const next = byte();
      value |= (next & 0x7f) << shift;
      if (next < 0x80) return value;
      shift += 7;
      if (shift > 14) throw new RangeError('no length');
    }
  };
  try {
    const isVersioned = (message[0] ?? 0) >= 0x80;
    if (isVersioned && byte() !== 0x80) return undefined;
    const [required] = take(3);
    const keys = Array.from({ length: count() }, () => base58(take(32)));
    take(32);
    const key = (index: number) => keys[index] ?? '';
    const instructions = Array.from({ length: count() }, () => {
      const program = key(byte());
      const accounts = [...take(count())].map(key);
      return { program, accounts, data: take(count()) };
    });
    if (isVersioned && count() !== 0) return undefined;
    return at === message.length ? { signers: keys.slice(0, required), instructions } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether an account is the associated token account of the recipient. Its address is a hash with a bump. We need not
 * check that the hash is off the curve, because nobody can find the private key of such a point.
 */
async function isAccountOf({ payTo, asset }: Payment, program: string, account: string): Promise<boolean> {
  const [owner, mint, token, associated] = [payTo, asset, program, ASSOCIATED_TOKEN].map(keyBytes);
  if (!owner || !mint || !token || !associated) return false;
  const marker = new TextEncoder().encode('ProgramDerivedAddress');
  for (let bump = 255; bump >= 0; bump -= 1) {
    const seed = Uint8Array.from([...owner, ...token, ...mint, bump, ...associated, ...marker]);
    if (base58(new Uint8Array(await crypto.subtle.digest('SHA-256', seed))) === account) return true;
  }
  return false;
}

/** The text form of an address. */
export function base58(bytes: Uint8Array): string {
  let value = bytes.reduce((number, byte) => number * 256n + BigInt(byte), 0n);
  let text = '';
  for (; value > 0n; value /= 58n) text = `${ALPHABET[Number(value % 58n)] ?? ''}${text}`;
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return `${'1'.repeat(zeros === -1 ? bytes.length : zeros)}${text}`;
}

/** The bytes of an address; undefined for an invalid one. */
export function keyBytes(text: string): Uint8Array | undefined {
  if (!/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text)) return undefined;
  let value = 0n;
  for (const digit of text) value = value * 58n + BigInt(ALPHABET.indexOf(digit));
  const hex = value.toString(16).padStart(64, '0');
  const bytes = Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
  return base58(bytes) === text ? bytes : undefined;
}
