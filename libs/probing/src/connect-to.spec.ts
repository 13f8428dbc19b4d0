import { parseConnectTo } from './connect-to';

describe('the connect-to list', () => {
  it('reads entries separated by commas', () => {
    expect([...parseConnectTo(' Shop.example.com:443=127.0.0.1:8443, a.example.com:80=[::1]:8080,')]).toEqual([
      ['shop.example.com:443', { address: '127.0.0.1', port: 8443 }],
      ['a.example.com:80', { address: '::1', port: 8080 }],
    ]);
    expect(parseConnectTo('').size).toBe(0);
  });

  it('reads an address that has no TLS', () => {
    expect(parseConnectTo('shop.example.com:443=http://127.0.0.1:8080').get('shop.example.com:443')).toEqual({
      address: '127.0.0.1',
      port: 8080,
      plain: true,
    });
  });

  it.each([
    'shop.example.com',
    'shop.example.com:443=localhost:8443',
    'shop.example.com:443=127.0.0.1',
    'shop.example.com:0=127.0.0.1:1',
    'shop.example.com:443=127.0.0.1:65536',
    'shop.example.com:443=::1:8443',
    '*:443=127.0.0.1:8443',
    'shop.example.com:443=https://127.0.0.1:8443',
  ])('rejects %p, naming only its position', (entry) => {
    expect(() => parseConnectTo(`ok.example.com:443=127.0.0.1:1,${entry}`)).toThrow(
      new Error('connect-to entry 2 must have the form host:port=address:port'),
    );
  });
});
