import { isEvmAddress, isSolanaKey } from '@app/networks';
import { isObject, member, type JsonValue } from '../../formats/json';
import { checksummed } from '../addresses';

/** Values as the programs of buyers take them, which is not always what the specification says. */

/** What `BigInt()` of JavaScript makes of a JSON value; undefined where it throws. */
export function bigOf(value: JsonValue | undefined): bigint | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : undefined;
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  return /^(?:[+-]?\d*|0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+)$/.test(text) && !/^[+-]$/.test(text)
    ? BigInt(text)
    : undefined;
}

/** What a client demands of a member. */
export type Holds = (value: JsonValue | undefined) => boolean;

export const isText: Holds = (value) => typeof value === 'string';
export const isWhole: Holds = (value) => typeof value === 'number' && Number.isInteger(value);
export const optional =
  (holds: Holds): Holds =>
  (value) =>
    value === undefined || holds(value);

export function matches(value: JsonValue | undefined, schema: Readonly<Record<string, Holds>>): boolean {
  return isObject(value) && Object.entries(schema).every(([name, holds]) => holds(member(value, name)));
}

/** A number of `bits` bits, as a typed message or an instruction holds it. */
export function fits(value: JsonValue | undefined, bits: number): boolean {
  const number = bigOf(value);
  return number !== undefined && number >= 0n && number < 1n << BigInt(bits);
}

/** Forty hexadecimal digits, whatever their case. */
export function isLooseAddress(value: JsonValue | undefined): boolean {
  return typeof value === 'string' && isEvmAddress(value);
}

/** The same with its own checksum, which may be all capitals, or in lower case. */
export function isStrictAddress(value: JsonValue | undefined): boolean {
  if (typeof value !== 'string' || !isEvmAddress(value)) return false;
  return value === value.toLowerCase() || value === checksummed(value);
}

/** A time limit that can be added to the clock: a whole number, nothing, or digits, which JavaScript then appends. */
export function isAddable(value: JsonValue | undefined): boolean {
  if (typeof value === 'number') return Number.isInteger(value);
  return value === null || (typeof value === 'string' && /^\d*$/.test(value));
}

/** Stated with more than nothing. */
export function isTruthy(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null && value !== '' && value !== 0 && value !== false;
}

/** The text itself, and an empty one for any other value. */
export function word(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

export function isKey(value: JsonValue | undefined): boolean {
  return isSolanaKey(word(value));
}
