import { newPayer } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { says, startTestHost, testCaFile, type TestHost } from '../../../test/support/test-host';

const SHOP = 'shop.example.com';

describe('the forms of a report', () => {
  let service: Service;
  let shop: TestHost;
  let mapped = false;

  beforeAll(async () => {
    shop = await startTestHost({
      '/llms.txt': (request, response) => {
        says(mapped ? '# Shop\n' : 'nothing', {}, mapped ? 200 : 404)(request, response);
      },
    });
    service = await startService({
      backend: 'postgres',
      connectTo: ['shop', 'new', 'bought'].map((name) => shop.as(`${name}.example.com`)),
      caFile: await testCaFile(),
    });
    await service.admitted();
    const payer = await newPayer();
    for (mapped of [false, true]) {
      expect((await payer.fetch(`${service.baseUrl}/api/v1/hosts/${SHOP}/refresh`)).status).toBe(200);
    }
  });
  afterAll(async () => {
    await service.stop();
    await shop.close();
  });

  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${service.baseUrl}${path}`, { headers, redirect: 'manual' });

  it('include a page under a policy that lets nothing run inline', async () => {
    const answer = await get(`/hosts/${SHOP}`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(answer.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'self'; script-src 'self';/,
    );
    const page = await answer.text();
    expect(page).not.toMatch(/ style=|<style| on\w+=/);
    expect(page).toContain('<h1>shop.<wbr />example.<wbr />com</h1>');
  });

  it('include the files a page loads, kept for ever', async () => {
    const page = await (await get('/')).text();
    const files = [...page.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map((match) => match[1] ?? '');
    expect(files).toHaveLength(3);
    const answers = await Promise.all(files.map((file) => get(file)));
    for (const answer of answers) {
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([
        200,
        'public, max-age=31536000, immutable',
      ]);
    }
    expect((await get('/assets/nothing.css')).status).toBe(404);
  });

  it.each([
    `/hosts/${SHOP}`,
    `/badge/${SHOP}.svg`,
    `/hosts/${SHOP}/changes.atom`,
    `/hosts/${SHOP}/changes.json`,
    '/pricing',
  ])('%s is a tag away from 304', async (path) => {
    const etag = (await get(path)).headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]{22}"$/);
    const again = await get(path, { 'if-none-match': `"other", W/${etag}` });
    expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, '']);
  });

  it.each([`/hosts/${SHOP}`, `/api/v1/hosts/${SHOP}`])('%s is Markdown for whoever prefers it', async (path) => {
    const answer = await get(path, { accept: 'text/markdown, text/html;q=0.5' });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8']);
    expect(answer.headers.get('vary')).toContain('Accept');
    expect(await answer.text()).toMatch(/^# shop\.example\.com\n\n\*\*Agents find something here/);
    expect((await get(path)).headers.get('vary')).toContain('Accept');
  });

  it('include a badge that other sites may show', async () => {
    const answer = await get(`/badge/${SHOP}.svg?protocol=LLMS`);
    const image = await answer.text();
    expect(image).toMatch(/aria-label="llms\.txt: present · \d{4}-\d\d-\d\d"/);
    expect(Buffer.byteLength(image)).toBeLessThan(2_048);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/svg+xml; charset=utf-8',
      'cache-control': 'public, max-age=300',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'content-security-policy': "default-src 'none'",
    });
  });

  it.each([
    ['/badge/localhost.svg', 400, 'invalid_domain'],
    [`/badge/${SHOP}.svg?protocol=gopher`, 400, 'unknown_protocol'],
    [`/badge/${SHOP}.png`, 404, 'not_found'],
    ['/hosts/localhost/changes.atom', 400, 'invalid_domain'],
  ])('%s is refused as a program is: %i %s', async (path, status, code) => {
    const answer = await get(path);
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([status, code]);
  });

  it('include the changes as feeds', async () => {
    const atom = await (await get(`/hosts/${SHOP}/changes.atom`)).text();
    expect(atom).toMatch(/<title type="text">llms\.txt appeared<\/title>/);
    const feed = (await (await get(`/hosts/${SHOP}/changes.json`)).json()) as {
      items: { url: string; tags: string[] }[];
    };
    expect(feed.items.map(({ tags }) => tags)).toContainEqual(['llms', 'appeared']);
    const anchor = new URL(feed.items[0]?.url ?? '').hash.slice(1);
    expect(await (await get(`/hosts/${SHOP}`)).text()).toContain(`id="${anchor}"`);
  });

  it('are made anew as soon as the host is looked at again', async () => {
    const path = '/hosts/bought.example.com';
    const before = await (await get(path)).text();
    await (await newPayer()).fetch(`${service.baseUrl}/api/v1${path}/refresh`);
    expect(before).toContain('never tried');
    expect(await (await get(path)).text()).not.toContain('never tried');
  });

  it('include the first look at a host nobody looked at', async () => {
    expect(await (await get('/hosts/new.example.com')).text()).toContain('protocols are present');
    expect(await (await get('/')).text()).toContain('href="/hosts/shop.example.com"');
  });

  it.each([
    ['/hosts?domain=https://WWW.Shop.example.com/x', 303, `/hosts/${SHOP}`],
    ['/hosts?domain=', 303, '/'],
    ['/hosts/WWW.SHOP.example.com', 301, `/hosts/${SHOP}`],
  ])('%s goes to the one address of its page', async (path, status, location) => {
    const answer = await get(path);
    expect([answer.status, answer.headers.get('location')]).toEqual([status, location]);
  });

  it.each([
    ['/hosts/localhost', {}, 400],
    ['/hosts?domain=%3Cscript%3E', {}, 400],
    ['/errors/no_such_code', {}, 404],
    ['/nothing', { accept: 'text/html' }, 404],
  ])('%s is an error that a person can read', async (path, headers, status) => {
    const answer = await get(path, headers);
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([status, 'no-store']);
    const page = await answer.text();
    expect(page).toContain(`Error ${status}`);
    expect(page).not.toContain('<script>');
  });

  it('include a page for every error', async () => {
    const page = await (await get('/errors/settlement_unknown')).text();
    expect(page).toContain('Was anything charged?');
  });

  it('include an API reference whose script comes from here', async () => {
    const page = await get('/docs');
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self';");
    expect(page.headers.get('content-security-policy')).toContain("style-src 'self' 'unsafe-inline'");
    const script = await get('/docs/reference.js', { 'accept-encoding': 'gzip' });
    expect([script.status, script.headers.get('content-encoding')]).toEqual([200, 'gzip']);
    expect(await script.text()).toContain('api-reference');
  });
});
