import fc from 'fast-check';
import type { JsonObject } from '../formats/json';
import { describe as describeDocument } from './description';
import { operations, pricedOperations, serverUrl } from './priced-operations';

const INFO = { price: { mode: 'fixed', currency: 'USD', amount: '0.01' }, protocols: [{ x402: {} }] };

describe('pricedOperations', () => {
  it('returns method, path, URL and price of each operation with a price', () => {
    const document = {
      servers: [{ url: 'https://api.shop.example.com/v1/' }],
      paths: {
        '/lamps': { get: { summary: 'free' }, post: { 'x-payment-info': INFO } },
        '/lamps/{id}': { parameters: [], get: { 'x-payment-info': INFO } },
      },
    };
    expect(pricedOperations(document)).toMatchObject([
      { method: 'POST', path: '/lamps', url: 'https://api.shop.example.com/v1/lamps', paymentInfo: INFO },
      { method: 'GET', path: '/lamps/{id}', url: 'https://api.shop.example.com/v1/lamps/{id}', paymentInfo: INFO },
    ]);
  });

  it('ignores a price that is not an object, webhooks, and invalid documents', () => {
    const priced = { post: { 'x-payment-info': INFO } };
    expect(pricedOperations({ paths: { '/a': { get: { 'x-payment-info': '0.01' } } } })).toEqual([]);
    expect(pricedOperations({ webhooks: { sold: priced }, paths: { 'x-note': priced } })).toEqual([]);
    for (const document of [null, 'text', [], { paths: [priced] }, { paths: { '/a': [] } }]) {
      expect(pricedOperations(document)).toEqual([]);
    }
  });
});

const OPTION = { scheme: 'exact', network: 'eip155:8453' };
const PRICED_OPTION = {
  ...OPTION,
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  minAmount: '0',
  maxAmount: '9',
};

describe('an operation with x-x402', () => {
  const annotation = fc.record(
    {
      accepts: fc.subarray([OPTION, PRICED_OPTION, { ...OPTION, scheme: 'upto' }], { minLength: 1 }),
      extensions: fc.constantFrom({ 'sign-in-with-x': {} }, { bazaar: {} }, { 'sign-in-with-x': {}, bazaar: {} }),
    },
    { requiredKeys: [] },
  );

  it('is paid unless it only requires a sign-in, with any documented responses', () => {
    fc.assert(
      fc.property(annotation, fc.boolean(), fc.boolean(), (stated, documented, informed) => {
        const operation: JsonObject = {
          'x-x402': stated,
          ...(documented ? { responses: { '402': { description: 'Payment Required' } } } : {}),
          ...(informed ? { 'x-payment-info': INFO } : {}),
        };
        const document = { openapi: '3.1.0', info: { title: 'a', version: '1' }, paths: { '/a': { get: operation } } };
        const signInOnly =
          stated.accepts === undefined && stated.extensions !== undefined && 'sign-in-with-x' in stated.extensions;
        const paid = informed || !signInOnly;
        expect(pricedOperations(document)).toHaveLength(paid ? 1 : 0);
        const { pricedOperations: priced, signInOperations, findings } = describeDocument(document);
        expect([priced, signInOperations]).toEqual(paid ? [1, 0] : [0, 1]);
        expect(findings).toEqual([]);
      }),
    );
  });

  it('is paid with true, with any other content, and has no meaning with false', () => {
    for (const responses of [{}, { '402': { description: 'Payment Required' } }]) {
      const of = (stated: boolean) => ({
        openapi: '3.1.0',
        info: { title: 'a', version: '1' },
        paths: { '/a': { get: { 'x-x402': stated, responses } } },
      });
      expect(pricedOperations(of(true))).toMatchObject([{ annotation: { paid: true } }]);
      expect(describeDocument(of(true))).toMatchObject({ pricedOperations: 1, findings: [] });
      expect(pricedOperations(of(false))).toHaveLength(Object.keys(responses).length);
      expect(describeDocument(of(false))).toMatchObject({ pricedOperations: 0, findings: [] });
    }
  });

  it.each([
    ['a text', 'paid'],
    ['another member', { accepts: [OPTION], price: '1' }],
    ['a payee', { accepts: [{ ...OPTION, payTo: '0x1' }] }],
    ['one bound of the price', { accepts: [{ ...PRICED_OPTION, maxAmount: undefined }] }],
    ['a price without its asset', { accepts: [{ ...PRICED_OPTION, asset: undefined }] }],
    ['dollars for a price', { accepts: [{ ...PRICED_OPTION, minAmount: '0.01' }] }],
    ['no options', { accepts: [] }],
    ['no extensions', { extensions: {} }],
    ['an extension that is a text', { extensions: { bazaar: 'yes' } }],
  ])('has a finding for %s', (_, stated) => {
    const paths = { '/a': { post: { 'x-x402': stated } } } as unknown as JsonObject;
    expect(describeDocument({ openapi: '3.1.0', info: { title: 'a', version: '1' }, paths }).findings).toEqual([
      { id: 'x_x402_invalid', at: '$.paths["/a"].post' },
    ]);
  });
});

describe('an operation that documents a 402 and requires a sign-in', () => {
  const SCHEME = { type: 'apiKey', in: 'header', name: 'SIGN-IN-WITH-X' };
  const MARKED = { ...SCHEME, 'x-agentcash-auth-kind': 'siwx' };
  const documented: JsonObject = { responses: { '402': { description: 'Sign in with your wallet' } } };
  const security = (name: string): JsonObject => ({ security: [{ [name]: [] }] });
  const schemes = (of: JsonObject): JsonObject => ({ components: { securitySchemes: of } });
  /** Fields of the operation, and of the document, that mark a sign-in. */
  const MARKS: readonly (readonly [operation: JsonObject, document: JsonObject])[] = [
    [security('wallet'), schemes({ wallet: MARKED })],
    [security('siwx'), schemes({ siwx: SCHEME })],
    [security('siwx'), {}],
    [{}, { ...schemes({ wallet: MARKED }), ...security('wallet') }],
    [security('wallet'), { securityDefinitions: { wallet: MARKED } }],
    [security('wallet'), schemes({ wallet: { $ref: '#/components/securitySchemes/other' }, other: MARKED })],
    [{ security: [{ key: [] }, { wallet: [] }] }, schemes({ key: SCHEME, wallet: MARKED })],
    [{ security: [{ siwx: [], x402: [] }] }, {}],
    [{ 'x-agentcash-auth': { mode: 'siwx' } }, {}],
    [{ 'x-agentcash-auth': { mode: 'siwx' }, security: [] }, {}],
    [{ 'x-x402': { extensions: { 'sign-in-with-x': {} } } }, {}],
  ];
  const NO_MARKS: typeof MARKS = [
    [{}, {}],
    [security('wallet'), schemes({ wallet: SCHEME })],
    [security('other'), schemes({ wallet: MARKED })],
    [{ security: [] }, { ...schemes({ wallet: MARKED }), ...security('wallet') }],
    [{ 'x-agentcash-auth': { mode: 'paid' }, ...security('siwx') }, {}],
    [{ security: [{ siwx: [] }, {}] }, {}],
    [{ security: [{}, { key: [] }, { wallet: [] }] }, schemes({ key: SCHEME, wallet: MARKED })],
    [{}, { security: [{ siwx: [] }, {}] }],
    [{ security: [{ siwx: [] }, { x402: [] }] }, {}],
    ...[
      { ...SCHEME, name: 'X-PAYMENT' },
      { ...SCHEME, name: 'PAYMENT-SIGNATURE' },
      { type: 'http', scheme: 'Payment' },
    ].map((pay): (typeof MARKS)[number] => [{ security: [{ pay: [] }, { siwx: [] }] }, schemes({ pay })]),
  ];
  const TERMS: readonly JsonObject[] = [
    { 'x-payment-info': INFO },
    { 'x-x402': true },
    { 'x-x402': { accepts: [OPTION], extensions: { 'sign-in-with-x': {} } } },
  ];

  it('is not paid unless it states terms, and counts as a sign-in', () => {
    const paths = (operation: JsonObject): JsonObject => ({ paths: { '/me/{id}': { get: operation } } });
    const marked = fc.constantFrom(
      ...MARKS.map((mark) => [mark, true] as const),
      ...NO_MARKS.map((mark) => [mark, false] as const),
    );
    fc.assert(
      fc.property(marked, fc.option(fc.constantFrom(...TERMS)), ([[operation, more], isSignIn], terms) => {
        const document = { openapi: '3.1.0', ...more, ...paths({ ...documented, ...operation, ...terms }) };
        const priced = terms !== null || !isSignIn ? 1 : 0;
        expect(pricedOperations(document)).toHaveLength(priced);
        expect(describeDocument(document).signInOperations).toBe(1 - priced);
      }),
    );
  });
});

describe('the URL of a paid operation', () => {
  const QUERY = { in: 'query', name: 'symbol', required: true };
  /** Locations of an example value for a parameter. */
  const PLACES: readonly ((value: string) => JsonObject)[] = [
    (example) => ({ ...QUERY, example }),
    (value) => ({ ...QUERY, examples: { first: { value } } }),
    (example) => ({ ...QUERY, schema: { type: 'string', example } }),
    (value) => ({ ...QUERY, schema: { type: 'string', default: value } }),
    (value) => ({ ...QUERY, schema: { enum: [value, 'other'] } }),
    (value) => ({ ...QUERY, schema: { examples: [value] } }),
    (value) => ({ ...QUERY, schema: { const: value } }),
    (value) => ({ ...QUERY, type: 'string', default: value }),
    (value) => ({ ...QUERY, type: 'string', enum: [value] }),
  ];
  const of = (own: readonly JsonObject[], shared: readonly JsonObject[] = [], more: JsonObject = {}) =>
    pricedOperations({
      ...more,
      paths: { '/q': { parameters: shared, get: { parameters: own, 'x-payment-info': INFO } } },
    })[0]?.url;

  it("has the description's own value for each required query parameter, from any location", () => {
    const value = fc.oneof(
      fc.constantFrom('ETH', 'a b', '{"a":1}', '50%', 'x&y=z', '<id>'),
      fc.string({ minLength: 1 }),
    );
    fc.assert(
      fc.property(value, fc.constantFrom(...PLACES), fc.constantFrom(0, 1, 2), (stated, place, way) => {
        fc.pre(stated.trim() !== '' && stated.isWellFormed());
        const parameter = place(stated);
        const referred = { components: { parameters: { Symbol: parameter } } };
        const url =
          way === 0
            ? of([parameter])
            : way === 1
              ? of([], [parameter])
              : of([{ $ref: '#/components/parameters/Symbol' }], [], referred);
        expect(url).toBe(`/q?symbol=${encodeURIComponent(stated)}`);
      }),
    );
  });

  it('omits parameters that are optional, without a value or overridden, and a query that is too long', () => {
    expect(
      of([
        { ...QUERY, required: false, example: 'ETH' },
        { in: 'header', name: 'h', required: true, example: '1' },
      ]),
    ).toBe('/q');
    expect(of([QUERY])).toBe('/q');
    expect(
      of(
        [{ ...QUERY, example: 'own' }],
        [
          { ...QUERY, example: 'shared' },
          { ...QUERY, name: 'b', example: true },
        ],
      ),
    ).toBe('/q?symbol=own&b=true');
    const symbol = { $ref: '#/components/schemas/Symbol' };
    expect(of([{ ...QUERY, schema: symbol }], [], { components: { schemas: { Symbol: { enum: ['BTC'] } } } })).toBe(
      '/q?symbol=BTC',
    );
    const long = Array.from({ length: 16 }, (_, i) => ({ ...QUERY, name: `p${i}`, example: 'x'.repeat(150) }));
    expect(of(long)).toBe('/q');
  });
});

describe('operations', () => {
  it('reads the query method and additional operations of OpenAPI 3.2', () => {
    const document = { paths: { '/a': { query: {}, additionalOperations: { COPY: {} }, summary: 'not a method' } } };
    expect(operations(document).map(({ method }) => method)).toEqual(['QUERY', 'COPY']);
  });

  it('prefers the server of an operation or a path to that of the document', () => {
    const document = {
      servers: [{ url: '/root' }],
      paths: {
        '/a': { servers: [{ url: '/item' }], get: {}, put: { servers: [{ url: '/own' }] } },
        '/b': { get: {} },
      },
    };
    expect(operations(document).map(({ url }) => url)).toEqual(['/item/a', '/own/a', '/root/b']);
  });
});

describe('serverUrl', () => {
  it('fills defaults into a server template and keeps variables without one', () => {
    const server = { url: 'https://{region}.example.com/{stage}', variables: { region: { default: 'eu' } } };
    expect(serverUrl({ servers: [server] })).toBe('https://eu.example.com/{stage}');
  });

  it('joins scheme, host and base path of Swagger 2.0', () => {
    expect(serverUrl({ host: 'api.example.com', basePath: '/v2', schemes: ['http', 'https'] })).toBe(
      'https://api.example.com/v2',
    );
    expect(serverUrl({ host: 'api.example.com', schemes: ['http'] })).toBe('http://api.example.com');
    expect(serverUrl({ basePath: '/v2' })).toBe('/v2');
    expect(serverUrl({})).toBeUndefined();
  });
});
