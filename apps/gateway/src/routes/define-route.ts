import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { requestArguments, WITH_BODY } from '../http/validated';
import { bodyOf, parametersOf } from './input-schema';
import { operationOf, type DescribedRoute, type Operation } from './operation';
import { errorResponses, type ErrorStatus, type Responses } from './responses';

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** A route with its registration and description. @typeParam Deps the services that its handler uses */
export interface Route<Deps> {
  readonly method: Method;
  /** Path pattern, with parameters as `:name`. */
  readonly path: string;
  /** The status of an answer, unless the handler sets another one. */
  readonly status: number;
  readonly operation: Operation;
  /** Named schemas that its operation refers to. */
  readonly components: Readonly<Record<string, z.ZodObject>>;
  /** A page, or a file that pages load. It is not in the OpenAPI document. */
  readonly forPeople: boolean;
  /** Whether a page's form posts to it. */
  readonly takesForm: boolean;
  readonly serve: (deps: Deps, request: FastifyRequest, reply: FastifyReply) => Promise<void>;
}

interface Definition<Deps, Input extends object, Answer>
  extends
    Omit<DescribedRoute, 'path' | 'responses'>,
    Partial<Pick<Route<Deps>, 'status' | 'components' | 'forPeople' | 'takesForm'>> {
  readonly route: `${Method} /${string}`;
  /**
   * The input class, checked by class-validator, under the names of the parameters. `params`, and `query` or the body,
   * are derived from it unless given.
   */
  readonly input?: new () => Input;
  /** The body of an example request. */
  readonly body?: object;
  readonly answers: Responses;
  /** Error statuses in addition to those of every route (behaviour 2.4). */
  readonly errors?: readonly ErrorStatus[];
  /** Headers of every successful answer. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Answers a request; undefined for status 204, or if the answer was already sent. @throws {RequestError} */
  readonly handle: (deps: Deps, input: Input, request: FastifyRequest, reply: FastifyReply) => Answer | Promise<Answer>;
  /** Sends the answer; by default as JSON. */
  readonly send?: (reply: FastifyReply, answer: NonNullable<Answer>) => unknown;
}

/** Defines a free route. Registration and description are both derived from it. */
export function defineRoute<Deps, Answer, Input extends object = object>(
  definition: Definition<Deps, Input, Answer>,
): Route<Deps> {
  const { route, input, answers, errors = [], headers = {}, handle } = definition;
  const { send = (reply: FastifyReply, answer: unknown) => reply.send(answer) } = definition;
  const [method, path] = route.split(' ') as [Method, string];
  const described = { ...(input && argumentsOf(method, path, input, definition.body)), ...definition };
  const refused: readonly ErrorStatus[] = input && WITH_BODY.has(method) ? [400, ...errors] : errors;
  const { status = 200, components = {}, forPeople = false, takesForm = false } = definition;
  return {
    ...{ method, path, status, components, forPeople, takesForm },
    operation: operationOf({ ...described, path, responses: { ...errorResponses(...refused), ...answers } }),
    serve: async (deps, request, reply) => {
      const read = input ? requestArguments(input, request) : ({} as Input);
      const answer = await handle(deps, read, request, reply);
      if (status === 204) void reply.headers(headers).send();
      if (answer === undefined || answer === null) return;
      void reply.headers(headers);
      await send(reply, answer);
    },
  };
}

/** The parameters and body of a route, for its description. */
function argumentsOf(
  method: Method,
  path: string,
  input: new () => object,
  body?: object,
): Pick<DescribedRoute, 'params' | 'query' | 'requestBody'> {
  const { params, query } = parametersOf(path, input);
  return method === 'PATCH' ? { params, requestBody: bodyOf(query, body) } : { params, query };
}
