import { shared } from './parameters';
import { errorResponses, validatedAnswer, type ErrorStatus, type Responses } from './responses';
import type { Members, Ref } from './schema';

/** One operation (https://spec.openapis.org/oas/v3.1.0#operation-object), as much of it as is used. */
export interface Operation {
  /** The name of the tool that does the same, where there is one. */
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly ['hosts' | 'checks' | 'mcp' | 'discovery' | 'pages' | 'service'];
  /** None: free for all. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly (Members | Ref)[];
  readonly requestBody?: Members;
  readonly 'x-payment-info'?: Members;
  /** Added when the document is put together. */
  readonly 'x-codeSamples'?: readonly { readonly lang: string; readonly label: string; readonly source: string }[];
  readonly responses: Responses;
}

/** Operations by path template and method. */
export type Paths = Readonly<Record<string, Readonly<Partial<Record<'get' | 'post' | 'delete', Operation>>>>>;

/** A document that is the same for every reader, with an entity tag. */
export function publishedDocument(
  operationId: string,
  summary: string,
  content: Members,
  ...refused: readonly ErrorStatus[]
): { readonly get: Operation } {
  const responses = { ...validatedAnswer(summary, content), ...errorResponses(...refused) };
  const description = `${summary}. Free, and the same for every reader.`;
  return {
    get: {
      operationId,
      summary,
      description,
      tags: ['discovery'],
      security: [],
      parameters: shared('If-None-Match'),
      responses,
    },
  };
}
