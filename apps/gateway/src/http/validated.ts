import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, ValidationTypes, validateSync, type ValidationError } from 'class-validator';
import { snakeCase } from '@app/platform';
import type { FastifyRequest } from 'fastify';
import { isErrorCode, type ErrorCode } from './error-codes';
import { ONE_OF_TWO } from './inputs';
import { RequestError } from './request-error';

type Members = Readonly<Record<string, unknown>>;

/** The parts of a request that contain arguments. */
export type Asked = Pick<FastifyRequest, 'method' | 'query' | 'params' | 'body'>;

/** How many characters of an unknown field's name are quoted back. */
const MAX_QUOTE = 100;

/** Methods whose arguments are in the body. */
export const WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PATCH']);

/**
 * The arguments of a request, from its path and from its query or body, checked as in {@link validated}. A query may
 * have unknown parameters, a body may not (behaviour 1.9).
 * @throws {RequestError} 400, also for a parameter that is given twice
 */
export function requestArguments<Dto extends object>(dto: new () => Dto, request: Asked): Dto {
  return validated(dto, rawArguments(dto, request));
}

/** Like {@link requestArguments}, but without the checks. @throws {RequestError} 400 */
export function rawArguments(dto: new () => object, { method, query, params, body }: Asked): Members {
  const sent = WITH_BODY.has(method) ? membersOf(body) : knownOf(dto, query as Members, params as Members);
  return { ...sent, ...(params as Members) };
}

/** The arguments of a query, as in {@link requestArguments}. @throws {RequestError} 400 */
export function queryArguments<Dto extends object>(dto: new () => Dto, query: unknown): Dto {
  return validated(dto, knownOf(dto, query as Members));
}

function membersOf(body: unknown): Members {
  if (body === undefined || body === null) return {};
  if (typeof body === 'object' && !Array.isArray(body)) return body as Members;
  throw new RequestError('bad_request', 'The body must be a JSON object.');
}

/** The query parameters that the route knows and that are not in its path. */
function knownOf(dto: new () => object, query: Members, params: Members = {}): Members {
  const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', true, false);
  const names = [...new Set(rules.map(({ propertyName }) => propertyName))];
  const known = names.filter((name) => Object.hasOwn(query, name) && !Object.hasOwn(params, name));
  const twice = known.find((name) => Array.isArray(query[name]));
  if (twice !== undefined) throw new RequestError(codeOf(twice), `${twice} must be given once`);
  return Object.fromEntries(known.map((name) => [name, query[name]]));
}

/**
 * Checks arguments and returns them as an instance of their DTO.
 * @throws {RequestError} 400 `invalid_<member>` with the sentence of the first broken rule, or for an unknown field
 */
export function validated<Dto extends object>(dto: new () => Dto, raw: unknown): Dto {
  const members = typeof raw === 'object' && raw !== null && !Array.isArray(raw) ? raw : {};
  // Missing fields keep their defaults.
  const instance = plainToInstance(dto, members, { exposeUnsetFields: false });
  const faults = validateSync(instance, {
    stopAtFirstError: true,
    whitelist: true,
    forbidNonWhitelisted: true,
    forbidUnknownValues: false,
  });
  const errors = faults.map(errorOf);
  // If the network is not supported at all, errors in its addresses are irrelevant.
  const [error] = [...errors.filter(({ code }) => code === 'unsupported_network'), ...errors];
  if (error) throw error;
  return instance;
}

function errorOf({ property, value, constraints, contexts }: ValidationError): RequestError {
  const [rule = '', sentence = `${property} is invalid`] = Object.entries(constraints ?? {})[0] ?? [];
  if (rule === ValidationTypes.WHITELIST) {
    return new RequestError('unknown_member', `unknown field \`${property.slice(0, MAX_QUOTE)}\``);
  }
  const { code = codeOf(property), ...extra } = (contexts?.[rule] ?? {}) as { readonly code?: ErrorCode };
  const isMissing = value === undefined && rule !== ONE_OF_TWO;
  return new RequestError(code, isMissing ? `${property} is required` : sentence, extra);
}

/** The error code for an invalid argument. */
function codeOf(argument: string): ErrorCode {
  const code = `invalid_${snakeCase(argument)}`;
  return isErrorCode(code) ? code : 'bad_request';
}
