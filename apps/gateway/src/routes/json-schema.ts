import { z } from 'zod';

/** The subset of JSON Schema (2020-12) that tool descriptions need. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly enum?: readonly (string | number | boolean | null)[];
  readonly const?: string | number | boolean;
  readonly anyOf?: readonly JsonSchema[];
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: string | number;
  readonly deprecated?: true;
  /** `true` if further properties are allowed, `false` if they are refused. */
  readonly additionalProperties?: boolean;
  readonly not?: JsonSchema;
  readonly $ref?: string;
}

/** The schema of an object. MCP requires one for tool arguments and results. */
export interface ObjectSchema extends JsonSchema {
  readonly type: 'object';
}

type Properties = Readonly<Record<string, JsonSchema>>;

/** An object that has all properties, except optional ones; it may have more. */
export function object(required: Properties, optional: Properties = {}): ObjectSchema {
  return { type: 'object', properties: { ...required, ...optional }, required: Object.keys(required) };
}

/** An object that may have further properties, chosen by the host or by another specification. */
export function open(required: Properties, optional: Properties = {}): ObjectSchema {
  return { ...object(required, optional), additionalProperties: true };
}

export function list(items: JsonSchema): JsonSchema {
  return { type: 'array', items };
}

export const text: JsonSchema = { type: 'string' };
export const count: JsonSchema = { type: 'integer' };
export const number: JsonSchema = { type: 'number' };
export const time: JsonSchema = { type: 'string', format: 'date-time' };
export const url: JsonSchema = { type: 'string', format: 'uri' };
export const anyObject: JsonSchema = { type: 'object' };

/** The schema with a description. */
export function about(description: string, schema: JsonSchema): JsonSchema {
  return { ...schema, description };
}

export function oneOf(values: readonly string[]): JsonSchema {
  return { type: 'string', enum: values };
}

/** Converts schemas of answers to JSON Schema no stricter than {@link object} and {@link open}. */
export const WRITTEN = {
  io: 'input',
  unrepresentable: 'any',
  override: ({ jsonSchema: schema }) => {
    if (schema.const !== undefined) delete schema.type;
    if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
    if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
    const { additionalProperties: others } = schema;
    if (typeof others === 'object' && Object.keys(others).length === 0) schema.additionalProperties = true;
  },
} as const satisfies z.core.ToJSONSchemaParams;

/** The schema of an answer as standalone JSON Schema. */
export function written(answer: z.ZodObject): ObjectSchema {
  return plain(z.toJSONSchema(answer, WRITTEN)) as ObjectSchema;
}

/** Removes the `$schema` and id of a standalone schema. */
export function plain(schema: z.core.JSONSchema.BaseSchema): JsonSchema {
  const members = Object.entries(schema).filter(([name]) => name !== '$schema' && name !== '$id');
  return Object.fromEntries(members);
}
