import { DETECTOR_IDS, type JsonObject, type JsonValue } from '@app/detectors';
import type { DeepReadonly } from '@app/platform';
import { z } from 'zod';

/*
 * Fields shared by several answers. Each answer is defined by one schema: its TypeScript type is inferred, and OpenAPI
 * and MCP show it as JSON Schema. `meta` only appears in those and is not validated, because a stored answer of another
 * version may differ.
 */

/** ISO 8601. */
export const time = z.string().meta({ format: 'date-time' });

/** Absolute URL. */
export const url = z.string().meta({ format: 'uri' });

/** Any string is valid, because a stored report may have a cell of a removed detector. */
export const protocolId = z.string().meta({ description: 'Protocol id.', enum: DETECTOR_IDS });

/** Any JSON. */
export const anyJson = z.custom<JsonValue>();

/** An object whose fields another party chooses. */
export const anyObject = z
  .custom<JsonObject>((value) => typeof value === 'object' && value !== null && !Array.isArray(value))
  .meta({ type: 'object' });

/** A word of a list. In JSON Schema it is plain text, because a later version may have more words. */
export function word<Word extends string>(): z.ZodCustom<Word, Word> {
  return z.custom<Word>((value) => typeof value === 'string').meta({ type: 'string' });
}

/**
 * Returns the value itself after validation. `schema.parse` would return a copy with reordered fields and without
 * unknown ones, which must not happen to anything that is stored, hashed or replayed.
 * @throws {z.ZodError} that describes what is wrong
 */
export function parsed<Schema extends z.ZodType>(schema: Schema, value: unknown): DeepReadonly<z.infer<Schema>> {
  schema.parse(value);
  return value as DeepReadonly<z.infer<Schema>>;
}
