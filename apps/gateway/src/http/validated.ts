import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { snakeCase } from '@app/platform';
import { isErrorCode } from './error-codes';
import { RequestError } from './request-error';

/**
 * Arguments of a request as an instance of their DTO, checked; whatever the DTO does not know is left out.
 * @throws {RequestError} 400 `invalid_<member>` with the sentence of the first rule broken
 */
export function validated<Dto extends object>(dto: new () => Dto, raw: unknown): Dto {
  const members = typeof raw === 'object' && raw !== null && !Array.isArray(raw) ? raw : {};
  // What is not given keeps what it is at first.
  const instance = plainToInstance(dto, members, { exposeUnsetFields: false });
  const faults = validateSync(instance, { stopAtFirstError: true, whitelist: true, forbidUnknownValues: false });
  const errors = faults.map(errorOf);
  // What is wrong with the accounts of a network that is not read at all is beside the point.
  const [error] = [...errors.filter(({ code }) => code === 'unsupported_network'), ...errors];
  if (error) throw error;
  return instance;
}

function errorOf({ property, constraints, contexts }: ValidationError): RequestError {
  const [rule = '', sentence = `${property} is invalid`] = Object.entries(constraints ?? {})[0] ?? [];
  const { code = `invalid_${snakeCase(property)}`, ...extra } = (contexts?.[rule] ?? {}) as { readonly code?: string };
  return new RequestError(isErrorCode(code) ? code : 'bad_request', sentence, extra);
}
