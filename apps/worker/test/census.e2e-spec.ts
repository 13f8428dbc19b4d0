import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { parquetReadObjects } from 'hyparquet';
import { CensusFinding } from '@app/census';
import { CensusRepository, Database, OptOutRepository } from '@app/storage';
import { createConsumer, createProducer, queueConnection } from '@app/queue';
import { runCommand } from '../../../test/support/command-line';
import { startService } from '../../../test/support/service';
import { backends, freshDatabase, freshRedis } from '../../../test/support/stack';
import { startTcpFront } from '../../../test/support/tcp-front';
import { says, startTestHost } from '../../../test/support/test-host';
import { until } from '../../../test/support/until';

const DAY = '2026-11-23';
const text = (body: string) => says(body, { 'content-type': 'text/plain' });
const NOT_FOUND = says('not found', { 'content-type': 'text/plain' }, 404);
const MAP =
  '# Lamps\n\n> Lamps of all kinds.\n\n## Docs\n\n- [Prices](https://shop.example.com/prices.md): what they cost\n';

async function readProbes(folder: string) {
  const file = readFileSync(join(folder, 'probes', `day=${DAY}`, 'part-0.parquet'));
  return parquetReadObjects({ file: file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength) });
}
const domainsIn = (rows: readonly Record<string, unknown>[]) => rows.map(({ domain }) => domain);

describe.each(backends().slice(0, 1))('a census, with the queues on %s', (backend) => {
  const stops: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  });

  async function start() {
    const own = (kind: string) => `${kind}-${randomBytes(4).toString('hex')}.example.com`;
    const hosts = {
      found: await startTestHost({ '/llms.txt': text(MAP), '*': NOT_FOUND }),
      nothing: await startTestHost({ '*': NOT_FOUND }),
      unwanted: await startTestHost({ '/robots.txt': text('User-agent: hostprobe\nDisallow: /\n'), '*': NOT_FOUND }),
      blocked: await startTestHost({ '*': says('who are you', {}, 401) }),
    };
    stops.push(...Object.values(hosts).map((host) => () => host.close()));
    const names = { found: own('found'), nothing: own('nothing'), unwanted: own('unwanted'), blocked: own('blocked') };
    const gone = own('gone');
    const kinds = Object.keys(hosts) as (keyof typeof hosts)[];
    const service = await startService({
      backend,
      connectTo: [...kinds.map((kind) => hosts[kind].as(names[kind])), `${gone}:443=127.0.0.1:1`],
      worker: false,
    });
    stops.push(() => service.stop());
    const database = new Database(service.config.database.url);
    stops.push(() => database.close());
    return { hosts, names: { ...names, gone, optedOut: own('opted-out') }, service, database };
  }

  const listOf = (lines: readonly string[]): string => {
    const file = join(mkdtempSync(join(tmpdir(), 'census-')), 'ranked.csv.gz');
    writeFileSync(file, gzipSync(lines.map((line, at) => `${at + 1},${line}`).join('\n')));
    return file;
  };

  it('gives every host of a list one outcome, within its budgets, without using the queue of buyers', async () => {
    const { hosts, names, service, database } = await start();
    const env = { DATABASE_URL: service.config.database.url, OPT_OUT: names.optedOut };
    const list = listOf([...Object.values(names), `www.${names.nothing}`, 'localhost']);
    const folder = join(mkdtempSync(join(tmpdir(), 'dataset-')), 'release');
    const command = runCommand(['census', list, '--day', DAY, '--out', folder], { env });
    await service.startWorker({ CENSUS_SLOTS: '3' });
    const { code, err } = await command;
    expect(code).toBe(0);
    expect(err).toContain('the list has 8 lines: 5 new hosts, 1 already in the census, 1 opted out, 1 invalid');
    expect(err).toMatch(/5 of 5 hosts: 1 blocked, 1 found, 1 nothing, 1 unreachable, 1 unwanted/);
    const rows = [];
    for await (const row of new CensusRepository(database).rows(DAY)) rows.push(row);
    expect(Object.fromEntries(rows.map(({ domain, outcome }) => [domain, outcome]))).toEqual({
      [names.found]: 'found',
      [names.nothing]: 'nothing',
      [names.unwanted]: 'unwanted',
      [names.blocked]: 'blocked:auth_required',
      [names.gone]: 'unreachable:connect_refused',
    });
    // Rows of one transaction have the same time.
    expect(new Set(rows.map(({ probedAt }) => probedAt.getTime())).size).toBeLessThan(rows.length);
    const found = CensusFinding.parse(rows.find(({ domain }) => domain === names.found)?.finding);
    expect(found).toMatchObject({ probed: 'full', signs: ['llms'], cells: { llms: { status: 'present' } } });
    const figuresIn = (release: string): readonly { readonly id: string; readonly rows: readonly object[] }[] =>
      (JSON.parse(readFileSync(join(release, 'figures.json'), 'utf8')) as { figures: never }).figures;
    const outcomes = (total: number, kinds: readonly string[]) =>
      expect.objectContaining({ id: 'outcomes', rows: kinds.map((name) => ({ name, hosts: 1, total })) }) as object;
    const kinds = ['blocked', 'found', 'nothing', 'unreachable', 'unwanted'];
    expect(figuresIn(folder)).toContainEqual(outcomes(5, kinds));
    await new OptOutRepository(database).add(names.nothing);
    const again = await runCommand(['census', list, '--day', DAY, '--out', `${folder}-2`], { env });
    expect([code, again.code]).toEqual([0, 0]);
    expect(domainsIn(await readProbes(folder))).toEqual(rows.map(({ domain }) => domain));
    expect(domainsIn(await readProbes(`${folder}-2`))).not.toContain(names.nothing);
    expect(figuresIn(`${folder}-2`)).toContainEqual(
      outcomes(
        4,
        kinds.filter((kind) => kind !== 'nothing'),
      ),
    );
    expect(hosts.nothing.requests).toHaveLength(7);
    expect(hosts.unwanted.requests).toEqual(['GET /robots.txt']);
    expect(hosts.blocked.requests.length).toBeLessThanOrEqual(8);
    expect(hosts.nothing.connections()).toBe(1);
    expect((await database.pool.query('SELECT FROM probe_run')).rowCount).toBe(0);
  });

  it('has a lower priority than every other free probe', async () => {
    const url = await freshDatabase();
    const redis = backend === 'redis' ? await freshRedis() : null;
    const connection = queueConnection(redis ?? null, url);
    const errors: Error[] = [];
    const onError = (error: Error): void => void errors.push(error);
    const producer = createProducer(connection, 'presence', onError);
    const hosts = ['a', 'b', 'c'].map((name) => ({ day: DAY, domain: `${name}.example.com` }));
    await producer.addCensus(hosts);
    await producer.addCensus(hosts);
    expect(await producer.censusRoom(10)).toBe(7);
    await producer.add('presence free.example.com', { runId: 'free' });
    const taken: string[] = [];
    const consumer = await createConsumer(connection, 'presence', {
      concurrency: 1,
      process: (job) => Promise.resolve(void taken.push('domain' in job ? job.domain : job.runId)),
      onError,
    });
    await until('every job is taken', () => taken.length === 4);
    await consumer.close();
    await producer.close();
    expect([taken, errors]).toEqual([['free', ...hosts.map(({ domain }) => domain)], []]);
  });

  it('continues when the database is back', async () => {
    const { names, service, database } = await start();
    const url = new URL(service.config.database.url);
    const front = await startTcpFront(Number(url.port));
    stops.push(() => front.close());
    url.port = String(front.port);
    const command = runCommand(['census', listOf([names.nothing]), '--day', DAY], { env: { DATABASE_URL: url.href } });
    let over = false;
    void command.finally(() => (over = true));
    const followed = `SELECT FROM census_host, pg_stat_activity WHERE place IS NOT NULL
      AND datname = current_database() AND query LIKE 'SELECT COUNT(%census_host%' AND state = 'idle'`;
    await until('a count after the plan', async () => (await database.pool.query(followed)).rowCount === 1);
    front.state = 'cut';
    const before = front.taken;
    await until('two more questions', () => over || front.taken > before + 1);
    expect(over).toBe(false);
    front.state = 'open';
    await service.startWorker({ CENSUS_SLOTS: '3' });
    const { code, err } = await command;
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining('1 of 1 hosts: 1 nothing') as string });
  });

  it('continues where it was stopped, and writes no outcome twice', async () => {
    const { hosts, names, service, database } = await start();
    const census = new CensusRepository(database);
    const all = [names.found, names.nothing, names.unwanted].map((domain) => ({ domain, site: domain }));
    await census.add(DAY, 'list', 'first', all);
    await census.plan(DAY);
    const ended = (domain: string, outcome: string) => ({ day: DAY, domain, outcome, finding: null });
    await census.end([ended(names.found, 'nothing')]);
    const worker = await service.startWorker({ CENSUS_SLOTS: '1' });
    await until('an outcome', async () => (await census.progress(DAY)).done > 1);
    await worker.close();
    await service.startWorker({ CENSUS_SLOTS: '1' });
    await until('the end', async () => (await census.progress(DAY)).done === 3);
    expect(hosts.found.requests).toEqual([]);
    await census.end([ended(names.found, 'found'), ended(names.unwanted, 'found')]);
    expect((await census.progress(DAY)).outcomes).toEqual({ nothing: 2, unwanted: 1 });
    expect(await census.due(10)).toEqual([]);
  });
});

describe('the rows of a census', () => {
  it('can store findings with any characters', async () => {
    const database = new Database(await freshDatabase());
    const census = new CensusRepository(database);
    const findings = { 'a.example': null, 'b.example': { network: 'x\0y' }, 'c.example': {}, 'd.example': '\ud800' };
    const results = Object.entries(findings).map(([domain, finding]) => ({
      day: DAY,
      domain,
      outcome: 'found',
      finding,
    }));
    await census.add(
      DAY,
      'a',
      'first',
      results.map(({ domain }) => ({ domain, site: domain })),
    );
    await census.end(results);
    const rows = [];
    for await (const { domain, finding } of census.rows(DAY)) rows.push([domain, finding]);
    expect(rows).toEqual([
      ['a.example', null],
      ['b.example', { network: 'x\ufffdy' }],
      ['c.example', {}],
      ['d.example', '\ufffd'],
    ]);
    await database.close();
  });

  it('spread the names of a site evenly over the day, and are kept as configured', async () => {
    const database = new Database(await freshDatabase());
    const census = new CensusRepository(database);
    const names = (site: (at: number) => string) =>
      Array.from({ length: 320 }, (_, at) => ({ domain: `h${at}.${site(at)}`, site: site(at) }));
    await census.add(
      DAY,
      'a',
      'first',
      names(() => 'big.example'),
    );
    await census.add(
      DAY,
      'a',
      'first',
      names((at) => `s${at}.example`),
    );
    await census.plan(DAY);
    const { rows } = await database.pool.query<{ own: number }>(
      `SELECT count(*) FILTER (WHERE site = 'big.example')::int AS own FROM census_host GROUP BY (place - 1) / 64`,
    );
    expect(rows).toHaveLength(10);
    for (const { own } of rows) expect(Math.abs(own - 32)).toBeLessThan(24);
    const [first, again] = [await census.due(5), await census.due(640)];
    expect([first.length, again.length, (await census.due(640)).length]).toEqual([5, 635, 0]);
    await census.forget(36_500);
    expect((await census.progress(DAY)).hosts).toBe(640);
    await census.add('2020-01-01', 'a', 'first', [{ domain: 'old.example', site: 'old.example' }]);
    await census.forget(400);
    expect((await census.progress('2020-01-01')).hosts).toBe(0);
    expect((await census.progress(DAY)).hosts).toBe(640);
    await database.close();
  });
});
