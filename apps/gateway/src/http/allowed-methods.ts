import type { FastifyInstance } from 'fastify';

/** Knows which methods a path has, so that a wrong method is told from an unknown path (405 with `Allow`, not 404). */
export class AllowedMethods {
  private readonly routes: { readonly pattern: RegExp; readonly method: string }[] = [];

  /**
   * Listens to the routes being registered; call before any is.
   * @param withoutHead paths whose GET takes no HEAD, although Fastify registers one
   */
  observe(fastify: Pick<FastifyInstance, 'addHook'>, withoutHead: ReadonlySet<string> = new Set()): void {
    fastify.addHook('onRoute', ({ url, method }) => {
      if (method === 'HEAD' && withoutHead.has(url)) return;
      const path = url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/]+');
      for (const name of [method].flat()) this.routes.push({ pattern: new RegExp(`^${path}/?$`), method: name });
    });
  }

  /** Methods registered for the path of a request target, without duplicates; empty for an unknown path. */
  of(target: string): readonly string[] {
    const path = target.split('?', 1)[0] ?? '';
    return [...new Set(this.routes.filter((route) => route.pattern.test(path)).map((route) => route.method))];
  }
}
