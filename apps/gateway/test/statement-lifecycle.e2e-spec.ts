import { loadConfig } from '@app/config';
import { DIRECTORY_PATH, newSigningKey, KEYS_PATH, type KeySet, type StatementMembers } from '@app/signing';
import { createLogger } from '@app/platform';
import { Database, RunRepository } from '@app/storage';
import { Client } from 'pg';
import { runCommand } from '../../../test/support/command-line';
import { callTool, NATIVE } from '../../../test/support/mcp';
import { newPayer } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { backends, freshDatabase } from '../../../test/support/stack';
import { says, startTestHost, type TestHost } from '../../../test/support/test-host';
import { until } from '../../../test/support/until';
import { verified } from '../../../test/support/verified';
import { createWorker } from '../../worker/src/worker.app';
import { createGateway } from '../src/gateway.app';

const NAMES = ['shop', 'aged', 'shy'].map((name) => `${name}.example.com`);
const statementOf = (name: string) => `/api/v1/hosts/${name}.example.com/statement`;

describe('a statement', () => {
  let shop: TestHost;
  let service: Service;
  let database: Client;
  const kidOf = (token: string) =>
    (JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString()) as { kid: string }).kid;
  const get = (path: string) => fetch(`${service.baseUrl}${path}`);
  const operator = (...args: string[]) => runCommand(args, { env: { DATABASE_URL: service.config.database.url } });
  const refresh = async (name: string) => {
    const answer = await (await newPayer()).fetch(`${service.baseUrl}/api/v1/hosts/${name}.example.com/refresh`);
    expect(answer.status).toBe(200);
  };

  beforeAll(async () => {
    shop = await startTestHost({ '/llms.txt': says('# Shop\n') });
    service = await startService({
      backend: backends()[0]!,
      connectTo: NAMES.map((name) => shop.as(name)),
    });
    await service.admitted();
    database = new Client({ connectionString: service.config.database.url });
    await database.connect();
    for (const name of ['shop', 'aged', 'shy']) await refresh(name);
  });
  afterAll(async () => {
    await database.end();
    await service.stop();
    await shop.close();
  });

  /** The responses of a newly started gateway, because running ones read keys once a minute. */
  async function fromNewGateway(...paths: string[]): Promise<readonly { status: number; body: string }[]> {
    const app = await createGateway(service.config, createLogger('e2e', 'error'));
    try {
      await app.init();
      const answers = [];
      for (const url of paths) answers.push(await app.inject({ method: 'GET', url }));
      return answers.map(({ statusCode, body }) => ({ status: statusCode, body }));
    } finally {
      await app.close();
    }
  }
  const believed = (token: string, keys: KeySet): Promise<StatementMembers> =>
    verified(token, { issuer: service.baseUrl, keys });

  it('is linked from page, report and Markdown, and its header is readable by pages of other sites', async () => {
    const link = `<${service.baseUrl}${statementOf('shop')}>; rel="describedby"; type="application/jwt"`;
    for (const [path, accept] of [
      ['/hosts/shop.example.com', 'text/html'],
      ['/hosts/shop.example.com', 'text/html'],
      ['/hosts/shop.example.com', 'text/markdown'],
      ['/api/v1/hosts/shop.example.com', 'application/json'],
    ] as const) {
      const { headers } = await fetch(`${service.baseUrl}${path}`, { headers: { accept } });
      expect(headers.get('link')).toBe(link);
      expect(headers.get('access-control-expose-headers')).toMatch(/Hostprobe-Statement, Link/);
    }
    expect((await get('/hosts/shop.example.com/changes.atom')).headers.get('link')).toBeNull();
    expect((await get('/hosts/never.example.com')).headers.get('link')).toBeNull();
  });

  it('is included with the report of an MCP tool', async () => {
    const token = await (await get(statementOf('shop'))).text();
    const { body } = await callTool(service, 'lookup_host', { domain: 'shop.example.com' }, { headers: NATIVE });
    expect(body.result?._meta).toMatchObject({ 'hostprobe/statement': token });
  });

  it('is signed with a key that signs nothing else', async () => {
    const names = async (path: string) => ((await (await get(path)).json()) as { keys: { x: string }[] }).keys;
    const [statements, prober] = [await names(KEYS_PATH), await names(DIRECTORY_PATH)];
    expect([statements.length, prober.length]).toEqual([1, 1]);
    expect(prober[0]!.x).not.toBe(statements[0]!.x);
  });

  it('stays valid under the old key after a new one takes over', async () => {
    const old = await (await get(statementOf('shop'))).text();
    const rotated = await operator('keys', 'rotate');
    expect(rotated).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^\S+ is published and signs from /) as string,
    });
    const [kid = ''] = rotated.out.split(' ');
    const [early, listed] = await fromNewGateway(statementOf('shop'), KEYS_PATH);
    expect(early!.body).toBe(old);
    expect((JSON.parse(listed!.body) as KeySet).keys.map((key) => key.kid)).toEqual([kidOf(old), kid]);
    // One day later, the new key signs a statement dated one second after the old one.
    const { iat } = claimsIn(old);
    await database.query('UPDATE report_key SET signs_from = to_timestamp($1) WHERE kid = $2', [iat + 1, kid]);
    await until('that second has begun', () => Date.now() >= (iat + 1) * 1_000);
    await refresh('shop');
    const [fresh, document] = await fromNewGateway(statementOf('shop'), KEYS_PATH);
    const keys = JSON.parse(document!.body) as KeySet;
    expect(kidOf(fresh!.body)).toBe(kid);
    for (const token of [fresh!.body, old]) expect((await believed(token, keys)).outcome).toBe('probed');
  });

  it('is rejected under a revoked key, and signed again with another one', async () => {
    const [before] = await fromNewGateway(statementOf('shop'));
    const kid = kidOf(before!.body);
    const revoked = await operator('keys', 'revoke', kid, '--reason', 'stolen with a backup');
    expect(revoked).toMatchObject({ code: 0, out: expect.stringContaining(`Revoked ${kid}.`) as string });
    const [after, document] = await fromNewGateway(statementOf('shop'), KEYS_PATH);
    const keys = JSON.parse(document!.body) as KeySet;
    expect(keys.revoked).toEqual([{ kid, at: expect.any(String) as string, reason: 'stolen with a backup' }]);
    await expect(believed(before!.body, keys)).rejects.toThrow('unknown_kid');
    expect(kidOf(after!.body)).not.toBe(kid);
    expect(await believed(after!.body, keys)).toEqual(claimsIn(before!.body));
  });

  it('loses its payment options after 15 minutes, and expires after a day', async () => {
    const age = (minutes: number) =>
      database.query(
        `UPDATE host SET probed_at = probed_at - make_interval(mins => $1),
                         callability_probed_at = callability_probed_at - make_interval(mins => $1)
         WHERE domain = 'aged.example.com'`,
        [minutes],
      );
    await age(16);
    const [listing] = await fromNewGateway(statementOf('aged'));
    const claims = claimsIn(listing!.body);
    expect([listing!.status, claims.rails, claims.exp - claims.iat]).toEqual([200, undefined, 86_400]);
    await age(24 * 60);
    const [none, form] = await fromNewGateway(statementOf('aged'), `${statementOf('aged')}?form=listing`);
    for (const answer of [none, form]) {
      expect([answer!.status, JSON.parse(answer!.body)]).toMatchObject([404, { code: 'statement_expired' }]);
    }
  });

  it('reports that a probe failed on our side and why, and nothing about the host', async () => {
    const storage = new Database(service.config.database.url, service.config.database);
    try {
      const runs = new RunRepository(storage);
      const order = { kind: 'host', domain: 'unlucky.example.com', args: {}, subject: 'unlucky' } as const;
      const { run } = await runs.open(order, new Date(Date.now() + 60_000));
      await runs.fail(run.id, 'worker_failed');
      const keys = (await (await get(KEYS_PATH)).json()) as KeySet;
      const claims = await believed(await (await get(statementOf('unlucky'))).text(), keys);
      expect(claims).toMatchObject({ jti: run.id, outcome: 'not_probed:worker_failed' });
      expect(Object.keys(claims)).toEqual(['iss', 'sub', 'iat', 'exp', 'jti', 'observed', 'outcome', 'scope']);
    } finally {
      await storage.close();
    }
  });

  it('does not exist for a host that opted out, not even from the cache', async () => {
    expect((await get(statementOf('shy'))).status).toBe(200);
    expect((await operator('opt-out', 'add', 'shy.example.com')).code).toBe(0);
    await until('the gateway knows of it', async () => (await get(statementOf('shy'))).status !== 200);
    const refused = await get(statementOf('shy'));
    expect([refused.status, await refused.json()]).toMatchObject([403, { code: 'opted_out' }]);
    const { headers } = await get('/api/v1/hosts/shy.example.com');
    expect(headers.get('link')).toBeNull();
    const signed = await fetch(`${service.baseUrl}/api/v1/hosts/shy.example.com`, {
      headers: { accept: 'application/jwt' },
    });
    expect(signed.status).toBe(403);
  });
});

function claimsIn(token: string): StatementMembers {
  return JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as StatementMembers;
}

describe('a gateway', () => {
  const keys = { one: newSigningKey(), other: newSigningKey(), none: 'no key at all' };
  const ONE_KEY = 'REPORT_SIGNING_KEY and PROBE_SIGNING_KEY are the same key; each purpose needs its own key';
  it.each([
    { before: undefined, prober: 'one', report: 'one', said: ONE_KEY },
    { before: 'one', prober: 'one', report: 'other', said: ONE_KEY },
    { before: undefined, prober: 'one', report: 'none', said: 'REPORT_SIGNING_KEY must be' },
    { before: 'other', prober: 'none', report: 'one', said: 'PROBE_SIGNING_KEY must be' },
  ] as const)('fails with wrong keys before it stores anything: %j', async ({ before, prober, report, said }) => {
    const env = { NODE_ENV: 'test', DATABASE_URL: await freshDatabase(), X402_PAY_TO: `0x${'1'.repeat(40)}` };
    const database = new Database(env.DATABASE_URL);
    const stored = async () => {
      const { rows } = await database.pool.query<{ row: string }>(
        'SELECT kid AS row FROM report_key UNION ALL SELECT purpose FROM server_secret ORDER BY 1',
      );
      return rows.map(({ row }) => row);
    };
    const logger = createLogger('e2e', 'silent');
    const start = async (more: object): Promise<void> => {
      const app = await createGateway(loadConfig({ ...env, ...more }), logger);
      await app.init().finally(() => app.close());
    };
    if (before) await start({ REPORT_SIGNING_KEY: keys[before] });
    const held = await stored();
    const wrong = { PROBE_SIGNING_KEY: keys[prober], REPORT_SIGNING_KEY: keys[report] };
    await expect(start(wrong)).rejects.toThrow(said);
    if (prober === 'none') {
      await expect(createWorker(loadConfig({ ...env, ...wrong }), logger)).rejects.toThrow(said);
    }
    expect(await stored()).toEqual(held);
    await start({ PROBE_SIGNING_KEY: newSigningKey(), REPORT_SIGNING_KEY: keys.one });
    await database.close();
  });
});
