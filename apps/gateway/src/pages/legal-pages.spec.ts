import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Published } from '../http/published';
import { legalPages } from './legal-pages';
import type { PageDeps, PageRequest } from './page-definition';
import { layout, PAGES } from './page-registry';

const DEPS = { layout, site: { baseUrl: 'https://probe.example.org' } } as PageDeps;
const REQUEST = {} as PageRequest;

describe('terms, privacy and data license', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'legal-'));
  });
  afterEach(() => {
    rmSync(directory, { recursive: true });
  });

  async function shown(path: string): Promise<string> {
    const page = legalPages(directory).find((definition) => definition.path === path);
    return String(((await page?.render(DEPS, REQUEST)) as Published).body).replace(/\s+/g, ' ');
  }

  it('are pages of this repository, linked from every page', async () => {
    const paths = ['/terms', '/privacy', '/data-licence'];
    expect(PAGES.map(({ path }) => path)).toEqual(expect.arrayContaining(paths));
    const { body } = (await PAGES.find(({ path }) => path === '/errors')?.render(DEPS, REQUEST)) as Published;
    for (const path of paths) expect(body).toContain(`<a href="${path}">`);
  });

  it("show the operator's text", async () => {
    writeFileSync(join(directory, 'terms.md'), '# Rules\n\nBe **kind**. <script>x</script>\n');
    expect(await shown('/terms')).toContain(
      '<h1>Rules</h1></header> <section class="prose"><p>Be <strong>kind</strong>.',
    );
    expect(await shown('/terms')).not.toContain('<script>x');
  });

  it('have a heading when the file has none', async () => {
    writeFileSync(join(directory, 'privacy.md'), 'Nothing is kept.');
    expect(await shown('/privacy')).toContain('<h1>Privacy</h1>');
  });

  it('link to each other when both are served, and to no other file', async () => {
    writeFileSync(
      join(directory, 'terms.md'),
      '[privacy](privacy.md), [licence](data-licence.md), [code](../LICENSE), [x](javascript:x)',
    );
    writeFileSync(join(directory, 'privacy.md'), '# Privacy');
    expect(await shown('/terms')).toContain('<p><a href="/privacy">privacy</a>, licence, code, x</p>');
  });

  it('are left out when there is no file', () => {
    writeFileSync(join(directory, 'privacy.md'), '# Privacy');
    expect(legalPages(directory).map(({ path }) => path)).toEqual(['/privacy']);
  });
});
