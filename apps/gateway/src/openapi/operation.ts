import type { Installation } from '../discovery/installation';
import type { Members, Ref } from './schema';
import type { Responses } from './responses';

/** One operation (https://spec.openapis.org/oas/v3.1.0#operation-object), as much of it as is used. */
export interface Operation {
  /** The name of the tool that does the same, where there is one. */
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly ['hosts' | 'checks' | 'mcp' | 'discovery' | 'pages' | 'service'];
  /** None: free for all. Paid operations say nothing, since a payment is no scheme of OpenAPI. */
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly (Members | Ref)[];
  readonly requestBody?: Members;
  readonly 'x-payment-info'?: Members;
  readonly responses: Responses;
}

/** Operations by path template and method. */
export type Paths = Readonly<Record<string, Readonly<Partial<Record<'get' | 'post' | 'delete', Operation>>>>>;

/** What the document says of an installation. */
export type Described = Omit<Installation, 'contact'>;
