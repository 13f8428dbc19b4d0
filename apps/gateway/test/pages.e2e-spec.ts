import { newPayer } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { says, startTestHost, type TestHost } from '../../../test/support/test-host';
import { until } from '../../../test/support/until';

const SHOP = 'shop.example.com';

describe('the formats of a report', () => {
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
      connectTo: ['shop', 'new', 'bought'].map((name) => shop.as(`${name}.example.com`)),
      env: { OPT_OUT: 'optedout.example.com' },
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

  it('include a page with a policy that forbids inline scripts', async () => {
    const answer = await get(`/hosts/${SHOP}`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(answer.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]{44}'; script-src 'self';/,
    );
    const page = await answer.text();
    expect(page).not.toMatch(/ style=|<style[^>]| on\w+=/);
    expect(page.match(/<style>/g)).toHaveLength(1);
    expect(page).toContain('<h1>shop.<wbr />example.<wbr />com</h1>');
  });

  it.each([`/hosts/${SHOP}`, `/api/v1/hosts/${SHOP}`, '/openapi.json', '/docs', '/llms.txt', '/', '/prober'])(
    'are sent in the coding of the client, each with its own tag: %s',
    async (path) => {
      const plain = await get(path, { 'accept-encoding': 'identity' });
      const body = await plain.text();
      expect([plain.headers.get('content-encoding'), plain.headers.get('vary')]).toEqual([
        null,
        expect.stringMatching(/\bAccept-Encoding$/),
      ]);
      const tags = [plain.headers.get('etag')];
      for (const coding of ['br', 'gzip']) {
        const asked = { 'accept-encoding': coding };
        const answer = await get(path, asked);
        expect([answer.headers.get('content-encoding'), await answer.text()]).toEqual([coding, body]);
        expect(Number(answer.headers.get('content-length'))).toBeLessThan(body.length / 1.5);
        const etag = answer.headers.get('etag')!;
        tags.push(etag);
        const head = await fetch(`${service.baseUrl}${path}`, { method: 'HEAD', headers: asked });
        expect([head.headers.get('etag'), head.headers.get('content-encoding')]).toEqual([etag, coding]);
        const known = await get(path, { ...asked, 'if-none-match': etag });
        expect([known.status, known.headers.get('etag'), known.headers.get('content-encoding')]).toEqual([
          304,
          etag,
          null,
        ]);
        expect((await get(path, { ...asked, 'if-none-match': tags[0]! })).status).toBe(200);
      }
      expect(new Set(tags).size).toBe(3);
    },
  );

  it('include an icon at the default path', async () => {
    const icon = await get('/favicon.ico');
    expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/x-icon']);
    const bytes = Buffer.from(await icon.arrayBuffer());
    expect([bytes.readUInt16LE(2), bytes.readUInt32LE(14) + bytes.readUInt32LE(18)]).toEqual([1, bytes.length]);
  });

  it('show an internationalized name next to its DNS name', async () => {
    const page = await (await get('/hosts/xn--mnchen-3ya.example.com')).text();
    expect(page).toMatch(
      /<h1>xn--mnchen-3ya\.example\.com<\/h1>\s*<p class="own-script"><bdi>münchen\.example\.com<\/bdi><\/p>/,
    );
    expect(await (await get(`/hosts/${SHOP}`)).text()).not.toContain('class="own-script"');
  });

  it('are not compressed if they contain a secret or a digest', async () => {
    const asked = { 'accept-encoding': 'br, gzip' };
    const challenge = await get(`/api/v1/hosts/${SHOP}/refresh`, asked);
    const keys = await get('/.well-known/http-message-signatures-directory', asked);
    expect([challenge, keys].map(({ headers }) => headers.get('content-encoding'))).toEqual([null, null]);
  });

  it('include the files a page loads, cacheable forever', async () => {
    const page = await (await get('/')).text();
    const files = [...page.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map((match) => match[1] ?? '');
    expect(files).toHaveLength(2);
    const answers = await Promise.all(files.map((file) => get(file)));
    for (const answer of answers) {
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([
        200,
        'public, max-age=31536000, immutable',
      ]);
    }
    expect((await get('/assets/nothing.css')).status).toBe(404);
  });

  it.each([`/hosts/${SHOP}`, `/api/v1/hosts/${SHOP}`])('%s is Markdown for a client that prefers it', async (path) => {
    const answer = await get(path, { accept: 'text/markdown, text/html;q=0.5' });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8']);
    expect(answer.headers.get('vary')).toContain('Accept');
    expect(await answer.text()).toMatch(/^# shop\.example\.com\n\n\*\*Agents can use this site/);
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
  ])('%s is refused as for programs: %i %s', async (path, status, code) => {
    const answer = await get(path);
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([status, code]);
  });

  it('include the changes as feeds', async () => {
    const atom = await (await get(`/hosts/${SHOP}/changes.atom`)).text();
    expect(atom).toMatch(/<title type="text">llms\.txt now available<\/title>/);
    const feed = (await (await get(`/hosts/${SHOP}/changes.json`)).json()) as {
      items: { url: string; tags: string[] }[];
    };
    expect(feed.items.map(({ tags }) => tags)).toContainEqual(['llms', 'appeared']);
    const anchor = new URL(feed.items[0]?.url ?? '').hash.slice(1);
    expect(await (await get(`/hosts/${SHOP}`)).text()).toContain(`id="${anchor}"`);
  });

  it('are rendered again after the next probe of the host', async () => {
    const path = '/hosts/bought.example.com';
    const before = await (await get(path)).text();
    await (await newPayer()).fetch(`${service.baseUrl}/api/v1${path}/refresh`);
    expect(before).toContain('Not probed yet');
    expect(await (await get(path)).text()).not.toContain('Not probed yet');
  });

  describe('of a host that is not probed yet', () => {
    const NEW = '/hosts/new.example.com';
    const press = (headers: Record<string, string> = {}) =>
      fetch(`${service.baseUrl}${NEW}/probe`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html', ...headers },
        body: '',
        redirect: 'manual',
      });
    const requests = () => shop.received.filter(({ headers }) => headers.host === 'new.example.com').length;

    it('have a button that starts a probe and leads to its progress, then to the report', async () => {
      const answer = await press({ 'sec-fetch-site': 'same-origin' });
      const progress = answer.headers.get('location') ?? '';
      expect([answer.status, progress.slice(0, -36)]).toEqual([303, `${NEW}/probe?run=`]);
      await until('the report', async () => (await get(progress)).headers.get('location') === NEW);
      expect(requests()).toBeGreaterThan(0);
      expect(await (await get(NEW)).text()).toContain('protocols present');
      expect(await (await get('/')).text()).toContain('href="/hosts/shop.example.com"');
    });

    it('probe no host that opted out, and accept forms nowhere else', async () => {
      const answer = await fetch(`${service.baseUrl}/hosts/optedout.example.com/probe`, {
        method: 'POST',
        redirect: 'manual',
      });
      expect(answer.status).toBe(403);
      const form = { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'a=b' };
      expect((await fetch(`${service.baseUrl}/api/v1/hosts/refresh`, form)).status).toBe(415);
    });
  });

  it.each([
    ['/hosts?domain=https://WWW.Shop.example.com/x', 303, `/hosts/${SHOP}`],
    ['/hosts?domain=', 303, '/'],
    ['/hosts/WWW.SHOP.example.com', 301, `/hosts/${SHOP}`],
  ])('%s redirects to the canonical URL of its page', async (path, status, location) => {
    const answer = await get(path);
    expect([answer.status, answer.headers.get('location')]).toEqual([status, location]);
  });

  it.each([
    ['/hosts/localhost', {}, 400],
    ['/hosts?domain=%3Cscript%3E', {}, 400],
    ['/errors/no_such_code', {}, 404],
    ['/nothing', { accept: 'text/html' }, 404],
  ])('%s is an error page for people', async (path, headers, status) => {
    const answer = await get(path, headers);
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([status, 'no-store']);
    const page = await answer.text();
    expect(page).toContain(`Error ${status}`);
    expect(page).not.toContain('<script>');
  });
});
