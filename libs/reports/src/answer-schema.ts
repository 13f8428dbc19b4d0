import { DETECTOR_IDS, type JsonObject, type JsonValue } from '@app/detectors';
import type { DeepReadonly } from '@app/platform';
import { z } from 'zod';

/*
 * Members that several answers have. A schema describes an answer once: its TypeScript type is inferred, OpenAPI and
 * MCP show it as JSON Schema. What `meta` adds is shown there and not held against a value, where a stored answer of
 * another version may differ.
 */

/** ISO 8601. */
export const time = z.string().meta({ format: 'date-time' });

/** Absolute URL. */
export const url = z.string().meta({ format: 'uri' });

/** Any string is read: a stored report may have a cell of a detector that is gone. */
export const protocolId = z.string().meta({ description: 'Protocol id.', enum: DETECTOR_IDS });

/** Any JSON. */
export const anyJson = z.custom<JsonValue>();

/** An object whose members another party chooses. */
export const anyObject = z
  .custom<JsonObject>((value) => typeof value === 'object' && value !== null && !Array.isArray(value))
  .meta({ type: 'object' });

/** A word of a list that answers show as text, since a later version may know more of them. */
export function word<Word extends string>(): z.ZodCustom<Word, Word> {
  return z.custom<Word>((value) => typeof value === 'string').meta({ type: 'string' });
}

/**
 * The value itself, once it is what the schema describes. `schema.parse` makes a copy with the members in another order
 * and without those that are not described, which must not happen to what is stored, hashed or answered again.
 * @throws {z.ZodError} naming what is wrong with it
 */
export function parsed<Schema extends z.ZodType>(schema: Schema, value: unknown): DeepReadonly<z.infer<Schema>> {
  schema.parse(value);
  return value as DeepReadonly<z.infer<Schema>>;
}
