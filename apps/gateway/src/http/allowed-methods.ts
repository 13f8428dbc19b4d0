import type { FastifyInstance } from 'fastify';

/** Records the methods of each path, so that a wrong method gets 405 with `Allow` and an unknown path gets 404. */
export class AllowedMethods {
  private readonly routes: { readonly pattern: RegExp; readonly method: string }[] = [];

  /**
   * Records routes as they are registered; call it before the first one.
   * @param withoutHead paths whose GET does not accept HEAD, although Fastify registers one
   */
  observe(fastify: Pick<FastifyInstance, 'addHook'>, withoutHead: ReadonlySet<string> = new Set()): void {
    fastify.addHook('onRoute', ({ url, method }) => {
      if (method === 'HEAD' && withoutHead.has(url)) return;
      const path = url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/]+');
      for (const name of [method].flat()) this.routes.push({ pattern: new RegExp(`^${path}/?$`), method: name });
    });
  }

  /** The methods of a request target's path, without duplicates; empty for an unknown path. */
  of(target: string): readonly string[] {
    const path = target.split('?', 1)[0] ?? '';
    return [...new Set(this.routes.filter((route) => route.pattern.test(path)).map((route) => route.method))];
  }
}
