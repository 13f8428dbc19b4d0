import { defined } from '@app/platform';
import { ValidationTypes } from 'class-validator';
import { targetConstructorToSchema } from 'class-validator-jsonschema';
import type { JsonSchema, ObjectSchema } from './json-schema';
import type { ParameterRoute } from './parameters';
import { json } from './responses';
import type { Members } from './schema';

/** Custom validators (http/inputs.ts) convert their input, and declare its schema themselves. */
const additionalConverters = { [ValidationTypes.CUSTOM_VALIDATION]: () => ({}) };

/** The JSON Schema of an input class, from its validation decorators and its default values. */
export function inputSchema(
  input: new () => object,
): ObjectSchema & Required<Pick<ObjectSchema, 'properties' | 'required'>> {
  const { properties = {}, required = [] } = targetConstructorToSchema(input, { additionalConverters }) as ObjectSchema;
  const initially = new input() as Readonly<Record<string, unknown>>;
  const shown = Object.entries(properties).map(([member, schema]) => [
    member,
    { ...schema, ...defined({ default: initially[member] }) },
  ]);
  return { type: 'object', properties: Object.fromEntries(shown) as Readonly<Record<string, JsonSchema>>, required };
}

/** The parameters of a route: those of its path, in order, then the others. */
export function parametersOf(
  path: string,
  input: new () => object,
): Required<Pick<ParameterRoute, 'params' | 'query'>> {
  const { properties, required } = inputSchema(input);
  const named = [...path.matchAll(/:(\w+)/g)].map(([, member = '']) => member);
  const others = Object.entries(properties).filter(([member]) => !named.includes(member));
  return {
    params: Object.fromEntries(named.map((member) => [member, properties[member]])),
    query: {
      properties: Object.fromEntries(others),
      required: required.filter((member) => !named.includes(member)),
    },
  };
}

/** The JSON body of a request. @param schema of its fields; others are refused */
export function bodyOf(schema: Members, example?: object): Members {
  const required = (schema['required'] as readonly string[] | undefined) ?? [];
  return {
    required: required.length > 0,
    content: json({ type: 'object', ...schema, additionalProperties: false }, example),
  };
}
