import { plainToInstance, Transform } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { RequestError } from './request-error';

/**
 * Arguments of a request as an instance of their DTO, checked; whatever the DTO does not know is left out.
 * @throws {RequestError} 400 `invalid_<member>` with the sentence of the first rule broken
 */
export function validated<Dto extends object>(dto: new () => Dto, raw: unknown): Dto {
  const members = typeof raw === 'object' && raw !== null && !Array.isArray(raw) ? raw : {};
  const instance = plainToInstance(dto, members);
  const [fault] = validateSync(instance, { stopAtFirstError: true, whitelist: true, forbidUnknownValues: false });
  if (fault) throw refusalOf(fault);
  return instance;
}

/** An empty query parameter is one that was not given. */
export const EmptyIsMissing = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => (value === '' || value === null ? undefined : value));

function refusalOf({ property, constraints, contexts }: ValidationError): RequestError {
  const [rule = '', sentence = `${property} is wrong`] = Object.entries(constraints ?? {})[0] ?? [];
  const extra = (contexts?.[rule] ?? {}) as Readonly<Record<string, unknown>>;
  return new RequestError(
    400,
    `invalid_${property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`,
    sentence,
    extra,
  );
}
