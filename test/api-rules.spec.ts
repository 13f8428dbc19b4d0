import { readFileSync } from 'node:fs';
import { ERROR_CODES } from '../apps/gateway/src/http/error-codes';
import type { JsonSchema } from '../apps/gateway/src/routes/json-schema';
import type { Operation } from '../apps/gateway/src/routes/operation';
import type { Response } from '../apps/gateway/src/routes/responses';
import type { OpenApiDocument } from '../apps/gateway/src/routes/openapi-document';

/** The recorded API description: the rules of docs/compatibility.md apply to each of its operations and tools. */
const recorded = (name: string): unknown => JSON.parse(readFileSync(`test/oracle/${name}`, 'utf8'));
const DOCUMENT = recorded('openapi.json') as OpenApiDocument;
const TOOLS = recorded('mcp-tools.json') as readonly Tool[];

interface Tool {
  readonly name: string;
  readonly inputSchema: object;
}

/** A rule returns its violations. */
type Rule<Subject> = (subject: Subject) => readonly string[];

function operationsOf({ paths }: OpenApiDocument): readonly Operation[] {
  return Object.values(paths).flatMap((operations) => Object.values(operations));
}

/** Every object of a document, with the path to it. */
function objectsIn(value: unknown, path = ''): readonly (readonly [path: string, object: Record<string, unknown>])[] {
  if (typeof value !== 'object' || value === null) return [];
  const inside = Object.entries(value).flatMap(([name, member]) => objectsIn(member, `${path}/${name}`));
  return Array.isArray(value) ? inside : [[path, value as Record<string, unknown>], ...inside];
}

/** A query parameter, reduced to what the rules read. */
interface Parameter {
  readonly name: string;
  readonly in?: string;
  readonly schema?: { readonly type?: unknown; readonly minimum?: number; readonly maximum?: number };
}

/** The operations of a method, each with its path. */
function operationsAt(
  { paths }: OpenApiDocument,
  method: 'get' | 'post' | 'delete',
): readonly (readonly [path: string, Operation])[] {
  return Object.entries(paths).flatMap(([path, { [method]: operation }]) =>
    operation ? [[path, operation] as const] : [],
  );
}

function queryOf({ parameters = [] }: Operation): readonly Parameter[] {
  return (parameters as unknown as readonly Parameter[]).filter((one) => one.in === 'query');
}

/** The schemas of the bodies of a response, by content type. */
function bodiesOf(response: object = {}): Readonly<Record<string, { readonly schema?: JsonSchema }>> {
  return 'content' in response ? (response.content as ReturnType<typeof bodiesOf>) : {};
}

/** The JSON members of an operation's response with a status. */
function membersOf({ components }: OpenApiDocument, { responses }: Operation, status: string): readonly string[] {
  const content = bodiesOf(responses[status]);
  const { $ref, ...schema } = content['application/json']?.schema ?? {};
  const { properties = {} } = $ref === undefined ? schema : components.schemas[$ref.split('/').at(-1)!]!;
  return Object.keys(properties);
}

/** A list is at a path that ends with a plural noun. */
const listsHavePages: Rule<OpenApiDocument> = (document) =>
  operationsAt(document, 'get')
    .filter(([path]) => /^\/api\/v1\/.*[a-z]s$/.test(path))
    .flatMap(([, operation]) => {
      const members = membersOf(document, operation, '200');
      const query = queryOf(operation).map(({ name }) => name);
      const all = ['limit', 'cursor'].every((name) => query.includes(name)) && members.includes('nextCursor');
      return members.length === 0 || all ? [] : [operation.operationId];
    });

const wholeNumbersHaveBounds: Rule<OpenApiDocument> = (document) =>
  operationsAt(document, 'get').flatMap(([, operation]) =>
    queryOf(operation)
      .filter(({ schema = {} }) => schema.type === 'integer' && !(schema.minimum! <= schema.maximum!))
      .map(({ name }) => `${operation.operationId}: ${name}`),
  );

/**
 * A POST creates a resource that a GET returns, at the same path or by its id. A paid POST answers 200 with a receipt,
 * any other 201.
 */
const beginningsHaveLocation: Rule<OpenApiDocument> = (document) =>
  operationsAt(document, 'post')
    .filter(([path]) => [path, `/api/v1/${path.split('/').at(-1)}/{id}`].some((shown) => document.paths[shown]?.get))
    .flatMap(([, operation]) => {
      const successes = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
      const located = successes.every(([, one]) => 'headers' in one && 'Location' in one.headers);
      const status = operation['x-payment-info'] ? '200' : '201';
      return located && successes.some(([one]) => one === status) ? [] : [operation.operationId];
    });

const endingsSayEnded: Rule<OpenApiDocument> = (document) =>
  operationsAt(document, 'delete').flatMap(([, operation]) => {
    const gone = operation.responses['204'];
    const isGone = gone !== undefined && !('content' in gone) && operation.responses['200'] === undefined;
    return isGone || membersOf(document, operation, '200').includes('status') ? [] : [operation.operationId];
  });

/** The document with one operation changed. */
function withOperation(id: string, change: (operation: Operation) => object): OpenApiDocument {
  const planted = structuredClone(DOCUMENT);
  const found = operationsOf(planted).find(({ operationId }) => operationId === id)!;
  Object.assign(found, change(found));
  return planted;
}

const namesRequest: Rule<OpenApiDocument> = (document) =>
  objectsIn({ paths: document.paths, responses: document.components.responses }).flatMap(([path, object]) =>
    /\/responses\/\w+$/.test(path) && !('$ref' in object) && !Object.hasOwn(object['headers'] ?? {}, 'Request-Id')
      ? [path]
      : [],
  );

const statusesOfCodes: Rule<OpenApiDocument> = (document) =>
  operationsOf(document).flatMap(({ operationId, responses }) =>
    Object.entries(responses).flatMap(([status, response]) =>
      objectsIn(response).flatMap(([, { error, code }]) =>
        typeof error === 'string' && typeof code === 'string' && statusOf(code) !== Number(status)
          ? [`${operationId}: ${code} with ${status}`]
          : [],
      ),
    ),
  );

function statusOf(code: string): number | undefined {
  return code in ERROR_CODES ? ERROR_CODES[code as keyof typeof ERROR_CODES].status : undefined;
}

const saysPrice: Rule<OpenApiDocument> = (document) =>
  operationsOf(document)
    .filter(({ responses, description }) => '402' in responses && !/\d(?:\.\d+)? USDC/.test(description))
    .map(({ operationId }) => operationId);

const hasOneBody: Rule<OpenApiDocument> = (document) =>
  operationsOf(document).flatMap(({ operationId, responses }) =>
    Object.entries(responses).flatMap(([status, response]) => {
      const { content = {} } = response as Response;
      return Object.keys(content).length > 1 ? [`${operationId} ${status}`] : [];
    }),
  );

const docsArePages: Rule<unknown> = (subject) =>
  objectsIn(subject).flatMap(([path, { docs }]) =>
    typeof docs === 'string' && /\.json(?:[?#]|$)/.test(docs) ? [`${path}: ${docs}`] : [],
  );

const takesOneObject: Rule<readonly Tool[]> = (tools) =>
  tools
    .filter(({ inputSchema }) => ['anyOf', 'oneOf', 'allOf'].some((alternatives) => alternatives in inputSchema))
    .map(({ name }) => name);

/** Schemas defined elsewhere: the stored text of a report, x402, and JSON-RPC. */
const FOREIGN_SCHEMAS = ['HostReport', 'ProtocolCell', 'PaymentRail', 'PaymentRequired', 'McpAnswer'];
/** Documents whose format is not ours: well-known files, feeds, and OpenAPI itself. */
const FOREIGN_PATHS = /^\/(?:\.well-known|hosts|openapi\.json)/;

/** A member of a resource, with its path from the operation. */
interface Member {
  readonly at: string;
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
}

/** The members of our own resources, in every operation that returns one. */
function ownMembers({ paths, components }: OpenApiDocument): readonly Member[] {
  const read = (schema: JsonSchema, at: string): readonly Member[] => {
    const name = schema.$ref?.split('/').at(-1);
    if (name !== undefined) return FOREIGN_SCHEMAS.includes(name) ? [] : read(components.schemas[name]!, at);
    const members = Object.entries(schema.properties ?? {}).flatMap(([member, of]) => [
      { at: `${at}.${member}`, name: member, schema: of, isRequired: schema.required?.includes(member) ?? false },
      ...read(of, `${at}.${member}`),
    ]);
    const parts = [...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])];
    return [...members, ...parts.flatMap((part) => read(part, at))];
  };
  return Object.entries(paths)
    .filter(([path]) => !FOREIGN_PATHS.test(path))
    .flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, { responses }]) =>
        Object.entries(responses)
          .filter(([status]) => status.startsWith('2'))
          .flatMap(([, response]) => Object.values(bodiesOf(response)))
          .flatMap(({ schema = {} }) => read(schema, `${method} ${path}`)),
      ),
    );
}

/** A document with one operation that returns this schema. */
const planted = (schema: JsonSchema): OpenApiDocument =>
  ({
    paths: { '/x': { get: { responses: { 200: { content: { 'application/json': { schema } } } } } } },
    components: { schemas: { HostReport: { properties: { state: {} } } } },
  }) as unknown as OpenApiDocument;

/** A valid member, together with one that is under test. */
const withMember = (name: string, schema: JsonSchema, required = ['id', name]): OpenApiDocument =>
  planted({ anyOf: [{ items: { properties: { id: { type: 'string' }, [name]: schema }, required } }] });

/** Synonyms that are not allowed for `status`, `createdAt` and `endsAt`. */
const OTHER_WORDS =
  /^(?:state|expir(?:y|es|ed|esAt|edAt)|created|since|begun(?:At)?|started(?:At)?|timestamp|updated|date|time)$/;

const othersWords: Rule<OpenApiDocument> = (api) =>
  ownMembers(api).flatMap(({ at, name }) => (OTHER_WORDS.test(name) ? [at] : []));

/** Members that the published contract makes optional; `notice` is added to the stored text of a response. */
const OPTIONAL = ['notice', 'nextCursor', 'nextBefore', 'before', 'after'];

const missable: Rule<OpenApiDocument> = (api) =>
  ownMembers(api).flatMap(({ at, name, isRequired }) => (isRequired || OPTIONAL.includes(name) ? [] : [at]));

/** The specification fixes `priceUsd` as a number. */
const numericMoney: Rule<OpenApiDocument> = (api) =>
  ownMembers(api).flatMap(({ at, name, schema }) => {
    const types = [schema, ...(schema.anyOf ?? [])].flatMap(({ type }) => type ?? []);
    const isMoney = /(?:usd|price|amount)$/i.test(name) && name !== 'priceUsd';
    return isMoney && types.some((type) => type === 'number' || type === 'integer') ? [at] : [];
  });

describe('a rule of every operation', () => {
  it('an answer has its request id', () => {
    expect(namesRequest(DOCUMENT)).toEqual([]);
    const planted = withOperation('begin_claim', () => ({ responses: { 200: { description: '', headers: {} } } }));
    expect(namesRequest(planted)).toEqual(['/paths//api/v1/hosts/{domain}/claims/post/responses/200']);
  });

  it('a code has one status', () => {
    expect(statusesOfCodes(DOCUMENT)).toEqual([]);
    const refused = { content: { 'application/json': { example: { error: 'no', code: 'opted_out' } } } };
    const planted = withOperation('begin_claim', ({ responses }) => ({ responses: { ...responses, 400: refused } }));
    expect(statusesOfCodes(planted)).toEqual(['begin_claim: opted_out with 400']);
  });

  it('an operation that may request payment states its price', () => {
    expect(saysPrice(DOCUMENT)).toEqual([]);
    expect(saysPrice(withOperation('lookup_host', () => ({ description: 'Free.' })))).toEqual(['lookup_host']);
  });

  it('an answer has one body type, so that generated clients need not distinguish several', () => {
    expect(hasOneBody(DOCUMENT)).toEqual([]);
    const content = { 'application/json': {}, 'text/markdown': {} };
    const planted = withOperation('begin_claim', () => ({
      responses: { 200: { description: '', headers: {}, content } },
    }));
    expect(hasOneBody(planted)).toEqual(['begin_claim 200']);
  });

  it('documentation is a page', () => {
    expect(docsArePages(DOCUMENT)).toEqual([]);
    const planted = { refresh: { docs: 'https://probe.example.com/openapi.json' } };
    expect(docsArePages(planted)).toEqual(['/refresh: https://probe.example.com/openapi.json']);
  });

  it('a tool takes one object, without alternatives at the top level of its schema', () => {
    expect(takesOneObject(TOOLS)).toEqual([]);
    const [tool] = TOOLS;
    expect(takesOneObject([{ ...tool!, inputSchema: { type: 'object', oneOf: [] } }])).toEqual([tool!.name]);
  });

  it('a list takes limit and cursor, and returns nextCursor', () => {
    expect(listsHavePages(DOCUMENT)).toEqual([]);
    for (const missing of ['limit', 'cursor']) {
      const planted = withOperation('find_payable', ({ parameters = [] }) => ({
        parameters: parameters.filter((one) => (one as unknown as Parameter).name !== missing),
      }));
      expect(listsHavePages(planted)).toEqual(['find_payable']);
    }
    const schema = { properties: { changes: {}, nextBefore: {} } };
    const planted = withOperation('list_changes', () => ({
      responses: { 200: { content: { 'application/json': { schema } } } },
    }));
    expect(listsHavePages(planted)).toEqual(['list_changes']);
  });

  it('a whole number in a query has a minimum and maximum, which its error states', () => {
    expect(wholeNumbersHaveBounds(DOCUMENT)).toEqual([]);
    const planted = withOperation('find_payable', () => ({
      parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1 } }],
    }));
    expect(wholeNumbersHaveBounds(planted)).toEqual(['find_payable: limit']);
  });

  it('a request that creates something returns its location with 201, or with 200 and the receipt if it was paid', () => {
    expect(beginningsHaveLocation(DOCUMENT)).toEqual([]);
    const begun = { description: '', headers: { Location: { $ref: '' } } };
    for (const [id, responses] of [
      ['begin_claim', { 200: begun }],
      ['begin_claim', { 201: { ...begun, headers: {} } }],
      ['subscribe', { 201: begun }],
      ['begin_watch', { 200: begun, 201: { ...begun, headers: {} } }],
    ] as const) {
      expect(beginningsHaveLocation(withOperation(id, () => ({ responses })))).toEqual([id]);
    }
  });

  it('a request that ends something returns 204 or its new state', () => {
    expect(endingsSayEnded(DOCUMENT)).toEqual([]);
    const told = { content: { 'application/json': { schema: { properties: { id: {} } } } } };
    for (const responses of [{ 200: told }, { 204: told }, { 200: told, 204: { description: '' } }]) {
      expect(endingsSayEnded(withOperation('end_watch', () => ({ responses })))).toEqual(['end_watch']);
    }
  });

  it('a resource uses the names status, createdAt and endsAt', () => {
    expect(othersWords(withMember('status', { type: 'string' }))).toEqual([]);
    for (const word of ['state', 'expiresAt', 'since', 'timestamp'])
      expect(othersWords(withMember(word, { type: 'string' }))).toEqual([`get /x.${word}`]);
    expect(othersWords(planted({ $ref: '#/components/schemas/HostReport' }))).toEqual([]);
    expect(ownMembers(DOCUMENT).length).toBeGreaterThan(150);
    expect(othersWords(DOCUMENT)).toEqual([]);
  });

  it('a field of a resource is always present, and null if there is no value', () => {
    expect(missable(withMember('endsAt', { anyOf: [{ type: 'string' }, { type: 'null' }] }))).toEqual([]);
    expect(missable(withMember('endsAt', { type: 'string' }, ['id']))).toEqual(['get /x.endsAt']);
    expect(missable(DOCUMENT)).toEqual([]);
  });

  it('money is a decimal string, except priceUsd', () => {
    expect(numericMoney(withMember('priceUsd', { type: 'number' }))).toEqual([]);
    expect(numericMoney(withMember('amountUsd', { type: 'string' }))).toEqual([]);
    expect(numericMoney(withMember('amountUsd', { type: ['number', 'string'] }))).toEqual(['get /x.amountUsd']);
    expect(numericMoney(withMember('maxPrice', { anyOf: [{ type: 'integer' }, { type: 'null' }] }))).toEqual([
      'get /x.maxPrice',
    ]);
    expect(numericMoney(DOCUMENT)).toEqual([]);
  });
});
