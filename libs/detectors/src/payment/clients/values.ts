import { isEvmAddress, isSolanaKey } from '@app/networks';
import { isObject, member, type JsonValue } from '../../formats/json';
import { checksummed } from '../addresses';

/** Values as clients interpret them, which sometimes differs from the specification. */

/** The result of JavaScript's `BigInt()` for a JSON value; undefined if it throws. */
export function bigOf(value: JsonValue | undefined): bigint | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : undefined;
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  return /^(?:[+-]?\d*|0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+)$/.test(text) && !/^[+-]$/.test(text)
    ? BigInt(text)
    : undefined;
}

/** A client's requirement for a field. */
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

/** Whether a number fits in `bits` bits, as in a typed message or an instruction. */
export function fits(value: JsonValue | undefined, bits: number): boolean {
  const number = bigOf(value);
  return number !== undefined && number >= 0n && number < 1n << BigInt(bits);
}

/** Forty hexadecimal digits in any case. */
export function isLooseAddress(value: JsonValue | undefined): boolean {
  return typeof value === 'string' && isEvmAddress(value);
}

/** The same with a valid checksum, in all capitals, or in lower case. */
export function isStrictAddress(value: JsonValue | undefined): boolean {
  if (typeof value !== 'string' || !isEvmAddress(value)) return false;
  return value === value.toLowerCase() || value === checksummed(value);
}

/** A time limit that can be added to a clock: a whole number, nothing, or digits, which JavaScript then appends. */
export function isAddable(value: JsonValue | undefined): boolean {
  if (typeof value === 'number') return Number.isInteger(value);
  return value === null || (typeof value === 'string' && /^\d*$/.test(value));
}

/** Present and not empty. */
export function isTruthy(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null && value !== '' && value !== 0 && value !== false;
}

/** The text itself; empty for any other value. */
export function word(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

export function isKey(value: JsonValue | undefined): boolean {
  return isSolanaKey(word(value));
}
