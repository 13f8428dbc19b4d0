import fc from 'fast-check';
import { isObject, list, type JsonValue } from '@app/detectors';
import type { Reply } from './evidence';
import { fixtureFiles, fixtureNames } from './fixture-host';

/** Real documents to start from: every JSON document of the fixtures. */
const DOCUMENTS: readonly JsonValue[] = fixtureNames().flatMap((name) =>
  Object.entries(fixtureFiles(name))
    .filter(([file]) => file.endsWith('.json'))
    .map(([, text]) => JSON.parse(text) as JsonValue),
);
const TEXTS: readonly string[] = fixtureNames().flatMap((name) =>
  Object.entries(fixtureFiles(name)).flatMap(([file, text]) => (file.endsWith('.json') ? [] : [text])),
);

/** Values that break parsers: inherited names, unusual numbers, URLs of other sites and of local networks. */
const ODD: readonly JsonValue[] = [
  null,
  true,
  false,
  0,
  -1,
  1e308,
  '',
  ' ',
  '\uFEFF',
  '\uD800',
  '__proto__',
  'constructor',
  'toString',
  [],
  {},
  [[]],
  'https://evil.example.net/',
  'http://127.0.0.1/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  '//evil.example.net/x',
  'https://shop.example.com@evil.example.net/',
  'https://shop.example.com.evil.example.net/',
  'https://[::1]/',
  '/a b',
  'https://shop.example.com:70000/',
  'https://xn--/',
  '2026-02-30',
  '9'.repeat(400),
  '{{ENDPOINT}}',
  '/{id}',
];

/** A real document in which some fields are removed, duplicated, swapped or replaced by anything. */
const mutated: fc.Arbitrary<JsonValue> = fc
  .tuple(
    fc.constantFrom(...DOCUMENTS),
    fc.array(
      fc.tuple(fc.nat(), fc.constantFrom('drop', 'odd', 'any', 'wrap', 'graft', 'rename'), fc.nat(), fc.jsonValue()),
      {
        minLength: 1,
        maxLength: 6,
      },
    ),
  )
  .map(([document, steps]) =>
    steps.reduce((value, [slot, how, pick, any]) => change(value, slot, how, pick, any as JsonValue), document),
  );

function change(document: JsonValue, slot: number, how: string, pick: number, any: JsonValue): JsonValue {
  const copy = structuredClone(document);
  const holders = holdersIn(copy);
  const holder = holders[slot % Math.max(1, holders.length)];
  if (!holder) return any;
  const names = Object.keys(holder);
  const name = names[pick % Math.max(1, names.length)] ?? 'name';
  const graft = DOCUMENTS[pick % DOCUMENTS.length] ?? null;
  if (how === 'drop') Reflect.deleteProperty(holder, name);
  else if (how === 'rename') holder[`${name}_`] = holder[name];
  else holder[name] = { odd: ODD[pick % ODD.length], any, graft, wrap: [holder[name] ?? null] }[how] ?? null;
  return copy;
}

function holdersIn(value: JsonValue): Record<string, JsonValue | undefined>[] {
  const items = isObject(value) ? Object.values(value) : (list(value) ?? []);
  const own = isObject(value) || Array.isArray(value) ? [value as Record<string, JsonValue | undefined>] : [];
  return [...own, ...items.flatMap((item) => holdersIn(item ?? null))];
}

const bytes = fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes).toString('utf8'));

const body: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: mutated.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: fc.tuple(mutated, fc.nat(300)).map(([value, at]) => JSON.stringify(value).slice(0, at)) },
  { weight: 1, arbitrary: fc.jsonValue().map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: bytes },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(...TEXTS), fc.nat(200), bytes)
      .map(([text, at, noise]) => text.slice(0, at) + noise + text.slice(at)),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      '[',
      '{"a":'.repeat(80),
      '[['.repeat(2_000),
      '<html>',
      'a: &a [*a]',
      '%YAML 1.2\n---\n',
      '\uFEFF{}',
    ),
  },
);

const encoded = mutated.map((value) => Buffer.from(JSON.stringify(value), 'utf8').toString('base64'));

const headerValue: fc.Arbitrary<string> = fc.oneof(
  bytes,
  encoded,
  encoded.map((text) => `Payment id="1", realm="r", method="tempo", intent="charge", request="${text}"`),
  bytes.map((text) => `Payment ${text}`),
  fc.constantFrom(
    'application/json',
    'text/html',
    '</api>; rel="service-desc"',
    'https://evil.example.net/',
    '/login',
    '</x>;rel=',
  ),
);

/** An answer with any status, headers and body. */
export const hostileReply: fc.Arbitrary<Reply> = fc.record({
  status: fc.constantFrom(
    200,
    200,
    200,
    200,
    202,
    204,
    301,
    302,
    400,
    401,
    402,
    402,
    403,
    404,
    405,
    406,
    429,
    500,
    503,
  ),
  headers: fc.dictionary(
    fc.constantFrom(
      'payment-required',
      'x-payment',
      'www-authenticate',
      'content-type',
      'location',
      'link',
      'retry-after',
      'cache-control',
      'cf-mitigated',
      'crawler-price',
      'signature-input',
      'set-cookie',
      'mcp-session-id',
    ),
    headerValue,
    { maxKeys: 4 },
  ),
  body,
  truncated: fc.boolean(),
});
