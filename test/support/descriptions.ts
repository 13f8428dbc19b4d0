import { dump } from 'js-yaml';
import { plain, json, type Reply } from './evidence';

export type Order = 'written' | 'sorted' | 'reversed';

/** The notation of an API description, which does not change its meaning. */
export interface Writing {
  readonly format: 'json' | 'yaml';
  /** The field order of every object. */
  readonly order: Order;
  /** The number of unused schemas, each about 400 characters of JSON. */
  readonly schemas: number;
}

/** An API description with the given path items, as a host would serve it. */
export function description(paths: Readonly<Record<string, unknown>>, writing: Writing): Reply {
  const document = ordered(
    {
      openapi: '3.1.0',
      info: { title: 'Lamp API', version: '1.2.0' },
      servers: [{ url: 'https://shop.example.com/v1' }],
      paths,
      components: {
        schemas: Object.fromEntries(Array.from({ length: writing.schemas }, (_, i) => [`S${i}`, schema(i)])),
      },
    },
    writing.order,
  );
  return writing.format === 'json' ? json(document) : plain(dump(document, { noRefs: true }));
}

function schema(number: number) {
  const field = {
    type: 'string',
    description: `One of the members of schema ${number}: as it is kept.`,
    example: 'lamp',
  };
  return { type: 'object', required: ['id'], properties: { id: field, name: field, maker: field } };
}

function ordered(value: unknown, order: Order): unknown {
  if (order === 'written' || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => ordered(item, order));
  const members = Object.entries(value).map(([name, item]) => [name, ordered(item, order)] as const);
  const sorted = members.sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(order === 'sorted' ? sorted : sorted.reverse());
}
