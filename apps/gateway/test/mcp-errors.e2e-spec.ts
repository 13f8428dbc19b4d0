import { Client as McpClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client } from 'pg';
import { PAYEE } from '../../../test/support/challenges';
import { asMeta, callTool, mcpUrl, NATIVE, post, type RpcReply } from '../../../test/support/mcp';
import { newPayer, signPayment } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';

const RECEIPT = { tx: `0x${'ab'.repeat(32)}`, payTo: PAYEE, amount: '1' };
describe('the MCP endpoint of a service without a worker', () => {
  let service: Service;

  beforeEach(async () => {
    service = await startService({ worker: false, env: { LOG_LEVEL: 'silent' } });
  });
  afterEach(() => service.stop());

  it('can be paid in _meta by an official client, if no worker is needed', async () => {
    const payer = await newPayer();
    const client = new McpClient(
      { name: 'test', version: '1.0.0' },
      { versionNegotiation: { mode: { pin: '2026-07-28' } } },
    );
    await client.connect(new StreamableHTTPClientTransport(new URL(mcpUrl(service))));
    await client.listTools();
    const header = await signPayment(payer, await callTool(service, 'verify_receipt', RECEIPT));
    const paid = await client.callTool({ name: 'verify_receipt', arguments: RECEIPT, _meta: asMeta(header) });
    expect(paid).toMatchObject({
      structuredContent: { sku: 'receipt_verify', data: { verdict: 'not_found' } },
      _meta: { 'x402/payment-response': { success: true } },
    });
    expect(await payer.balance()).toBe(999_000n);
    await client.close();
  });

  it.each([
    { method: 'tools/call' },
    { method: 'tools/call', params: {} },
    { method: 'tools/call', params: { name: 5 } },
    { method: 'tools/call', params: { name: 'lookup_host', arguments: 'x' } },
    { method: 'tools/list', params: { cursor: 5 } },
    { method: 'initialize' },
    { method: 'initialize', params: { protocolVersion: 7 } },
  ])('says in its own words that %j is not an MCP message', async (message) => {
    for (const headers of [{}, NATIVE]) {
      const answer = await post(service, { jsonrpc: '2.0', id: 1, ...message }, headers);
      const { error } = (await answer.json()) as RpcReply['body'];
      expect(error).toEqual({
        code: -32602,
        message: 'The params of this message are not valid for MCP.',
        data: { code: 'invalid_request', requestId: answer.headers.get('request-id') },
      });
    }
  });

  it('reports an unknown method as MCP requires', async () => {
    for (const method of ['subscriptions/listen', 'prompts/list']) {
      const answer = await post(service, { jsonrpc: '2.0', id: 1, method }, { 'request-id': 'order-2026_11' });
      const { error } = (await answer.json()) as RpcReply['body'];
      expect(error).toMatchObject({ code: -32601, message: 'Method not found', data: { requestId: 'order-2026_11' } });
    }
  });

  it('answers an internal error without its message', async () => {
    const database = new Client({ connectionString: service.config.database.url });
    await database.connect();
    await database.query('ALTER TABLE host RENAME TO mislaid');
    await database.end();
    for (const headers of [{}, NATIVE]) {
      const { status, body } = await callTool(service, 'lookup_host', { domain: 'shop.example.com' }, { headers });
      expect(status).toBe(500);
      expect(body).toMatchObject({ id: 1, error: { code: -32603, message: 'Internal error.' } });
      expect(body.error?.data).toEqual({ code: 'internal_error', requestId: expect.any(String) });
    }
  });
});
