import type { Prisma } from '../generated/client';

/** An escape of JSON; the first two kinds are what a column of type `jsonb` refuses: a zero byte and half of a surrogate pair. */
const ESCAPE = /\\(?:u0000|ud[89a-f][0-9a-f]{2}|.)/g;

/** JSON text that `jsonb` takes: hosts may say anything, and one character of theirs must not keep the rest from being stored. */
export function jsonbText(value: unknown): string {
  return JSON.stringify(value).replace(ESCAPE, (escape) => (escape.length === 2 ? escape : '\ufffd'));
}

/**
 * A value for a column of JSON, as the text of it. Prisma walks through objects, and takes some that a host can make up for words
 * of its own (`$type`, `prisma__type`, `toStringTag`): it would store another value, or throw.
 */
export const json = (value: unknown): Prisma.InputJsonValue => ({
  toJSON: () => ({ $type: 'Json', value: jsonbText(value) }),
});
