import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as FirstLineClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstLineTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { callMessage, callTool, mcpUrl, post } from '../../../test/support/mcp';
import { newPayer } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { says, startTestHost, type TestHost } from '../../../test/support/test-host';

const INFO = { name: 'test', version: '1.0.0' };
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': INFO,
  'io.modelcontextprotocol/clientCapabilities': {},
};
const TOOL_NAMES = [
  'lookup_host',
  'participation_check',
  'list_changes',
  'find_payable',
  'refresh_host',
  'refresh_host_protocol',
  'refresh_hosts_batch',
  'pay_preflight',
  'endpoint_health',
  'payto_check',
  'verify_receipt',
];

describe('the MCP endpoint', () => {
  let service: Service;
  let shop: TestHost;

  beforeAll(async () => {
    shop = await startTestHost({ '/llms.txt': says('# Shop\n', { 'content-type': 'text/plain' }) });
    service = await startService({
      connectTo: [shop.as('shop.example.com')],
    });
    await service.admitted();
  });
  afterAll(async () => {
    await service.stop();
    await shop.close();
  });

  const rpc = async (message: unknown, headers: Record<string, string> = {}) => {
    const response = await post(service, message, headers);
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
  };

  describe('for the clients of the official SDKs', () => {
    it.each([
      ['2026-07-28 without a handshake', { mode: { pin: '2026-07-28' } } as const, '2026-07-28'],
      ['2025-11-25 with initialize', { mode: 'legacy' } as const, '2025-11-25'],
    ])('supports %s with SDK version 2', async (_, versionNegotiation, version) => {
      const client = new Client(INFO, { versionNegotiation });
      await client.connect(new StreamableHTTPClientTransport(new URL(mcpUrl(service))));
      expect(client.getNegotiatedProtocolVersion()).toBe(version);
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(TOOL_NAMES);
      const probed = await client.callTool({ name: 'lookup_host', arguments: { domain: 'shop.example.com' } });
      expect(probed.structuredContent).toMatchObject({ domain: 'shop.example.com' });
      const unpaid = await client.callTool({ name: 'refresh_host', arguments: { domain: 'shop.example.com' } });
      expect(unpaid).toMatchObject({ isError: true, structuredContent: { x402Version: 2, sku: 'host_refresh' } });
      await client.close();
    });

    it('supports SDK version 1, whose client validates every result against the output schema', async () => {
      const client = new FirstLineClient(INFO);
      await client.connect(new FirstLineTransport(new URL(mcpUrl(service))));
      await client.listTools();
      const probed = await client.callTool({ name: 'participation_check', arguments: { domain: 'shop.example.com' } });
      expect(probed['structuredContent']).toMatchObject({ domain: 'shop.example.com' });
      const unpaid = await client.callTool({ name: 'refresh_host', arguments: { domain: 'shop.example.com' } });
      expect(unpaid).toMatchObject({ isError: true, structuredContent: { x402Version: 2, priceUsd: 0.02 } });
      await client.close();
    });

    it('is paid by a client whose HTTP layer pays', async () => {
      const payer = await newPayer();
      const client = new FirstLineClient(INFO);
      await client.connect(new FirstLineTransport(new URL(mcpUrl(service)), { fetch: withoutVersion(payer.fetch) }));
      const paid = await client.callTool({
        name: 'refresh_host_protocol',
        arguments: { domain: 'shop.example.com', protocol: 'llms' },
      });
      expect(paid).toMatchObject({ structuredContent: { protocol: 'llms', cell: { status: 'present' } } });
      expect(await payer.balance()).toBe(995_000n);
      await client.close();
    });
  });

  describe('for a plain JSON-RPC client', () => {
    it('answers calls without a handshake', async () => {
      const { status, headers, body } = await callTool(service, 'lookup_host', { domain: 'shop.example.com' });
      expect(status).toBe(200);
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(body).toMatchObject({ jsonrpc: '2.0', id: 1 });
      expect(body.result?.structuredContent).toEqual(JSON.parse(body.result!.content[0]!.text));
    });

    it('is paid by @x402/fetch', async () => {
      const payer = await newPayer();
      const message = callMessage('refresh_host', { domain: 'shop.example.com' });
      const response = await post(service, message, {}, payer.fetch);
      expect(response.status).toBe(200);
      expect(response.headers.get('payment-response')).not.toBeNull();
      expect(await response.json()).toMatchObject({
        result: {
          structuredContent: { domain: 'shop.example.com', reachable: true },
          _meta: { 'x402/payment-response': { success: true, network: 'eip155:8453' } },
        },
      });
      expect(await payer.balance()).toBe(980_000n);
    });
  });

  describe('as the transport requires', () => {
    it.each(['GET', 'DELETE'])('answers %s with 405', async (method) => {
      const response = await fetch(mcpUrl(service), { method });
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe('POST');
      expect(await response.json()).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32000 } });
    });

    it('accepts notifications without an answer body', async () => {
      const { status, body } = await rpc({ jsonrpc: '2.0', method: 'notifications/initialized' });
      expect([status, body]).toEqual([202, undefined]);
    });

    it('supports discovery in 2026-07-28 and the handshake in 2025-11-25', async () => {
      const discovered = await rpc(
        { jsonrpc: '2.0', id: 'd', method: 'server/discover', params: { _meta: ENVELOPE } },
        { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'server/discover' },
      );
      expect(discovered.body).toMatchObject({ id: 'd', result: { supportedVersions: ['2026-07-28'] } });
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: INFO };
      const initialized = await rpc({ jsonrpc: '2.0', id: 2, method: 'initialize', params });
      expect(initialized.headers.get('mcp-session-id')).toBeNull();
      expect(initialized.body).toMatchObject({
        id: 2,
        result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'hostprobe' } },
      });
    });

    it.each([
      ['a batch', [{ jsonrpc: '2.0', id: 1, method: 'ping' }], {}, 400, -32600],
      ['no message', { hello: 'there' }, {}, 400, -32600],
      ['an unknown method', { jsonrpc: '2.0', id: 1, method: 'resources/list' }, {}, 200, -32601],
      [
        'an unknown protocol version',
        { jsonrpc: '2.0', id: 1, method: 'ping' },
        { 'mcp-protocol-version': '1999-01-01' },
        400,
        -32000,
      ],
      [
        'a subscription',
        { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: { _meta: ENVELOPE } },
        { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' },
        404,
        -32601,
      ],
      [
        'headers that contradict the body',
        callMessage('lookup_host', { domain: 'example.com' }, ENVELOPE),
        { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'refresh_host' },
        400,
        -32020,
      ],
      ['a foreign Origin', { jsonrpc: '2.0', id: 1, method: 'ping' }, { origin: 'https://evil.example' }, 403, -32000],
      ['another type', { jsonrpc: '2.0', id: 1, method: 'ping' }, { 'content-type': 'text/plain' }, 415, -32000],
    ])('refuses %s', async (_, message, headers, status, code) => {
      const refused = await rpc(message, headers);
      expect(refused.status).toBe(status);
      expect(refused.body).toMatchObject({ jsonrpc: '2.0', error: { code } });
    });

    it.each([
      ['broken JSON', '{"jsonrpc":', 400, -32700, 'bad_request'],
      ['more than 64 KiB', JSON.stringify({ x: 'y'.repeat(70_000) }), 413, -32000, 'body_too_large'],
    ])('refuses %s before reading it', async (_, body, status, code, ours) => {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(mcpUrl(service), { method: 'POST', headers, body });
      expect(response.status).toBe(status);
      expect(await response.json()).toMatchObject({ jsonrpc: '2.0', id: null, error: { code, data: { code: ours } } });
    });

    it('can be called from a web page on its own machine', async () => {
      const { status, headers } = await rpc(
        { jsonrpc: '2.0', id: 1, method: 'ping' },
        { origin: 'http://localhost:5173' },
      );
      expect(status).toBe(200);
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('access-control-expose-headers')).toContain('PAYMENT-REQUIRED');
    });
  });
});

/** Removes the header that identifies an MCP client, as for a plain client. */
function withoutVersion(via: typeof fetch): typeof fetch {
  return (input, init) => {
    const headers = new Headers(init?.headers);
    headers.delete('mcp-protocol-version');
    return via(input, { ...init, headers });
  };
}
