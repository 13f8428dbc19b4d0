import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, ValidationTypes, validateSync, type ValidationError } from 'class-validator';
import { snakeCase } from '@app/platform';
import type { FastifyRequest } from 'fastify';
import { isErrorCode, type ErrorCode } from './error-codes';
import { ONE_OF_TWO } from './inputs';
import { RequestError } from './request-error';

type Members = Readonly<Record<string, unknown>>;

/** A request, as much of it as arguments come from. */
export type Asked = Pick<FastifyRequest, 'method' | 'query' | 'params' | 'body'>;

/** Longest part of the name of an unknown member that is quoted back. */
const MAX_QUOTE = 100;

/** Methods whose requests have their arguments in the body. */
export const WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PATCH']);

/**
 * The arguments of a request, from its path and from its query or its body, checked as {@link validated}. A query may
 * have parameters that the route does not know, a body may not (behaviour 1.9).
 * @throws {RequestError} 400, also for a parameter that is given twice
 */
export function requestArguments<Dto extends object>(dto: new () => Dto, request: Asked): Dto {
  return validated(dto, rawArguments(dto, request));
}

/** {@link requestArguments} that are not checked yet. @throws {RequestError} 400 */
export function rawArguments(dto: new () => object, { method, query, params, body }: Asked): Members {
  const sent = WITH_BODY.has(method) ? membersOf(body) : knownOf(dto, query as Members, params as Members);
  return { ...sent, ...(params as Members) };
}

/** The arguments of a query, as {@link requestArguments} reads them. @throws {RequestError} 400 */
export function queryArguments<Dto extends object>(dto: new () => Dto, query: unknown): Dto {
  return validated(dto, knownOf(dto, query as Members));
}

function membersOf(body: unknown): Members {
  if (body === undefined || body === null) return {};
  if (typeof body === 'object' && !Array.isArray(body)) return body as Members;
  throw new RequestError('bad_request', 'The body must be a JSON object.');
}

/** What of a query a route knows and its path does not say. */
function knownOf(dto: new () => object, query: Members, params: Members = {}): Members {
  const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', true, false);
  const names = [...new Set(rules.map(({ propertyName }) => propertyName))];
  const known = names.filter((name) => Object.hasOwn(query, name) && !Object.hasOwn(params, name));
  const twice = known.find((name) => Array.isArray(query[name]));
  if (twice !== undefined) throw new RequestError(codeOf(twice), `${twice} must be given once`);
  return Object.fromEntries(known.map((name) => [name, query[name]]));
}

/**
 * Arguments as an instance of their DTO, checked.
 * @throws {RequestError} 400 `invalid_<member>` with the sentence of the first rule broken, or for an unknown member
 */
export function validated<Dto extends object>(dto: new () => Dto, raw: unknown): Dto {
  const members = typeof raw === 'object' && raw !== null && !Array.isArray(raw) ? raw : {};
  // What is not given keeps what it is at first.
  const instance = plainToInstance(dto, members, { exposeUnsetFields: false });
  const faults = validateSync(instance, {
    stopAtFirstError: true,
    whitelist: true,
    forbidNonWhitelisted: true,
    forbidUnknownValues: false,
  });
  const errors = faults.map(errorOf);
  // What is wrong with the accounts of a network that is not read at all is beside the point.
  const [error] = [...errors.filter(({ code }) => code === 'unsupported_network'), ...errors];
  if (error) throw error;
  return instance;
}

function errorOf({ property, value, constraints, contexts }: ValidationError): RequestError {
  const [rule = '', sentence = `${property} is invalid`] = Object.entries(constraints ?? {})[0] ?? [];
  if (rule === ValidationTypes.WHITELIST) {
    return new RequestError('unknown_member', `unknown member \`${property.slice(0, MAX_QUOTE)}\``);
  }
  const { code = codeOf(property), ...extra } = (contexts?.[rule] ?? {}) as { readonly code?: ErrorCode };
  const isMissing = value === undefined && rule !== ONE_OF_TWO;
  return new RequestError(code, isMissing ? `${property} is required` : sentence, extra);
}

/** The code of an argument that is wrong. */
function codeOf(argument: string): ErrorCode {
  const code = `invalid_${snakeCase(argument)}`;
  return isErrorCode(code) ? code : 'bad_request';
}
