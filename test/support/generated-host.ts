import { join } from 'node:path';
import fc from 'fast-check';
import { html, status, type Reply } from './evidence';
import { fixtureFiles, fixtureNames, FIXTURES, repliesOf, type FixtureHost } from './fixture-host';
import type { MemoryReply, MemoryRequest } from './memory-host';
import { behind, moves, NAME, type Move } from './moved-host';
import { reshaped, reshapes, type Reshape } from './reshaped-documents';
import { say, seeded, varyingAnswer, type VaryingAnswer } from './varying-answers';

/** Documents with known results, by request as in `Replies`; the key names them. */
export interface Publication {
  readonly name: string;
  readonly routes: Readonly<Record<string, Reply>>;
}

/** A host's answer where it publishes nothing, and the allowed status of cells without documents. */
type Elsewhere =
  | { readonly kind: 'not_found'; readonly status: number; readonly page: VaryingAnswer }
  | { readonly kind: 'catch_all'; readonly page: VaryingAnswer }
  | { readonly kind: 'redirects_home' }
  /** With these there is no "not found", so nothing may be absent. */
  | { readonly kind: 'status'; readonly status: number; readonly page: VaryingAnswer }
  | { readonly kind: 'wall'; readonly page: VaryingAnswer; readonly headers: Readonly<Record<string, string>> }
  | { readonly kind: 'redirect'; readonly location: string; readonly withPath: boolean; readonly status: number }
  | { readonly kind: 'cookie'; readonly way: 'same' | 'query' | 'detour' };

export interface GeneratedHost {
  readonly publication: Publication;
  readonly elsewhere: Elsewhere;
  /** Which requests get this answer: unpublished paths, documents too, or also the home page. */
  readonly reach: 'missing' | 'documents' | 'everything';
  readonly reshape: Reshape;
  readonly move: Move | undefined;
  readonly latencyMs: number;
  readonly seed: number;
}

const KINDS = ['html', 'json', 'text', 'markdown', 'rpc', 'empty'] as const;
const SHRUGS = ['Lamps of Exampleville', 'Nothing here', 'ok', 'Not found', 'Welcome'];
const WALLS = ['Request Rejected', 'Access denied', 'You have been blocked', 'Just a moment...', 'Waiting Room'];

const ERRORS = [
  400, 401, 403, 405, 406, 407, 409, 412, 418, 421, 422, 423, 425, 429, 431, 444, 451, 499, 500, 502, 503, 520, 530,
];

const GATES = [
  'https://login.example-id.net/authorize',
  'https://accounts.example-id.net/v3/signin',
  'https://example.okta.net/app/sso',
  'https://queue.example-line.net/wait',
  'https://other-shop.example.net',
  '/login',
  '/account/sign-in',
] as const;

const elsewhere: fc.Arbitrary<Elsewhere> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('not_found' as const),
      status: fc.constantFrom(404, 404, 410),
      page: varyingAnswer(SHRUGS, KINDS),
    }),
  },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('catch_all' as const), page: varyingAnswer(SHRUGS, KINDS) }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'redirects_home' as const }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('status' as const),
      status: fc.constantFrom(...ERRORS),
      page: varyingAnswer([...SHRUGS, ...WALLS.slice(0, 3)], KINDS),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('wall' as const),
      page: varyingAnswer(WALLS, ['html']).map((page) => ({ ...page, words: page.words % 60, nonce: undefined })),
      headers: fc.constantFrom({}, { 'set-cookie': 'visitor=1' }, { server: 'gate' }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('redirect' as const),
      location: fc.constantFrom(...GATES),
      withPath: fc.boolean(),
      status: fc.constantFrom(301, 302, 307, 308),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('cookie' as const),
      way: fc.constantFrom('same', 'query', 'detour'),
    }),
  },
);

/** All hosts of these kinds with some of the documents. */
export function generatedHosts(publications: readonly Publication[]): fc.Arbitrary<GeneratedHost> {
  return fc.record({
    publication: fc.constantFrom(...publications),
    elsewhere,
    reach: fc.constantFrom('missing', 'missing', 'missing', 'documents', 'everything'),
    reshape: reshapes,
    move: fc.option(moves, { nil: undefined, freq: 3 }),
    latencyMs: fc.oneof(
      { weight: 9, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 5_000 }) },
    ),
    seed: fc.nat(),
  });
}

/** A host that answers at once, with 404 for everything except its documents. */
export function plainHost(publication: Publication): GeneratedHost {
  const page = {
    kind: 'empty',
    words: 0,
    nonce: undefined,
    at: 0,
    echo: 'none',
    clock: 'none',
    shuffled: false,
  } as const;
  return {
    publication,
    elsewhere: { kind: 'not_found', status: 404, page: { ...page, message: '' } },
    reach: 'missing',
    reshape: { order: 'kept', indent: 2, seed: 0 },
    move: undefined,
    latencyMs: 0,
    seed: 1,
  };
}

/** An empty publication, each fixture, and each document of the full store alone and in pairs. */
export async function publications(): Promise<readonly Publication[]> {
  const all: Publication[] = [{ name: 'nothing', routes: {} }];
  for (const name of fixtureNames()) {
    const { host } = (await import(join(FIXTURES, name, 'host.ts'))) as { host: FixtureHost };
    const { routes, rest } = repliesOf(host, fixtureFiles(name));
    if (rest) continue;
    all.push({ name, routes });
    const paths = Object.keys(routes).filter((path) => path.startsWith('/') && path !== '/');
    if (name === 'full-store')
      for (const [at, path] of paths.entries())
        for (const other of paths.slice(at))
          all.push({
            name: `${path} and ${other}`,
            routes: Object.fromEntries([path, other].map((key) => [key, routes[key]!])),
          });
  }
  return all;
}

/** A host as a function of the request. The variation depends on the seed and on the number of requests. */
export function answersOf(host: GeneratedHost): (request: MemoryRequest) => MemoryReply {
  const draw = seeded(host.seed);
  let count = 0;
  const asked = (request: MemoryRequest): MemoryReply => {
    count += 1;
    const isHome = request.url.pathname === '/' && request.method === 'GET';
    const published = isHome && host.reach === 'documents' ? html() : publishedAt(host, request);
    const hidden = host.reach === 'everything' || (host.reach === 'documents' && !isHome);
    const reply = hidden || !published ? elsewhereAt(host.elsewhere, request, count, draw) : published;
    return { ...reply, latencyMs: host.latencyMs };
  };
  return host.move ? behind(host.move, asked) : asked;
}

function publishedAt({ publication, reshape }: GeneratedHost, { method, url, body }: MemoryRequest): Reply | undefined {
  const path = `${url.pathname}${url.search}`;
  const known: Readonly<Record<string, Reply>> = { '/': html(), ...publication.routes };
  const keys = [path, `https://${NAME}${path}`];
  const wanted = keys.flatMap((key) => [
    `${method} ${key} ${body ?? ''}`,
    `${method} ${key}`,
    ...(method === 'GET' ? [key] : []),
  ]);
  const reply = wanted.map((key) => known[key]).find((found) => found !== undefined);
  return reply && reshaped(reply, reshape);
}

function elsewhereAt(elsewhere: Elsewhere, request: MemoryRequest, count: number, draw: () => number): MemoryReply {
  const { pathname } = request.url;
  switch (elsewhere.kind) {
    case 'redirects_home':
      return pathname === '/' ? html() : { ...status(302), location: '/' };
    case 'cookie':
      return {
        ...status(307, { headers: { 'set-cookie': 'seen=1' } }),
        location: comesBack(elsewhere.way, request.url),
      };
    case 'redirect': {
      const { location, withPath } = elsewhere;
      if (pathname.startsWith(location)) return html('<!doctype html><title>Sign in</title><h1>Sign in</h1>');
      return {
        ...status(elsewhere.status),
        location: withPath ? `${location}${pathname}` : `${location}?next=${encodeURIComponent(pathname)}`,
      };
    }
    case 'wall': {
      const reply = say(elsewhere.page, request, count, draw);
      const body =
        reply.body?.replace('</body>', `<p>Incident ID: ${count}${Math.floor(draw() * 1e12)}</p></body>`) ?? '';
      return { ...reply, status: 200, headers: { ...reply.headers, ...elsewhere.headers }, body };
    }
    case 'catch_all':
      return { ...say(elsewhere.page, request, count, draw), status: 200 };
    default:
      return { ...say(elsewhere.page, request, count, draw), status: elsewhere.status };
  }
}

/**
 * The redirect target of a visitor without the cookie: the same page, one with a counter in the query, or another page.
 */
function comesBack(way: 'same' | 'query' | 'detour', { pathname, searchParams }: URL): string {
  if (way === 'same') return pathname;
  if (way === 'query') return `${pathname}?try=${Number(searchParams.get('try') ?? 0) + 1}`;
  return searchParams.get('back') ?? `/check?back=${encodeURIComponent(pathname)}`;
}
