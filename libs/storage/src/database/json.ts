import type { Prisma } from '../generated/client';

/**
 * A value for a column of JSON, as the text of it. Prisma walks through objects, and takes some that a host can make up for words
 * of its own (`$type`, `prisma__type`, `toStringTag`): it would store another value, or throw.
 */
export const json = (value: unknown): Prisma.InputJsonValue => ({
  toJSON: () => ({ $type: 'Json', value: JSON.stringify(value) }),
});
