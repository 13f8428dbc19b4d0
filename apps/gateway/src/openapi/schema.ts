import type { JsonSchema } from '../mcp/json-schema';

/** Any object of an OpenAPI document that this code only passes on. */
export type Members = Readonly<Record<string, unknown>>;

/** A reference to something under `components`. */
export interface Ref {
  readonly $ref: string;
}

export type ComponentKind = 'schemas' | 'headers' | 'parameters' | 'responses' | 'examples';

export function componentRef(kind: ComponentKind, name: string): Ref {
  return { $ref: `#/components/${kind}/${name}` };
}

/**
 * The schema with each schema inside it that is a component of its own replaced by a reference. Schemas are told by
 * identity, so that those of the MCP tools, which must be whole, are named here without being written a second time.
 */
export function referring(schema: JsonSchema, names: ReadonlyMap<unknown, string>): JsonSchema {
  const replaced = (value: unknown): unknown => {
    const name = names.get(value);
    if (name !== undefined) return componentRef('schemas', name);
    if (Array.isArray(value)) return value.map(replaced);
    return typeof value === 'object' && value !== null ? membersReplaced(value) : value;
  };
  const membersReplaced = (value: object): object =>
    Object.fromEntries(Object.entries(value).map(([key, member]) => [key, replaced(member)]));
  return membersReplaced(schema);
}
