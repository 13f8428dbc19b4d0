import { gzipSync } from 'node:zlib';
import { compareReport, judgeBundle, leafHash, readBundle, type IncludedLine } from '@app/evidence';
import { Database, OptOutRepository } from '@app/storage';
import type { HostReport } from '@app/reports';
import { newPayer } from '../../../test/support/payer';
import { rootOfPath } from '../../../test/support/root-of-path';
import { startService, type Service } from '../../../test/support/service';
import { backends } from '../../../test/support/stack';
import { redirects, says, startTestHost, type TestHost } from '../../../test/support/test-host';

const SECRET = 'sid-5150';
const PAGE = '<!doctype html><title>Shop</title><h1>Lamps</h1>';
const json = { 'content-type': 'application/json' };

/** A description longer than the stored part of a body. */
const DESCRIPTION = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1', description: 'lamps '.repeat(50_000) },
  paths: {},
});

describe('the evidence of a host', () => {
  let service: Service;
  let shop: TestHost;
  let database: Database;
  const ids = { root: '' };
  const at = (below = ''): string => `${service.baseUrl}/api/v1/hosts/shop.example.com/evidence/${ids.root}${below}`;
  const bytesOf = async (url: string): Promise<Buffer> => Buffer.from(await (await fetch(url)).arrayBuffer());
  beforeAll(async () => {
    shop = await startTestHost({
      '/': says(PAGE, { 'content-type': 'text/html', 'set-cookie': `sid=${SECRET}; Path=/` }),
      '/llms.txt': redirects('/about/llms.txt'),
      '/about/llms.txt': says('# Shop\n\n- [a](https://shop.example.com/a)\n', { 'content-type': 'text/plain' }),
      '/openapi.json': says(DESCRIPTION, json),
      '/.well-known/ucp': says(Buffer.from([0x7b, 0xff, 0xfe]), json),
      '/.well-known/ai-plugin.json': says(gzipSync('{"name_for_human":"Shop"}'), {
        ...json,
        'content-encoding': 'gzip',
      }),
    });
    service = await startService({
      backend: backends()[0]!,
      connectTo: [shop.as('shop.example.com')],
    });
    database = new Database(service.config.database.url, service.config.database);
    await service.admitted();
    expect((await (await newPayer()).fetch(`${service.baseUrl}/api/v1/hosts/shop.example.com/refresh`)).status).toBe(
      200,
    );
    const { rows } = await database.pool.query<{ root: string }>('SELECT evidence_root AS root FROM host');
    ids.root = rows[0]!.root;
  });
  afterAll(async () => {
    await database.close();
    await service.stop();
    await shop.close();
  });

  it('is a download that anybody can verify and re-evaluate', async () => {
    const response = await fetch(at());
    expect(response.headers.get('content-type')).toBe('application/x-ndjson');
    expect(response.headers.get('content-disposition')).toMatch(
      /^attachment; filename="shop\.example\.com-[0-9a-f]{16}\.hostprobe\.jsonl"$/,
    );
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('cache-control')).toBe('public, max-age=86400');
    expect(response.headers.get('ratelimit-policy')).toMatch(/^"evidence";q=60;w=60$/);
    const bundle = await readBundle(Buffer.from(await response.arrayBuffer()), ids.root);
    const report = (await (await fetch(`${service.baseUrl}/api/v1/hosts/shop.example.com`)).json()) as HostReport;
    const said = compareReport(bundle, judgeBundle(bundle).cells, report.protocols);
    expect(said.filter(({ result }) => result !== 'same').map(({ id }) => id)).toEqual(['openapi']);
    const etag = response.headers.get('etag')!;
    expect((await fetch(at(), { headers: { 'if-none-match': etag } })).status).toBe(304);
  });

  it('contains no cookie values', async () => {
    expect((await bytesOf(at())).includes(SECRET)).toBe(false);
  });

  it('proves any single line with the hashes up to the root', async () => {
    const { head } = await readBundle(await bytesOf(at()));
    for (const index of [0, 1, head.lines - 1]) {
      const one = (await (await fetch(at(`/${index}`))).json()) as IncludedLine;
      const path = one.path.map((hash) => Buffer.from(hash, 'hex'));
      expect(one).toMatchObject({ index, size: head.lines, root: ids.root });
      expect(rootOfPath(leafHash(Buffer.from(one.line)), one.index, one.size, path)?.toString('hex')).toBe(ids.root);
    }
    for (const index of [head.lines, 'x', '-1', '01234']) expect((await fetch(at(`/${index}`))).status).toBe(404);
  });

  it('is 404 for another root or another host', async () => {
    const asked = await Promise.all(
      [at().replace(ids.root, 'f'.repeat(64)), at().replace(ids.root, 'x'), at().replace('shop.', 'other.')].map(
        async (url) => (await fetch(url)).status,
      ),
    );
    expect(asked).toEqual([404, 404, 404]);
  });

  it('keeps its root and loses its bodies when the host opts out, with the reason', async () => {
    await new OptOutRepository(database).add('shop.example.com');
    const bundle = await readBundle(await bytesOf(at()), ids.root);
    expect(new Set([...bundle.bodies.values()].map((body) => JSON.stringify(body)))).toEqual(
      new Set(['{"withheld":"opt_out"}']),
    );
  });
});
