import fc from 'fast-check';
import type { JsonObject } from '../formats/json';
import { describe as describeDocument } from './description';
import { operations, pricedOperations, serverUrl } from './priced-operations';

const INFO = { price: { mode: 'fixed', currency: 'USD', amount: '0.01' }, protocols: [{ x402: {} }] };

describe('pricedOperations', () => {
  it('names method, path, address and price of each operation that states one', () => {
    const document = {
      servers: [{ url: 'https://api.shop.example.com/v1/' }],
      paths: {
        '/lamps': { get: { summary: 'free' }, post: { 'x-payment-info': INFO } },
        '/lamps/{id}': { parameters: [], get: { 'x-payment-info': INFO } },
      },
    };
    expect(pricedOperations(document)).toEqual([
      { method: 'POST', path: '/lamps', url: 'https://api.shop.example.com/v1/lamps', paymentInfo: INFO },
      { method: 'GET', path: '/lamps/{id}', url: 'https://api.shop.example.com/v1/lamps/{id}', paymentInfo: INFO },
    ]);
  });

  it('finds nothing in a price that is not an object, in webhooks, or in a document of the wrong shape', () => {
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

  it('is paid unless it only wants a sign-in, whatever answers it documents', () => {
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

describe('operations', () => {
  it('reads the query method and additional operations of OpenAPI 3.2', () => {
    const document = { paths: { '/a': { query: {}, additionalOperations: { COPY: {} }, summary: 'not a method' } } };
    expect(operations(document).map(({ method }) => method)).toEqual(['QUERY', 'COPY']);
  });

  it('lets the server of an operation or a path win over that of the document', () => {
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
  it('puts the defaults into a server template and keeps a variable without one', () => {
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
