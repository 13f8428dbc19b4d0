import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { probeConfig } from '../src/probe';
import type { Terminal } from '../src/terminal/terminal';
import { paintFor } from '../src/terminal/paint';
import { DETECTOR_IDS } from '@app/detectors';
import type { HostFacts } from '@app/reports';
import { runCommand } from '../../../test/support/command-line';
import { acceptV2, base64, challengeV2 } from '../../../test/support/challenges';
import { says, startTestHost, testCaFile, type TestHost } from '../../../test/support/test-host';

const EVIL = '# \u001B[31mShop\u001B[0m \u202Eevil\n\n- [a](https://shop.example.com/a)\n';

describe('npm run probe', () => {
  let shop: TestHost;
  let env: Record<string, string>;
  beforeAll(async () => {
    shop = await startTestHost({
      '/': says('{}', { 'payment-required': base64(challengeV2([acceptV2()])) }, 402),
      '/llms.txt': says(EVIL, { 'content-type': 'text/plain' }),
    });
    env = { PROBE_CONNECT_TO: shop.as('shop.example.com'), PROBE_CA_FILE: await testCaFile() };
  });
  afterAll(() => shop.close());

  const run = (args: readonly string[], more: Partial<Terminal> = {}) => runCommand(args, { env, ...more });

  it('prints statuses, rails and fixes for a person, a line each', async () => {
    const { code, out, err } = await run(['probe', 'shop.example.com']);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^shop\.example\.com {2}https:\/\/shop\.example\.com\nAgents can pay here: /);
    for (const id of DETECTOR_IDS)
      expect(out).toMatch(new RegExp(`^${id} +(present|absent|partial|undiscoverable)`, 'm'));
    expect(out).not.toContain('sha256:');
    expect(out).toMatch(
      /^x402 exact 0\.02 USD on Base to 0x8ba1\S+ for GET https:\/\/shop\.example\.com\/ {2}payable$/m,
    );
    expect(out).toMatch(/^ {2}ucp\.missing {2}No UCP profile was found/m);
  });

  it('prints the evidence and how to fix with --verbose', async () => {
    const { out } = await run(['probe', 'shop.example.com', '--verbose']);
    expect(out).toMatch(
      /^ +GET https:\/\/shop\.example\.com\/llms\.txt -> 200 text\/plain \d+ B sha256:[0-9a-f]{12}$/m,
    );
    expect(out).toMatch(/^ucp\.missing {2}No UCP profile was found.*\n {4}\S/m);
  });

  it('probes a preview without TLS as the host it will be, and says so', async () => {
    const served: string[] = [];
    const preview = createServer(({ headers, url }, response) => {
      served.push(`${headers.host} ${url}`);
      response.writeHead(url === '/llms.txt' ? 200 : 404, { 'content-type': 'text/plain' }).end('# Shop\n');
    });
    await new Promise<void>((resolve) => preview.listen(0, '127.0.0.1', resolve));
    const { port } = preview.address() as AddressInfo;
    for (const list of [`new.example.com:80=127.0.0.1:${port}`, `new.example.com:443=http://127.0.0.1:${port}`]) {
      const { out, err } = await run(['probe', 'new.example.com', '--json', '--gate', 'llms', '--connect-to', list]);
      const { origin, protocols } = JSON.parse(out) as HostFacts;
      expect([origin, protocols.find(({ id }) => id === 'llms')?.status]).toEqual([
        'https://new.example.com',
        'present',
      ]);
      expect(err).toBe('The preview was reached over plain HTTP and judged as if it were served over HTTPS.\n');
    }
    expect(served).toContain('new.example.com /llms.txt');
    preview.closeAllConnections();
    preview.close();
  });

  it('takes the authority of a preview as a file', async () => {
    const args = ['--connect-to', shop.as('shop.example.com'), '--ca-file', env['PROBE_CA_FILE']!];
    expect((await run(['probe', 'shop.example.com', ...args], { env: {} })).out).toMatch(/^llms +present/m);
    expect(await run(['probe', 'shop.example.com', '--ca-file', '/nowhere.pem'])).toEqual({
      code: 2,
      out: '',
      err: '--ca-file must be a readable file\n',
    });
  });

  it('says of a name that is not in the DNS only that, and ends with 1', async () => {
    const shown = await run(['probe', 'nowhere-at-all.example.net']);
    expect(shown).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(/^nowhere-at-all\.example\.net: The name .*\.\n$/),
    });
    expect(await run(['probe', 'nowhere-at-all.example.net', '--json', '--gate', 'ucp'])).toEqual({
      ...shown,
      out: expect.stringMatching(/^\{/),
    });
  });

  it("removes the host's control sequences from the terminal output", async () => {
    const { out } = await run(['probe', 'shop.example.com']);
    expect(out).toContain('Shop evil');
    // eslint-disable-next-line no-control-regex
    expect(out).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202E]|\[31m/);
  });

  it('colors the statuses on a terminal', async () => {
    const { out } = await run(['probe', 'shop.example.com'], { paint: paintFor({ isTTY: true }, undefined) });
    expect(out).toContain('\u001B[32mpresent');
  });

  it('prints the report as JSON for programs', async () => {
    const { code, out } = await run(['probe', 'shop.example.com', '--json']);
    const facts = JSON.parse(out) as HostFacts;
    expect(code).toBe(0);
    expect(facts.protocols.map(({ id }) => id)).toEqual(DETECTOR_IDS);
    expect(facts.paymentRails.payable).toBe(true);
  });

  it('also prints a report for a dead host', async () => {
    const { code, out } = await run(['probe', 'dead.example.com'], {
      env: { ...env, PROBE_CONNECT_TO: 'dead.example.com:443=127.0.0.1:9,dead.example.com:80=127.0.0.1:9' },
    });
    expect(code).toBe(0);
    expect(out).toMatch(/^dead\.example\.com .*\nThe host refuses connections on port 443\.$/m);
    expect(out).toContain('\nStart the web server');
  });

  it('rejects an invalid domain with one sentence and exit code 3', async () => {
    const { code, out, err } = await run(['probe', '10.0.0.1']);
    expect([code, out]).toEqual([3, '']);
    expect(err.split('\n')[0]).toMatch(/\w/);
  });

  it('reads the variables that the image sets', () => {
    const [, set] = /^ENV ((?:.*\\\n)*.*)$/m.exec(readFileSync('Dockerfile', 'utf8'))!;
    const pairs = [...set!.matchAll(/(\w+)="?([^\s"]+)/g)].map(([, name, value]) => [name!, value!] as const);
    const ofImage = Object.fromEntries<string>(pairs);
    expect(ofImage).toMatchObject({ NODE_ENV: 'production', HOST: '0.0.0.0' });
    expect(probeConfig(ofImage).probing).toMatchObject({ connectTo: '', caFile: null });
  });

  it('names an invalid variable and exits with 2', async () => {
    const { code, err } = await run(['probe', 'shop.example.com'], { env: { ...env, NODE_ENV: 'production' } });
    expect([code, err]).toEqual([2, expect.stringMatching(/PROBE_CONNECT_TO .* not allowed/)]);
  });
});
