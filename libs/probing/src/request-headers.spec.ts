import { requestHeaders } from './request-headers';

const UA = 'hostprobe/0.1.9 (+https://probe.example.org/prober)';

describe('request headers', () => {
  it('are few', () => {
    expect(requestHeaders({ method: 'GET', url: '/' }, UA)).toEqual({
      'user-agent': UA,
      accept: 'application/json, */*;q=0.1',
      'accept-encoding': 'gzip, deflate, br',
    });
  });

  it('carry protocol negotiation and a JSON type for a body', () => {
    const headers = { 'MCP-Protocol-Version': '2025-11-25' };
    expect(
      requestHeaders({ method: 'POST', url: '/mcp', accept: 'text/event-stream', headers, body: '{}' }, UA),
    ).toEqual({
      'user-agent': UA,
      accept: 'text/event-stream',
      'accept-encoding': 'gzip, deflate, br',
      'content-type': 'application/json',
      'mcp-protocol-version': '2025-11-25',
    });
  });

  it.each([
    'Cookie',
    'Authorization',
    'Proxy-Authorization',
    'PAYMENT-SIGNATURE',
    'X-PAYMENT',
    'Origin',
    'Referer',
    'Host',
  ])('never include %s', (name) => {
    expect(() => requestHeaders({ method: 'GET', url: '/', headers: { [name]: 'x' } }, UA)).toThrow(
      new Error(`probes never send the header ${name.toLowerCase()}`),
    );
  });
});
