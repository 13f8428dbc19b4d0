/** An object of an OpenAPI document that this code only passes on. */
export type Members = Readonly<Record<string, unknown>>;

/** A reference to something under `components`. */
export interface Ref {
  readonly $ref: string;
}

export type ComponentKind = 'schemas' | 'headers' | 'parameters' | 'responses' | 'examples';

export function componentRef(kind: ComponentKind, name: string): Ref {
  return { $ref: `#/components/${kind}/${name}` };
}
