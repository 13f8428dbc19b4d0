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
