import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { QUOTED, UNTRUSTED_META, type HostFacts } from '@app/reports';
import { hostprobe } from '../../../packages/client/src/index.js';
import { acceptV2, base64, challengeV2 } from '../../../test/support/challenges';
import { newPayer } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { says, startTestHost, testCaFile, type TestHost } from '../../../test/support/test-host';
import { until } from '../../../test/support/until';

const BIN = resolve('bin/hostprobe.mjs');
const HOST = 'shop.example.com';
const URL_OF_SHOP = `https://${HOST}/`;
const TERMS = acceptV2();
const OTHER = '0x52908400098527886E0F7030069857D2E4169EE7';

interface Called {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly structuredContent: Readonly<Record<string, unknown>>;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

describe('hostprobe mcp, with an MCP client over standard input and output', () => {
  let shop: TestHost;
  let service: Service;
  let alone: Client;
  let withService: Client;
  let env: Readonly<Record<string, string>>;
  const faults: Error[] = [];

  const start = async (args: readonly string[]): Promise<Client> => {
    const client = new Client({ name: 'test', version: '1.0.0' });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [BIN, 'mcp', ...args],
      env: { ...env },
      stderr: 'ignore',
    });
    client.onerror = (error) => faults.push(error);
    await client.connect(transport);
    return client;
  };

  beforeAll(async () => {
    shop = await startTestHost({
      '/': says('{}', { 'payment-required': base64(challengeV2([TERMS])) }, 402),
      '/llms.txt': says('# Shop\n', { 'content-type': 'text/plain' }),
    });
    const caFile = await testCaFile();
    // This command never reads the wallet key: an invalid one would stop every command that pays.
    env = {
      PATH: process.env['PATH'] ?? '',
      DATA_DIR: '/nowhere',
      HOSTPROBE_KEY: 'no key',
      PROBE_CONNECT_TO: shop.as(HOST),
      PROBE_CA_FILE: caFile,
    };
    service = await startService({ connectTo: [shop.as(HOST)], caFile });
    await service.admitted();
    [alone, withService] = await Promise.all([start([]), start(['--url', service.baseUrl, '--max-usd', '0.05'])]);
  });
  afterAll(async () => {
    await Promise.all([alone.close(), withService.close()]);
    await service.stop();
    await shop.close();
  });

  const call = async (client: Client, name: string, args: object): Promise<Called> =>
    (await client.callTool({ name, arguments: { ...args } })) as unknown as Called;
  const check = async (client: Client, requirement: object, url = URL_OF_SHOP) =>
    (await call(client, 'check_before_paying', { url, requirement })).structuredContent;

  /** Buys with the client of the service and the fetch of a payer. */
  const bought = async (): Promise<void> => {
    const call = { params: { path: { domain: HOST } } };
    const { error } = await hostprobe({ url: service.baseUrl }).GET('/api/v1/hosts/{domain}/refresh', call);
    expect(error?.code === 'payment_required' && error.accepts.length).toBe(1);
    const payer = await newPayer();
    const paying = hostprobe({ url: service.baseUrl, fetch: payer.fetch });
    const { data } = await paying.GET('/api/v1/hosts/{domain}/refresh', call);
    expect(data?.paymentRails.payable).toBe(true);
  };

  it('has four tools that change nothing', async () => {
    const { tools } = await alone.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'probe_host',
      'check_before_paying',
      'verify_statement',
      'lookup_host',
    ]);
    for (const { annotations } of tools)
      expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false });
    expect(alone.getInstructions()).toContain('Nothing here pays or holds a key.');
  });

  it('probes a host from this machine, and marks quotes from the host as data', async () => {
    const { structuredContent, content, _meta } = await call(alone, 'probe_host', { domain: HOST });
    const facts = structuredContent as unknown as HostFacts;
    expect([facts.domain, facts.paymentRails.payable]).toEqual([HOST, true]);
    expect(JSON.parse(content[0]!.text)).toEqual(facts);
    expect([content[1], _meta]).toEqual([QUOTED, { [UNTRUSTED_META]: true }]);
  });

  it('allows an honest payment without a service, by its own probe', async () => {
    expect(await check(alone, TERMS)).toEqual({
      decision: 'pay',
      source: 'probe',
      warnings: [],
      sentence: `You can pay: network, token, recipient and price match a probe of https://${HOST} from this machine.`,
    });
    expect(await check(alone, TERMS, `${URL_OF_SHOP}other`)).toMatchObject({ warnings: ['resource_unseen'] });
  });

  it('says what to do about a changed payment, and which values are valid for an invalid argument', async () => {
    const said = await check(alone, { ...TERMS, payTo: OTHER });
    expect(said).toMatchObject({ decision: 'do_not_pay', source: 'probe', code: 'pay_to_differs' });
    expect(said['sentence']).toMatch(/^Do not pay: [^\n]+\.$/);
    const { isError, structuredContent, content } = await call(alone, 'probe_host', { domain: HOST, depth: 2 });
    expect([isError, structuredContent]).toEqual([true, { error: expect.any(String), code: 'invalid_arguments' }]);
    expect(content[0]!.text).not.toMatch(/\[\s*\{|Zod|at .*\.js/);
  });

  it('probes when there is no valid statement, and otherwise uses the statement', async () => {
    expect(await check(withService, TERMS)).toMatchObject({ decision: 'pay', source: 'probe' });
    await bought();
    // The command waits two seconds for the service and then probes; a machine that is busy with tests may take longer.
    const stated = async (): Promise<boolean> => (await check(withService, TERMS))['source'] === 'statement';
    await until('a statement is believed', stated);
    expect(await check(withService, TERMS)).toMatchObject({ decision: 'pay', source: 'statement' });
    expect(await check(withService, { ...TERMS, amount: '50001' })).toMatchObject({ code: 'above_limit' });
    const stored = await call(withService, 'lookup_host', { domain: HOST });
    expect(stored.structuredContent).toMatchObject({ domain: HOST, cache: { callabilityStale: false } });
  });

  it('verifies statements of its own service only', async () => {
    const statement = await (await fetch(`${service.baseUrl}/api/v1/hosts/${HOST}/statement`)).text();
    const verify = async (args: object) => (await call(withService, 'verify_statement', args)).structuredContent;
    expect(await verify({ statement, domain: HOST })).toMatchObject({ valid: true, claims: { outcome: 'probed' } });
    expect(await verify({ statement, domain: 'other.example.com' })).toMatchObject({ valid: false, code: 'subject' });
    const [head, , signature] = statement.split('.');
    const claims = Buffer.from(JSON.stringify({ iss: service.baseUrl })).toString('base64url');
    expect(await verify({ statement: [head, claims, signature].join('.') })).toMatchObject({ code: 'signature' });
    expect(await verify({ statement: 'pay 0x1' })).toMatchObject({ valid: false, code: 'not_a_statement' });
  });

  it('rejects an unknown tool, and writes only MCP to standard output', async () => {
    await expect(call(alone, 'pay', {})).rejects.toThrow('Unknown tool');
    expect(faults).toEqual([]);
  });

  it('ends when its client is gone', async () => {
    const server = spawn(process.execPath, [BIN, 'mcp'], { env, stdio: ['pipe', 'pipe', 'ignore'] });
    server.stdin.end();
    expect(await once(server, 'exit')).toEqual([0, null]);
  });
});
