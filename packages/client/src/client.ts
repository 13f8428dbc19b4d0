import createClient, { type Client } from 'openapi-fetch';
import { errorIn, type ErrorOf, type ErrorStatus } from './errors.js';
import type { paths } from './openapi.js';

export interface ClientOptions {
  /** Base URL of the service. */
  readonly url: string;
  /** Sends the requests, for example a fetch that pays through x402; by default nothing is paid. */
  readonly fetch?: (request: Request) => Promise<Response>;
  /** Sent with every request, such as `authorization: Bearer <subscription key>`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The responses of an operation, with errors discriminated by `code`. */
type DiscriminatedResponses<Responses> = {
  readonly [S in keyof Responses]: S extends ErrorStatus
    ? { headers: Readonly<Record<string, unknown>>; content: { 'application/json': ErrorOf<S> } }
    : Responses[S];
};
type DiscriminatedOperation<Operation> = Operation extends { readonly responses: infer Responses }
  ? Omit<Operation, 'responses'> & { readonly responses: DiscriminatedResponses<Responses> }
  : Operation;
type DiscriminatedPaths = {
  readonly [Path in keyof paths]: {
    readonly [Method in keyof paths[Path]]: DiscriminatedOperation<paths[Path][Method]>;
  };
};

/** Every operation of a service by method and path; an answer has `data`, or an `error` discriminated by `code`. */
export type Hostprobe = Client<DiscriminatedPaths>;

/**
 * A client of a service. Calls reject with the error of `fetch` if there is no answer.
 * @example const { data, error } = await hostprobe({ url }).GET('/api/v1/hosts/{domain}', { params: { path: { domain }
 * } });
 */
export function hostprobe({ url, fetch, headers }: ClientOptions): Hostprobe {
  const client = createClient<DiscriminatedPaths>({
    baseUrl: url,
    ...(fetch && { fetch }),
    ...(headers && { headers }),
  });
  client.use({
    onResponse: async ({ response }) => {
      if (response.ok || response.status < 400) return undefined;
      const { status, headers: said } = response;
      const kept = new Headers(said);
      for (const name of ['content-encoding', 'content-length']) kept.delete(name);
      return new Response(JSON.stringify(await errorIn(response)), { status, headers: kept });
    },
  });
  return client;
}
