import { randomUUID } from 'node:crypto';
import { loadConfig } from '@app/config';
import {
  Database,
  EvidenceRepository,
  HostRepository,
  isConnectionError,
  OptOutRepository,
  ReaderRepository,
  removeOrphanedObjects,
  RunRepository,
} from '@app/storage';
import { startBucket, type TestBucket } from '../../../test/support/bucket';
import { newPayer, signPayment, type Payer } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { backends, freshDatabase } from '../../../test/support/stack';
import { says, startTestHost, type TestHost } from '../../../test/support/test-host';

const PAGE = '<!doctype html><title>Shop</title><h1>Lamps</h1>';
const SEALED = 1; // The first byte of encrypted objects.

interface Stored {
  readonly object: string | null;
  readonly size: number | null;
  readonly inRow: number;
}

/** The objects in the bucket that rows refer to, and those that wait to be removed. */
const objectsOf = async ({ pool }: Database): Promise<readonly Stored[]> =>
  (
    await pool.query<Stored>(
      `SELECT object, size, length(lines) AS "inRow" FROM evidence
       UNION ALL SELECT object, size, length(bytes) FROM evidence_body ORDER BY object`,
    )
  ).rows;
const straysOf = async ({ pool }: Database): Promise<number> =>
  (await pool.query('SELECT FROM orphaned_object')).rowCount ?? 0;

describe('evidence in a bucket', () => {
  let service: Service;
  let shop: TestHost;
  let bucket: TestBucket;
  let database: Database;
  let payer: Payer;
  const url = (path: string): string => `${service.baseUrl}/api/v1/hosts/shop.example.com${path}`;

  const rootOf = async (): Promise<string> =>
    (await database.pool.query<{ root: string }>('SELECT evidence_root AS root FROM host')).rows[0]!.root;
  const answers = (root: string): Promise<readonly string[]> =>
    Promise.all(
      ['', '/0', '/1'].map(async (end) => {
        const response = await fetch(url(`/evidence/${root}${end}`));
        return `${response.status} ${Buffer.from(await response.arrayBuffer()).toString('base64')}`;
      }),
    );

  beforeAll(async () => {
    bucket = await startBucket();
    shop = await startTestHost({
      '/': says(PAGE, { 'content-type': 'text/html' }),
      '/llms.txt': says('# Shop\n\n- [a](https://shop.example.com/a)\n', { 'content-type': 'text/plain' }),
    });
    service = await startService({
      backend: backends()[0]!,
      connectTo: [shop.as('shop.example.com')],
      env: { ...bucket.env, LOG_LEVEL: 'silent' },
    });
    database = new Database(service.config.database.url, service.config.database);
    await service.admitted();
    payer = await newPayer();
    expect((await payer.fetch(url('/refresh'))).status).toBe(200);
  });
  afterEach(() => {
    bucket.line.state = 'open';
  });
  afterAll(async () => {
    await database.close();
    await service.stop();
    await Promise.all([shop.close(), bucket.close()]);
  });

  it('is stored encrypted, with one object per row and no bytes in the rows', async () => {
    const rows = await objectsOf(database);
    expect(rows.length).toBeGreaterThan(2);
    expect(rows.map(({ object }) => object).toSorted()).toEqual(bucket.keys());
    for (const { object, size, inRow } of rows) {
      const bytes = bucket.read(object!);
      expect([bytes[0], bytes.length, inRow]).toEqual([SEALED, size, 0]);
    }
    expect(await straysOf(database)).toBe(0);
  });

  it('is served byte for byte as from Postgres', async () => {
    const root = await rootOf();
    const fromBucket = await answers(root);
    expect(fromBucket.map((text) => text.slice(0, 4))).toEqual(Array(3).fill('200 '));
    const rows = await objectsOf(database);
    for (const [table, column] of [
      ['evidence', 'lines'],
      ['evidence_body', 'bytes'],
    ] as const)
      for (const { object } of rows)
        await database.pool.query(`UPDATE ${table} SET ${column} = $2, object = NULL WHERE object = $1`, [
          object,
          bucket.read(object!),
        ]);
    expect(await answers(root)).toEqual(fromBucket);
    // From here on no row refers to these objects.
    await database.pool.query('DELETE FROM evidence; DELETE FROM evidence_body');
    await database.pool.query('INSERT INTO orphaned_object SELECT unnest($1::text[]), now()', [
      rows.map(({ object }) => object),
    ]);
    await payer.fetch(url('/refresh'));
  });

  it('only gets the new objects of the next probe', async () => {
    const [rows, keys] = [(await objectsOf(database)).length, bucket.keys().length];
    await payer.fetch(url('/refresh'));
    expect([(await objectsOf(database)).length, bucket.keys().length]).toEqual([rows + 1, keys + 1]);
    expect((await answers(await rootOf()))[0]).toMatch(/^200 /);
  });

  it.each(['cut', 'silent'] as const)(
    'with the bucket %s: reads and sales are 503 storage_unavailable, no money moves, and the same payment works later',
    async (state) => {
      const [root, signed, had] = [
        await rootOf(),
        await signPayment(payer, await fetch(url('/refresh'))),
        await payer.balance(),
      ];
      const buy = () => fetch(url('/refresh'), { headers: { 'payment-signature': signed } });
      bucket.line.state = state;
      for (const response of [await fetch(url(`/evidence/${root}`)), await buy()])
        expect([response.status, await response.json()]).toMatchObject([503, { code: 'storage_unavailable' }]);
      expect(await payer.balance()).toBe(had);
      expect((await fetch(url(''))).status).toBe(200);
      bucket.line.state = 'open';
      expect((await buy()).status).toBe(200);
      expect((await buy()).headers.get('idempotent-replayed')).toBe('true');
      expect(await payer.balance()).toBe(had - 20_000n);
    },
  );

  it('removes unreferenced objects, but not before a probe could have referred to them', async () => {
    await removeOrphanedObjects(database);
    const strays = await straysOf(database);
    expect(strays).toBeGreaterThan(0);
    await removeOrphanedObjects(database);
    expect(await straysOf(database)).toBe(strays);
    await database.pool.query(`UPDATE orphaned_object SET due = now() - interval '1 second'`);
    await removeOrphanedObjects(database);
    expect(await straysOf(database)).toBe(0);
    expect(bucket.keys()).toEqual((await objectsOf(database)).map(({ object }) => object).toSorted());
  });

  it('removes objects with their rows: bodies of a host that opts out, and superseded bundles', async () => {
    await database.pool.query(`UPDATE evidence SET at = now() - interval '40 days' WHERE root <> $1`, [await rootOf()]);
    await new ReaderRepository(database).forgetSuperseded(31);
    await new OptOutRepository(database).add('shop.example.com');
    bucket.line.state = 'cut';
    await expect(removeOrphanedObjects(database)).rejects.toThrow('cannot use the bucket');
    expect(bucket.keys().length).toBeGreaterThan(1);
    bucket.line.state = 'open';
    await removeOrphanedObjects(database);
    expect(bucket.keys()).toEqual((await objectsOf(database)).map(({ object }) => object));
    expect(bucket.keys()).toHaveLength(1);
    expect((await answers(await rootOf()))[0]).toMatch(/^200 /);
    expect(await straysOf(database)).toBe(0);
  });

  it('is 404 if its object is gone, and unavailable for a process without the bucket configuration', async () => {
    const without = new Database(service.config.database.url, { ...service.config.database, evidence: null });
    const root = await rootOf();
    const read = (from: Database) => new EvidenceRepository(from).find('shop.example.com', root);
    await expect(read(without)).rejects.toThrow('EVIDENCE_S3_BUCKET is not set');
    await without.close();
    await database.pool.query(`UPDATE evidence SET object = 'evidence/other'`);
    expect(await read(database)).toBeUndefined();
  });
});

describe('a bundle for a bucket', () => {
  let bucket: TestBucket;
  const opened: Database[] = [];
  const open = async (env: Readonly<Record<string, string>> = {}): Promise<Database> => {
    const url = await freshDatabase();
    const database = new Database(url, loadConfig({ DATABASE_URL: url, ...bucket.env, ...env }).database);
    opened.push(database);
    return database;
  };
  beforeAll(async () => {
    bucket = await startBucket();
  });
  afterAll(async () => {
    await Promise.all(opened.map((database) => database.close()));
    await bucket.close();
  });

  const store = async (database: Database): Promise<unknown> => {
    const domain = 'shop.example.com';
    const { run } = await new RunRepository(database).open(
      { kind: 'host', domain, args: {}, subject: domain },
      new Date(Date.now() + 60_000),
    );
    const bodies = new Map([['h', { bytes: Buffer.from(PAGE), leaks: false }]]);
    const bundle = { root: randomUUID(), lines: ['a line'], bodies };
    const probe = { site: domain, clocks: {}, reachable: true, payable: false, rails: [], driftMemory: null };
    return new HostRepository(database)
      .saveProbe({
        ...probe,
        runId: run.id,
        bought: true,
        domain,
        baseVersion: 0,
        facts: '{}',
        events: [],
        outcome: {},
        bundle,
      })
      .catch((error: unknown) => error);
  };
  const hosts = async ({ pool }: Database): Promise<number> => (await pool.query('SELECT FROM host')).rowCount ?? 0;

  it('is stored with its report', async () => {
    const database = await open();
    expect([await store(database), await hosts(database)]).toEqual(['saved', 1]);
  });

  it.each([
    ['a secret that the bucket rejects', { EVIDENCE_S3_SECRET: 'another' }],
    ['a missing bucket', { EVIDENCE_S3_BUCKET: 'another' }],
  ])('is not stored, and neither is its report: %s', async (_, env) => {
    const database = await open(env);
    expect([isConnectionError(await store(database)), await hosts(database)]).toEqual([true, 0]);
  });

  it('is not stored if its objects were removed before rows referred to them', async () => {
    const database = await open();
    await database.pool.query(`CREATE FUNCTION sweep() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN DELETE FROM orphaned_object; RETURN NEW; END $$;
      CREATE TRIGGER sweeps BEFORE INSERT ON evidence FOR EACH ROW EXECUTE FUNCTION sweep()`);
    expect([isConnectionError(await store(database)), await hosts(database)]).toEqual([true, 0]);
  });

  it('is not uploaded while too many objects are waiting for removal', async () => {
    const database = await open();
    await database.pool.query(
      `INSERT INTO orphaned_object SELECT i, now() + interval '1 hour' FROM generate_series(1, 100000) i`,
    );
    expect(await store(database)).toBe('saved');
    await database.pool.query(`INSERT INTO orphaned_object VALUES ('one', now() + interval '1 hour')`);
    await database.pool.query('DELETE FROM host');
    const before = bucket.keys();
    expect([isConnectionError(await store(database)), await hosts(database)]).toEqual([true, 0]);
    expect(bucket.keys()).toEqual(before);
  });
});
