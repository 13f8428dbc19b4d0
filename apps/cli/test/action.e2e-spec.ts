import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { load } from 'js-yaml';
import { says, startTestHost, testCaFile, type TestHost } from '../../../test/support/test-host';

const ACTION = resolve('.github/actions/hostprobe');
const HOST = 'shop.example.com';

interface Step {
  readonly id?: string;
  readonly name?: string;
  readonly run?: string;
}

const { steps } = (load(readFileSync(join(ACTION, 'action.yml'), 'utf8')) as { runs: { steps: readonly Step[] } }).runs;

/** Installs the package from the tarball only, as the action does. */
function installed(): string {
  const runnerTemp = mkdtempSync(join(tmpdir(), 'hostprobe-action-'));
  const PACKAGE = execFileSync('node', ['scripts/pack-cli.mjs', runnerTemp], { encoding: 'utf8' }).trim();
  const script = steps.find(({ name }) => name === 'Install hostprobe')!.run!;
  const env = { ...process.env, RUNNER_TEMP: runnerTemp, PACKAGE, npm_config_offline: 'true' };
  execFileSync('bash', ['-e', '-c', script], { env, stdio: 'pipe' });
  return runnerTemp;
}

describe('the GitHub Action, with the packed command line', () => {
  const runnerTemp = installed();
  const comment = join(runnerTemp, 'hostprobe-comment.md');
  let deployed: TestHost;
  let changed: TestHost;
  let caFile: string;

  beforeAll(async () => {
    deployed = await startTestHost({ '/llms.txt': says('# Shop\n') });
    changed = await startTestHost({
      '/openapi.json': says('{"openapi":"3.1.0","info":{"title":"@all | `x`","version":"1"},"paths":{}}'),
    });
    caFile = await testCaFile();
  });
  afterAll(() => Promise.all([deployed.close(), changed.close()]));

  const run = (command: readonly string[], env: Readonly<Record<string, string>>) =>
    new Promise<{ readonly code: number; readonly err: string }>((done) => {
      const [file = '', ...args] = command;
      execFile(file, args, { env: { PATH: process.env['PATH'] ?? '', ...env } }, (error, _out, err) => {
        done({ code: error ? Number(error.code) : 0, err });
      });
    });
  const probe = async (inputs: Readonly<Record<string, string>>) => {
    const output = join(runnerTemp, 'output');
    writeFileSync(output, '');
    const script = steps.find(({ id }) => id === 'probe')!.run!;
    const { code, err } = await run(['bash', '-e', '-o', 'pipefail', '-c', script], {
      RUNNER_TEMP: runnerTemp,
      GITHUB_OUTPUT: output,
      DOMAIN: HOST,
      GATE: '',
      CONNECT_TO: '',
      CA_FILE: '',
      SARIF: join(runnerTemp, 'hostprobe.sarif'),
      PROBE_CONNECT_TO: deployed.as(HOST),
      PROBE_CA_FILE: caFile,
      ...inputs,
    });
    return { code, err, output: readFileSync(output, 'utf8') };
  };

  it('is one file and its licences: no dependencies, no build, and less than 5 MB', () => {
    const modules = join(runnerTemp, 'hostprobe/node_modules');
    expect(readdirSync(modules).filter((name) => !name.startsWith('.'))).toEqual(['hostprobe']);
    const files = readdirSync(join(modules, 'hostprobe'));
    expect(files.sort()).toEqual(['LICENSE', 'LICENSES.txt', 'README.md', 'hostprobe.cjs', 'package.json']);
    const sizes = files.map((name) => statSync(join(modules, 'hostprobe', name)).size);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(5_000_000);
    const manifest = readFileSync(join(modules, 'hostprobe/package.json'), 'utf8');
    expect(Object.keys(JSON.parse(manifest) as object)).not.toEqual(
      expect.arrayContaining(['dependencies', 'scripts']),
    );
    expect(readFileSync(join(modules, 'hostprobe/LICENSES.txt'), 'utf8')).toMatch(/^undici [\d.]+ \(MIT\)$/m);
  });

  it('has every command but those of the operator', async () => {
    const hostprobe = join(runnerTemp, 'hostprobe/node_modules/.bin/hostprobe');
    expect(await run([hostprobe, '--help'], {})).toEqual({ code: 0, err: '' });
    const away = await run([hostprobe, 'refresh', HOST, '--url', 'http://127.0.0.1:9'], {});
    expect(away).toEqual({ code: 4, err: expect.stringContaining('cannot reach') });
    const { err } = await run([hostprobe, 'ledger', 'check'], {});
    expect(err).toBe('hostprobe: this command is not in the packed command line; run it in a clone of hostprobe\n');
  });

  it('serves an MCP client the tools that the manifest of its bundle lists', async () => {
    const { tools, server } = JSON.parse(readFileSync('apps/cli/manifest.json', 'utf8')) as {
      tools: readonly { name: string; description: string }[];
      server: { mcp_config: { args: readonly string[] } };
    };
    const settings: Readonly<Record<string, string>> = {
      '${__dirname}/server': join(runnerTemp, 'hostprobe/node_modules/hostprobe'),
      '${user_config.max_usd}': '1',
    };
    const filled = (arg: string) =>
      Object.entries(settings).reduce((said, [name, value]) => said.replace(name, value), arg);
    const client = new Client({ name: 'test', version: '1.0.0' });
    const args = server.mcp_config.args.map(filled);
    await client.connect(new StdioClientTransport({ command: process.execPath, args, env: { HOSTPROBE_URL: '' } }));
    const listed = (await client.listTools()).tools.map(({ name, title }) => ({
      name,
      description: `${title ?? ''}.`,
    }));
    await client.close();
    expect(listed).toEqual(tools);
  });

  it('probes the deployed host, checks the gate, and writes findings and a comment', async () => {
    expect(await probe({ GATE: 'llms' })).toEqual({ code: 0, err: expect.any(String), output: 'exit-code=0\n' });
    expect(readFileSync(comment, 'utf8')).toMatch(/^<!-- hostprobe shop\.example\.com -->\n/);
    expect(readFileSync(comment, 'utf8')).toContain('| `llms` | present |');
    expect(readFileSync(comment, 'utf8')).toContain('The gate passed: `llms` is present.');
    const sarif = JSON.parse(readFileSync(join(runnerTemp, 'hostprobe.sarif'), 'utf8')) as { version: string };
    expect(sarif.version).toBe('2.1.0');
  });

  it('reports what changes for agents, and fails with the gate', async () => {
    const { code, err, output } = await probe({ GATE: 'llms', CONNECT_TO: changed.as(HOST) });
    expect([code, output]).toEqual([1, 'exit-code=1\n']);
    expect(err).toContain('gate: shop.example.com: llms is absent');
    const said = readFileSync(comment, 'utf8');
    expect(said).toContain('| `llms` | present | absent |');
    expect(said).toContain('| `openapi` | absent | present |');
    expect(said).toMatch(/^- new: `llms\.missing`/m);
    expect(said).toMatch(/^- no longer reported: `openapi\.missing`$/m);
    expect(said).not.toContain('| `ucp` |');
  });

  it('probes a preview without TLS, or under an authority of its own, and says why one cannot be checked', async () => {
    const preview = createServer(({ url }, response) => {
      response.writeHead(url === '/llms.txt' ? 200 : 404, { 'content-type': 'text/plain' }).end('# Shop\n');
    });
    await new Promise<void>((listening) => preview.listen(0, '127.0.0.1', listening));
    const { port } = preview.address() as AddressInfo;
    await probe({ GATE: 'llms', CONNECT_TO: `${HOST}:443=http://127.0.0.1:${port}` });
    preview.closeAllConnections();
    preview.close();
    expect(readFileSync(comment, 'utf8')).toContain('The gate passed: `llms` is present.');
    expect(readFileSync(comment, 'utf8')).toMatch(
      /reached over plain HTTP and judged as if it were served over HTTPS\.\n$/,
    );

    const own = { GATE: 'llms', CONNECT_TO: deployed.as(HOST), PROBE_CONNECT_TO: '', PROBE_CA_FILE: '' };
    expect((await probe({ ...own, CA_FILE: caFile })).code).toBe(0);
    expect((await probe(own)).code).toBe(7);
    expect(readFileSync(comment, 'utf8')).toContain('Nothing could be checked. Clients do not trust the issuer');
  });

  it('says that nothing changes, and rejects an invalid connect-to as a usage error', async () => {
    expect((await probe({ CONNECT_TO: deployed.as(HOST) })).code).toBe(0);
    expect(readFileSync(comment, 'utf8')).toContain('No change for agents.');
    expect((await probe({ CONNECT_TO: '$(touch /tmp/x)' })).output).toBe('exit-code=2\n');
  });

  it.each([{ DOMAIN: 'no host name' }, { CONNECT_TO: 'nothing' }, { GATE: 'no-protocol' }])(
    'removes the files of an earlier step when it does not probe: %j',
    async (inputs) => {
      await probe({});
      expect(existsSync(comment)).toBe(true);
      expect((await probe(inputs)).output).toMatch(/^exit-code=[23]\n$/);
      expect([comment, join(runnerTemp, 'hostprobe.sarif')].map((file) => existsSync(file))).toEqual([false, false]);
    },
  );

  it('packs the command line of its own commit unless it gets a package, and never installs one by name', () => {
    const script = steps.find(({ name }) => name === 'Install hostprobe')!.run!;
    const { inputs } = load(readFileSync(join(ACTION, 'action.yml'), 'utf8')) as {
      inputs: Readonly<Record<string, { readonly default?: string }>>;
    };
    expect(inputs['package']!.default).toBe('');
    const folder = mkdtempSync(join(tmpdir(), 'hostprobe-own-'));
    // All tests here share one build.
    for (const name of ['npm', 'npx', 'node']) {
      writeFileSync(join(folder, name), `#!/bin/sh\necho "$PWD: ${name} $*" >> ${folder}/asked\necho own.tgz\n`, {
        mode: 0o755,
      });
    }
    const env = {
      PATH: `${folder}:${process.env['PATH']}`,
      RUNNER_TEMP: folder,
      GITHUB_ACTION_PATH: ACTION,
      PACKAGE: '',
    };
    execFileSync('bash', ['-e', '-c', script], { env, stdio: 'pipe' });
    const asked = readFileSync(join(folder, 'asked'), 'utf8').trim().split('\n');
    expect(asked.map((line) => line.startsWith(`${resolve('.')}: `))).not.toContain(false);
    expect(asked.at(-2)).toContain(`node scripts/pack-cli.mjs ${folder}`);
    expect(asked.at(-1)).toMatch(/npm install .* -- own\.tgz$/);
  });

  it('keeps one comment on a pull request, and leaves those of others', async () => {
    const comments: { id: number; body: string; user: { type: string } }[] = [
      { id: 1, body: '<!-- hostprobe shop.example.com --> of a person', user: { type: 'User' } },
    ];
    const asked: string[] = [];
    const github = createServer((request, response) => {
      void text(request).then((body) => {
        const { method = '', url = '' } = request;
        asked.push(`${method} ${url} ${String(request.headers.authorization)}`);
        const sent = body === '' ? undefined : (JSON.parse(body) as { body: string });
        if (method === 'POST' && sent)
          comments.push({ id: comments.length + 1, body: sent.body, user: { type: 'Bot' } });
        if (method === 'PATCH' && sent) comments.find(({ id }) => url.endsWith(`/${id}`))!.body = sent.body;
        response.end(JSON.stringify(comments));
      });
    });
    await new Promise<void>((listening) => github.listen(0, '127.0.0.1', listening));
    const env = {
      GITHUB_API_URL: `http://127.0.0.1:${(github.address() as AddressInfo).port}`,
      GITHUB_REPOSITORY: 'shop/site',
      GITHUB_TOKEN: 'token',
      PULL_REQUEST: '7',
    };
    for (const said of ['first', 'second']) {
      writeFileSync(comment, `<!-- hostprobe shop.example.com -->\n\n${said}\n`);
      expect((await run(['node', join(ACTION, 'comment.mjs'), comment], env)).code).toBe(0);
    }
    expect((await run(['node', join(ACTION, 'comment.mjs'), join(runnerTemp, 'none')], env)).code).toBe(0);
    github.close();
    expect(comments.map(({ body }) => body.split('\n').at(-2) ?? body)).toEqual([
      '<!-- hostprobe shop.example.com --> of a person',
      'second',
    ]);
    expect(asked).toEqual([
      'GET /repos/shop/site/issues/7/comments?per_page=100&page=1 Bearer token',
      'POST /repos/shop/site/issues/7/comments Bearer token',
      'GET /repos/shop/site/issues/7/comments?per_page=100&page=1 Bearer token',
      'PATCH /repos/shop/site/issues/comments/2 Bearer token',
    ]);
  });
});
