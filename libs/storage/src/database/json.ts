import type { Prisma } from '../generated/client';

/** A JSON escape. `jsonb` rejects the first two kinds: a zero byte and half of a surrogate pair. */
const ESCAPE = /\\(?:u0000|ud[89a-f][0-9a-f]{2}|.)/g;

/** JSON text that `jsonb` accepts. Hosts may send any text, and one bad character must not prevent storing the rest. */
export function jsonbText(value: unknown): string {
  return JSON.stringify(value).replace(ESCAPE, (escape) => (escape.length === 2 ? escape : '\ufffd'));
}

/**
 * A value for a JSON column, passed as text. Prisma inspects objects and treats some keys as its own (`$type`,
 * `prisma__type`, `toStringTag`); a host could use them to make it store something else or throw.
 */
export const json = (value: unknown): Prisma.InputJsonValue => ({
  toJSON: () => ({ $type: 'Json', value: jsonbText(value) }),
});
