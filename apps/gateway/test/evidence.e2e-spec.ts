import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import Ajv from 'ajv';
import draft06 from 'ajv/dist/refs/json-schema-draft-06.json';
import har from 'har-schema';
import { compareReport, judgeBundle, leafHash, readBundle, rootOfPath, type IncludedLine } from '@app/evidence';
import { Database, OptOutRepository } from '@app/persistence';
import type { HostReport } from '@app/reports';
import { hasBrowser, startBrowser } from '../../../test/support/browser';
import { newPayer } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { backends } from '../../../test/support/stack';
import { redirects, says, startTestHost, testCaFile, type TestHost } from '../../../test/support/test-host';

const SECRET = 'sid-5150';
const PAGE = '<!doctype html><title>Shop</title><h1>Lamps</h1>';
const json = { 'content-type': 'application/json' };

/** More of a description than is kept of one body. */
const DESCRIPTION = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1', description: 'lamps '.repeat(50_000) },
  paths: {},
});

/** What warcio reads in a file: the types of its records, and the payloads of responses. */
function readWarc(file: string): { types: readonly string[]; texts: readonly string[] } {
  const program = `
    import { createReadStream } from 'node:fs';
    import { WARCParser } from 'warcio';
    const [types, texts] = [[], []];
    for await (const record of new WARCParser(createReadStream(process.argv[1]))) {
      types.push(record.warcType);
      texts.push(await record.contentText());
    }
    console.log(JSON.stringify({ types, texts }));`;
  const out = execFileSync(process.execPath, ['--input-type=module', '-e', program, file], { encoding: 'utf8' });
  return JSON.parse(out) as { types: readonly string[]; texts: readonly string[] };
}

describe('the evidence of a host', () => {
  let service: Service;
  let shop: TestHost;
  let database: Database;
  const ids = { root: '' };
  const at = (below = ''): string => `${service.baseUrl}/api/v1/hosts/shop.example.com/evidence/${ids.root}${below}`;
  const bytesOf = async (url: string): Promise<Buffer> => Buffer.from(await (await fetch(url)).arrayBuffer());
  const fileOf = async (format: string): Promise<string> => {
    const file = join(mkdtempSync(join(tmpdir(), 'hostprobe-evidence-')), `bundle.${format}`);
    writeFileSync(file, await bytesOf(at(`?format=${format}`)));
    return file;
  };

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
      caFile: await testCaFile(),
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

  it('is a file that anybody can check and judge again, and no page', async () => {
    const response = await fetch(at());
    expect(response.headers.get('content-type')).toBe('application/x-ndjson');
    expect(response.headers.get('content-disposition')).toMatch(
      /^attachment; filename="shop\.example\.com-[0-9a-f]{16}\.hostprobe\.jsonl"$/,
    );
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('cache-control')).toBe('public, max-age=86400');
    expect(response.headers.get('ratelimit-policy')).toMatch(/^"evidence";q=60;w=60$/);
    const bundle = readBundle(Buffer.from(await response.arrayBuffer()), ids.root);
    const report = (await (await fetch(`${service.baseUrl}/api/v1/hosts/shop.example.com`)).json()) as HostReport;
    const said = compareReport(bundle, judgeBundle(bundle).cells, report.protocols);
    expect(said.filter(({ result }) => result !== 'same').map(({ id }) => id)).toEqual(['openapi']);
    const etag = response.headers.get('etag')!;
    expect((await fetch(at(), { headers: { 'if-none-match': etag } })).status).toBe(304);
  });

  it('has no value of a cookie in any form', async () => {
    for (const format of ['jsonl', 'har', 'warc'])
      expect((await bytesOf(at(`?format=${format}`))).includes(SECRET)).toBe(false);
  });

  it('shows any one line alone, with the hashes that lead to the root', async () => {
    const { head } = readBundle(await bytesOf(at()));
    for (const index of [0, 1, head.lines - 1]) {
      const one = (await (await fetch(at(`/${index}`))).json()) as IncludedLine;
      const path = one.path.map((hash) => Buffer.from(hash, 'hex'));
      expect(one).toMatchObject({ index, size: head.lines, root: ids.root });
      expect(rootOfPath(leafHash(Buffer.from(one.line)), one.index, one.size, path)?.toString('hex')).toBe(ids.root);
    }
    for (const index of [head.lines, 'x', '-1', '01234']) expect((await fetch(at(`/${index}`))).status).toBe(404);
  });

  it('is 404 for another root or another host, and 400 in a form that there is not', async () => {
    const asked = await Promise.all(
      [
        at().replace(ids.root, 'f'.repeat(64)),
        at().replace(ids.root, 'x'),
        at().replace('shop.', 'other.'),
        at('?format=zip'),
      ].map(async (url) => (await fetch(url)).status),
    );
    expect(asked).toEqual([404, 404, 404, 400]);
  });

  it('is valid HAR 1.2', async () => {
    const ajv = new Ajv({ strict: false, validateFormats: false });
    ajv.addMetaSchema(draft06);
    for (const schema of Object.values(har)) ajv.addSchema(schema);
    const document: unknown = JSON.parse((await bytesOf(at('?format=har'))).toString());
    expect([ajv.validate('har.json', document), ajv.errors]).toEqual([true, null]);
  });

  it('is read by warcio: the head, answers, bodies that came before, and failures', async () => {
    const { types, texts } = readWarc(await fileOf('warc'));
    expect(types[0]).toBe('warcinfo');
    expect(new Set(types)).toEqual(new Set(['warcinfo', 'response', 'revisit', 'metadata']));
    expect(texts).toContain(PAGE);
    expect((await bytesOf(at('?format=warc'))).equals(await bytesOf(at('?format=warc')))).toBe(true);
  });

  (hasBrowser() ? it : it.skip)('is replayed by a browser that talks to nothing else', async () => {
    const browser = await startBrowser();
    const page = await browser.newPage();
    await page.routeFromHAR(await fileOf('har'), { notFound: 'abort' });
    await page.goto('https://shop.example.com/');
    expect(await page.textContent('h1')).toBe('Lamps');
    const answers = await page.evaluate(async () => {
      const plugin = (await (await fetch('/.well-known/ai-plugin.json')).json()) as { name_for_human: string };
      return [plugin.name_for_human, await (await fetch('/llms.txt')).text()];
    });
    expect(answers).toEqual(['Shop', '# Shop\n\n- [a](https://shop.example.com/a)\n']);
    await browser.close();
  });

  it('keeps its root and loses its bodies when the host opts out, and says so', async () => {
    await new OptOutRepository(database).add('shop.example.com');
    const bundle = readBundle(await bytesOf(at()), ids.root);
    expect(new Set([...bundle.bodies.values()].map((body) => JSON.stringify(body)))).toEqual(
      new Set(['{"withheld":"opt_out"}']),
    );
    expect((await bytesOf(at('?format=har'))).toString()).toContain('withheld: opt_out');
    expect((await bytesOf(at('?format=warc'))).includes('Lamps')).toBe(false);
  });
});
