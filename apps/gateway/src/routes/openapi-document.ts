import type { JsonSchema } from './json-schema';
import type { Paths } from './operation';
import type { Response } from './responses';
import type { Members } from './schema';

/** An OpenAPI 3.1.0 document (https://spec.openapis.org/oas/v3.1.0). */
export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: Members;
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Paths;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly headers: Readonly<Record<string, Members>>;
    readonly parameters: Readonly<Record<string, Members>>;
    readonly responses: Readonly<Record<string, Response>>;
    readonly examples: Readonly<Record<string, Members>>;
    readonly securitySchemes: Readonly<Record<string, Members>>;
  };
}
