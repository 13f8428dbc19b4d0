import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { HostFacts } from '@app/reports';
import { host } from '../../../../test/fixtures/hosts/full-store/host';
import { fixtureFiles, reportOf } from '../../../../test/support/fixture-host';
import { gatewayDocument } from '../gateway.document';
import { controllerOf } from '../routes/routes-controller';
import { keepable } from './layout/page-response';
import { usd } from '../products/price';
import { hostPage } from './host/host-page';
import type { PageDefinition } from './page-definition';
import { pageRoutes } from './page-routes';
import { layout as siteLayout, PAGES } from './page-registry';

const ROUTES = [...pageRoutes('pages'), ...pageRoutes('service')];
const BASE = 'https://hostprobe.example.org';

function pageOf(facts: HostFacts): string {
  const offer = { priceUsd: 1, rest: { url: BASE }, mcp: {} };
  const report = { ...facts, cache: { presenceStale: true }, refresh: offer } as never;
  const content = hostPage({
    report,
    changes: { changes: [] } as never,
    baseUrl: BASE,
    contact: null,
    freeProbes: true,
  });
  return siteLayout({ ...content, image: `${BASE}/hosts/${facts.domain}/preview.png` });
}

/** The pages without the rest of the gateway, with their dependencies; `routes` are the registered routes. */
async function startPages() {
  const facts = await reportOf(host, fixtureFiles('full-store'));
  const site = { baseUrl: BASE, subscription: { price: usd('5'), days: 30 }, contact: null, terms: null };
  const [recent, found] = [[facts], { hosts: [] }];
  const layout = jest.fn(siteLayout);
  const deps = {
    site,
    recent: { list: () => recent },
    payable: { find: () => Promise.resolve(found) },
    hosts: { inForm: () => keepable(pageOf(facts), 60) },
    identity: {},
    config: { http: { publicBaseUrl: BASE }, targets: {}, identity: { egress: ['192.0.2.0/24'], contact: null } },
    layout,
    document: gatewayDocument(site),
  };
  const adapter = new FastifyAdapter();
  const routes: string[] = [];
  adapter.getInstance().addHook('onRoute', ({ method, url }) => {
    if (method === 'GET' || method === 'POST') routes.push(url);
  });
  const module = controllerOf<never>(ROUTES, { pages: deps } as never);
  const app = await NestFactory.create<NestFastifyApplication>({ module, controllers: [module] }, adapter, {
    logger: false,
  });
  await app.init();
  return { app, routes, layout };
}

/** The definition that serves a path. */
function definitionOf(path: string) {
  return PAGES.find((page) => new RegExp(`^${page.path.replace(/:\w+/g, '[^/]+')}$`).test(path));
}

describe('every page of the registry', () => {
  let app: NestFastifyApplication;
  let routes: readonly string[];
  let layout: jest.Mock;
  beforeAll(async () => {
    ({ app, routes, layout } = await startPages());
  });
  afterAll(() => app.close());

  it('is registered, and there are no others', () => {
    expect([...routes].sort()).toEqual(PAGES.map(({ path }) => path).sort());
  });

  it('includes all pages that files define', async () => {
    const files = readdirSync(__dirname).filter((file) => /(?<!\.spec)\.ts$/.test(file));
    const modules = await Promise.all(files.map((file) => import(join(__dirname, file)) as Promise<object>));
    const exported = modules.flatMap((module) => Object.values(module).flat() as unknown[]);
    const isPage = (value: unknown): value is PageDefinition =>
      typeof value === 'object' && value !== null && 'render' in value;
    const registered = PAGES.map(({ path }) => path);
    const defined = exported.filter(isPage).map(({ path }) => path);
    expect(defined.length).toBeGreaterThan(10);
    expect(defined.filter((path) => !registered.includes(path))).toEqual([]);
  });

  it('is created once for all readers, unless its path or query changes its content', async () => {
    const alike = PAGES.filter(({ path, method }) => method === undefined && !path.includes(':')).map(
      ({ path }) => path,
    );
    for (const url of alike) {
      const made: number[] = [];
      const bodies = new Set<string>();
      for (let reader = 0; reader < 3; reader += 1) {
        layout.mockClear();
        bodies.add((await app.inject({ url, headers: { 'user-agent': `reader ${reader}` } })).body);
        made.push(layout.mock.calls.length);
      }
      expect({ url, made: made.slice(1), bodies: bodies.size }).toEqual({ url, made: [0, 0], bodies: 1 });
    }
  });

  it('is in the sitemap if it is the same for everybody; recently probed hosts are too', async () => {
    const { body, headers } = await app.inject('/sitemap.xml');
    const listed = [...body.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, url = '']) => url.replace(BASE, ''));
    expect(listed.filter((path) => /^\/hosts\/[a-z.-]+$/.test(path))).toHaveLength(1);
    const others = PAGES.map(({ path }) => path).filter((path) => listed.includes(path));
    expect(others).toEqual(expect.arrayContaining(['/', '/payable', '/verify', '/docs', '/terms']));
    expect([others.length, others.filter((path) => /^\/hosts|\.|:/.test(path))]).toEqual([listed.length - 1, []]);
    expect([headers['content-type'], body.slice(0, 5)]).toEqual(['application/xml; charset=utf-8', '<?xml']);
  });

  it('can be reached by links from the start page', async () => {
    const found = new Set<string>();
    const toRead = ['/'];
    for (let path = toRead.pop(); path !== undefined; path = toRead.pop()) {
      const definition = definitionOf(path);
      if (definition === undefined || found.has(definition.path)) continue;
      found.add(definition.path);
      if (definition.method === 'POST') continue;
      if (!JSON.stringify(definition.answers['200'] ?? '').includes('text/html')) continue;
      const { statusCode, body } = await app.inject(path);
      expect([path, statusCode]).toEqual([path, 200]);
      const links = [...body.matchAll(/ (?:href|src|action|content)="([^"?#]+)/g)].map(([, link = '']) => link);
      toRead.push(...links.map((link) => link.replace(BASE, '')));
    }
    expect([...found].sort()).toEqual([...new Set(PAGES.map(({ path }) => path))].sort());
  });
});
