import { ValidateBy } from 'class-validator';

/** A rule for every item of a list of texts, with its sentence. */
export function Each(rule: (text: string) => boolean, message: string): PropertyDecorator {
  const validate = (value: unknown): boolean => typeof value === 'string' && rule(value);
  return ValidateBy({ name: rule.name, validator: { validate } }, { each: true, message });
}
