import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { requestArguments, WITH_BODY } from '../http/validated';
import { bodyOf, parametersOf } from './input-schema';
import { operationOf, type DescribedRoute, type Operation } from './operation';
import { errorResponses, type ErrorStatus, type Responses } from './responses';

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** A route as it is registered and described. @typeParam Deps the services that it is answered with */
export interface Route<Deps> {
  readonly method: Method;
  /** With parameters as `:name`. */
  readonly path: string;
  /** Of an answer unless the handler sets another one. */
  readonly status: number;
  readonly operation: Operation;
  /** Schemas that its operation refers to by name. */
  readonly components: Readonly<Record<string, z.ZodObject>>;
  /** A page, or a file that pages load: not in the OpenAPI document. */
  readonly forPeople: boolean;
  /** Whether a form of a page posts to it. */
  readonly takesForm: boolean;
  readonly serve: (deps: Deps, request: FastifyRequest, reply: FastifyReply) => Promise<void>;
}

interface Definition<Deps, Input extends object, Answer>
  extends
    Omit<DescribedRoute, 'path' | 'responses'>,
    Partial<Pick<Route<Deps>, 'status' | 'components' | 'forPeople' | 'takesForm'>> {
  readonly route: `${Method} /${string}`;
  /** Arguments by the names of the parameters, checked by class-validator; `params`, and `query` or the body, are derived unless given. */
  readonly input?: new () => Input;
  /** The body of an example request. */
  readonly body?: object;
  readonly answers: Responses;
  /** Statuses of errors beside those of every route (behaviour 2.4). */
  readonly errors?: readonly ErrorStatus[];
  /** Of every answer that is no error. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Answers a request; undefined for status 204, or when the answer was sent already. @throws {RequestError} */
  readonly handle: (deps: Deps, input: Input, request: FastifyRequest, reply: FastifyReply) => Answer | Promise<Answer>;
  /** How the answer is sent: as JSON unless given. */
  readonly send?: (reply: FastifyReply, answer: NonNullable<Answer>) => unknown;
}

/** A route that is not sold: everything that registers or describes routes reads it from here. */
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

/** Where the arguments of a route come from, as it is described. */
function argumentsOf(
  method: Method,
  path: string,
  input: new () => object,
  body?: object,
): Pick<DescribedRoute, 'params' | 'query' | 'requestBody'> {
  const { params, query } = parametersOf(path, input);
  return method === 'PATCH' ? { params, requestBody: bodyOf(query, body) } : { params, query };
}
