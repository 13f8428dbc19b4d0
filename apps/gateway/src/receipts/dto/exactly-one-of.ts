import { ValidateBy, type ValidationArguments } from 'class-validator';

/** Exactly one of two members is given; put it on the first, and on neither any `IsOptional` that would skip it. */
export function ExactlyOneOf(first: string, second: string): PropertyDecorator {
  return ValidateBy({
    name: 'exactlyOneOf',
    validator: {
      validate: (_value: unknown, args?: ValidationArguments) => {
        const members = (args?.object ?? {}) as Readonly<Record<string, unknown>>;
        return (members[first] === undefined) !== (members[second] === undefined);
      },
      defaultMessage: () => `give exactly one of ${first} and ${second}`,
    },
  });
}
