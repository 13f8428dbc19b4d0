import { routeParameters, shared, templateOf, type ParameterName, type ParameterRoute } from './parameters';
import type { Responses } from './responses';
import type { Members, Ref } from './schema';

/** The parts of an operation (https://spec.openapis.org/oas/v3.1.0#operation-object) that we use. */
export interface Operation {
  /** The name of the equivalent tool, if there is one. */
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly ['hosts' | 'checks' | 'mcp' | 'discovery' | 'pages' | 'service'];
  /** Empty: free for everybody. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly (Members | Ref)[];
  readonly requestBody?: Members;
  readonly 'x-payment-info'?: Members;
  /** Added when the document is built. */
  readonly 'x-codeSamples'?: readonly { readonly lang: string; readonly label: string; readonly source: string }[];
  readonly responses: Responses;
}

/** Operations by path template and method. */
export type Paths = Readonly<Record<string, Readonly<Partial<Record<'get' | 'post' | 'patch' | 'delete', Operation>>>>>;

/** The description of a free route. */
export interface DescribedRoute
  extends ParameterRoute, Pick<Operation, 'operationId' | 'summary' | 'description' | 'responses'> {
  readonly tag: Operation['tags'][number];
  /** By default, free for everybody. */
  readonly security?: Operation['security'];
  /** Path and query of an example request. */
  readonly call?: string;
  /** Shared parameters; `If-None-Match` requires a 304 response. */
  readonly shared?: readonly ParameterName[];
  readonly requestBody?: Members;
}

/** The operations of routes, by path template and method. */
export function pathsOf(
  routes: readonly { readonly method: string; readonly path: string; readonly operation: Operation }[],
): Paths {
  const paths: Record<string, Paths[string]> = {};
  for (const { method, path, operation } of routes) {
    const template = templateOf(path);
    paths[template] = { ...paths[template], [method.toLowerCase()]: operation };
  }
  return paths;
}

export function operationOf(route: DescribedRoute): Operation {
  const { operationId, summary, description, tag, security = [], call, requestBody, responses } = route;
  const common = shared(...('304' in responses ? ['If-None-Match' as const] : []), ...(route.shared ?? []));
  const parameters = [...routeParameters(route, call), ...common];
  return {
    ...{ operationId, summary, description, tags: [tag], security },
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses,
  };
}
