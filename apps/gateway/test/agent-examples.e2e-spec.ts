import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from 'viem/accounts';
import { npm } from '../../../test/support/installed-package';
import { acceptV2, base64, challengeV2 } from '../../../test/support/challenges';
import { balanceOf, fund, newPayer } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { stack } from '../../../test/support/stack';
import { startTestHost, testCaFile, type Route, type TestHost } from '../../../test/support/test-host';

const HOST = 'shop.example.com';
const URL_OF_SHOP = `https://${HOST}/`;
const PRICE = 20_000n;
const EXAMPLES = resolve('examples');

/** A host that sells its home page at the current `terms`, through the test facilitator. */
function sells(terms: () => object): Route {
  const ask = async (path: string, header: string): Promise<Response> => {
    const paymentPayload = JSON.parse(Buffer.from(header, 'base64').toString()) as unknown;
    const body = JSON.stringify({ x402Version: 2, paymentPayload, paymentRequirements: terms() });
    return fetch(`${stack().facilitatorUrl}${path}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
  };
  return (request, response) => {
    const header = request.headers['payment-signature'];
    if (typeof header !== 'string') {
      const challenge = challengeV2([{ ...terms() }], { resource: { url: URL_OF_SHOP } });
      response.writeHead(402, { 'payment-required': base64(challenge) }).end('{}');
      return;
    }
    void ask('/settle', header)
      .then((settled) => settled.json())
      .then((settled) => response.end((settled as { readonly success: boolean }).success ? 'a quote' : 'not settled'));
  };
}

describe('the examples for agents', () => {
  const buyer = generatePrivateKey();
  const payTo = privateKeyToAddress(generatePrivateKey());
  const honest = acceptV2({ payTo });
  let terms: object = honest;
  let shop: TestHost;
  let service: Service;
  let env: Readonly<Record<string, string>>;

  beforeAll(async () => {
    if (!existsSync('examples/node_modules') || !existsSync('packages/guard/dist'))
      npm('.', 'run', '--silent', 'examples:install');

    shop = await startTestHost({ '/': sells(() => terms) });
    const caFile = await testCaFile();
    service = await startService({ connectTo: [shop.as(HOST)], caFile });
    await service.admitted();
    const { fetch: paying } = await newPayer();
    expect((await paying(`${service.baseUrl}/api/v1/hosts/${HOST}/refresh`)).status).toBe(200);
    await fund(privateKeyToAccount(buyer).address, 10n * PRICE);
    env = {
      PATH: process.env['PATH'] ?? '',
      HOSTPROBE_URL: service.baseUrl,
      WALLET_KEY: buyer,
      SHOP_PORT: String(shop.port),
      NODE_EXTRA_CA_CERTS: caFile,
      PROBE_CONNECT_TO: shop.as(HOST),
      PROBE_CA_FILE: caFile,
    };
  });
  afterAll(async () => {
    await service.stop();
    await shop.close();
  });

  const run = async (file: string): Promise<string> => {
    const args = ['--import', './test/reach.mjs', file, URL_OF_SHOP];
    return (await promisify(execFile)(process.execPath, args, { cwd: EXAMPLES, env })).stdout.trim();
  };

  it.each([
    ['x402-fetch.mjs', '200 a quote', 'not paid: pay_to_differs'],
    ['test/ai-sdk.mjs', `${HOST} a quote done`, `${HOST} not paid: pay_to_differs done`],
    ['test/langchain.mjs', 'a quote done', 'not paid: pay_to_differs done'],
  ])('%s buys from an honest host, but not from a host that names another recipient', async (file, bought, refused) => {
    const [held, stranger] = [await balanceOf(payTo), privateKeyToAddress(generatePrivateKey())] as const;
    terms = honest;
    expect(await run(file)).toBe(bought);
    expect((await balanceOf(payTo)) - held).toBe(PRICE);
    terms = acceptV2({ payTo: stranger });
    expect(await run(file)).toBe(refused);
    expect([await balanceOf(payTo), await balanceOf(stranger)]).toEqual([held + PRICE, 0n]);
  });

  it('the desktop client configuration starts a server that checks payments', async () => {
    const { mcpServers } = JSON.parse(readFileSync('examples/mcp-desktop.json', 'utf8')) as {
      readonly mcpServers: Readonly<
        Record<'hostprobe', { readonly command: string; readonly args: readonly string[] }>
      >;
    };
    const { command, args } = mcpServers.hostprobe;
    const here = args.map((arg) => arg.replace('/path/to/hostprobe', process.cwd()));
    const client = new Client({ name: 'desktop', version: '1.0.0' });
    await client.connect(new StdioClientTransport({ command, args: here, env: { ...env }, stderr: 'ignore' }));
    const check = async (requirement: object) => {
      const call = { name: 'check_before_paying', arguments: { url: URL_OF_SHOP, requirement } };
      return (await client.callTool(call)).structuredContent;
    };
    terms = honest;
    expect(await check(honest)).toMatchObject({ decision: 'pay' });
    expect(await check({ ...honest, amount: '50001' })).toMatchObject({ decision: 'do_not_pay', code: 'above_limit' });
    await client.close();
  });
});
