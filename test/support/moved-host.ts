import fc from 'fast-check';
import { html, status } from './evidence';
import { fixtureFiles, fixtureNames, FIXTURES, repliesOf, type FixtureHost } from './fixture-host';
import { join } from 'node:path';
import type { MemoryReply, MemoryRequest } from './memory-host';

/** How a host redirects every path to another of its names. */
export interface Move {
  readonly status: 301 | 302 | 307 | 308;
  /** The names in the chain; the last one answers. */
  readonly via: readonly string[];
  /** The further redirect of the home page, if any. */
  readonly home: string | undefined;
  /** Whether the home page of the first name redirects there in one step. */
  readonly atOnce: boolean;
}

export const NAME = 'shop.example.com';

export const moves: fc.Arbitrary<Move> = fc.record({
  status: fc.constantFrom(301, 302, 307, 308),
  via: fc.constantFrom(['www.example.com'], ['eu.example.com'], ['www.example.com', 'eu.example.com']),
  home: fc.constantFrom(undefined, '/en/', '/start?from=apex'),
  atOnce: fc.boolean(),
});

/** A fixture as a function of the request, under any host name. */
export async function fixtureAnswer(name: string): Promise<(request: MemoryRequest) => MemoryReply> {
  const { host } = (await import(join(FIXTURES, name, 'host.ts'))) as { host: FixtureHost };
  const { routes, rest = status(404) } = repliesOf(host, fixtureFiles(name));
  const known: Readonly<Record<string, MemoryReply>> = { '/': html(), ...routes };
  return ({ method, url, body }) => {
    const path = `${url.pathname}${url.search}`;
    const keys = [path, `https://${NAME}${path}`, ...(url.hostname === NAME ? [] : [url.href])];
    const wanted = keys.flatMap((key) => [
      `${method} ${key} ${body ?? ''}`,
      `${method} ${key}`,
      ...(method === 'GET' ? [key] : []),
    ]);
    return wanted.map((key) => known[key]).find((reply) => reply !== undefined) ?? rest;
  };
}

export const fixtures = fixtureNames();

/** The same host behind the redirect: only its last name answers. */
export function behind(move: Move, answer: (request: MemoryRequest) => MemoryReply): typeof answer {
  const chain = [NAME, ...move.via];
  return (request) => {
    const { url } = request;
    const next = chain[chain.indexOf(url.hostname) + 1];
    if (!chain.includes(url.hostname)) return answer(request);
    const path = `${url.pathname}${url.search}`;
    if (next !== undefined) {
      const onward = path === '/' && move.atOnce && move.home !== undefined ? move.home : path;
      return { ...status(move.status), location: `https://${next}${onward}` };
    }
    if (path === '/' && move.home !== undefined) return { ...status(302), location: move.home };
    return answer({ ...request, url: new URL(path === move.home ? '/' : path, `https://${NAME}`) });
  };
}
