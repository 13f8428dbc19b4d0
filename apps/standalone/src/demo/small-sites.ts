import { json, NOT_FOUND, text, type DemoSite } from './demo-site';
import { x402Challenge, type PricedRoute } from './priced-route';

/** A paid API without a shop around it: an API description, an x402 manifest and one priced route. */
export function apiOnly(money: Pick<PricedRoute, 'network' | 'payTo'>): DemoSite {
  const name = 'api-only.example.com';
  const url = `https://${name}/v1/quote`;
  const route: PricedRoute = { url, description: 'One exchange rate', amountAtomic: 1_000n, ...money };
  const responses = { '200': { description: 'A rate' }, '402': { description: 'Payment required' } };
  const description = {
    openapi: '3.1.0',
    info: { title: 'Quotes', version: '2.1.0' },
    servers: [{ url: `https://${name}` }],
    paths: { '/v1/quote': { get: { operationId: 'quote', responses } } },
  };
  return {
    name,
    answer: ({ path }) => {
      if (path === '/v1/quote') return x402Challenge(route);
      if (path === '/.well-known/x402') return json({ x402Version: 2, resources: [{ url, method: 'GET' }] });
      if (path === '/openapi.json') return json(description);
      return path === '/' ? json({ name: 'Quotes', docs: '/openapi.json' }) : NOT_FOUND;
    },
  };
}

/** An ordinary web site that publishes nothing for agents. */
export const bare: DemoSite = {
  name: 'bare.example.com',
  answer: ({ path }) =>
    path === '/'
      ? text('text/html', '<!doctype html><title>Bare</title><p>Nothing for machines here.</p>')
      : text('text/html', '<!doctype html><title>Not found</title>', 404),
};

/** A single-page application that answers every path with its shell, which is no document for a machine. */
export const htmlEverywhere: DemoSite = {
  name: 'html-everywhere.example.com',
  answer: () =>
    text('text/html', '<!doctype html><title>Application</title><div id="root"></div><script src="/app.js"></script>'),
};

/** A host that has had enough: not probed is not absent. */
export const rateLimited: DemoSite = {
  name: 'rate-limited.example.com',
  answer: () => json({ error: 'too many requests' }, { 'retry-after': '60' }, 429),
};

/** A host behind a bot wall that lets no agent in. */
export const botWall: DemoSite = {
  name: 'bot-wall.example.com',
  answer: () => ({
    status: 403,
    headers: { 'content-type': 'text/html; charset=utf-8', 'cf-mitigated': 'challenge' },
    body: '<!doctype html><title>Just a moment...</title>',
  }),
};
