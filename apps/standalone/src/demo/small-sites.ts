import { json, NOT_FOUND, text, type DemoSite } from './demo-site';
import { x402Challenge, type PricedRoute } from './priced-route';

/** An account that is not the service's. Nobody is known to have its key. */
const STRANGER = '0x8ba1f109551bD432803012645Ac136ddd64DBA72';

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
    shows: 'a paid API without a shop',
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
  shows: 'an ordinary site that publishes nothing for agents',
  answer: ({ path }) =>
    path === '/'
      ? text('text/html', '<!doctype html><title>Bare</title><p>Nothing for machines here.</p>')
      : text('text/html', '<!doctype html><title>Not found</title>', 404),
};

/**
 * A single-page application that answers every path with its HTML shell, even the paths of machine-readable
 * documents.
 */
export const htmlEverywhere: DemoSite = {
  name: 'html-everywhere.example.com',
  shows: 'an application that answers every path with the same page',
  answer: () =>
    text('text/html', '<!doctype html><title>Application</title><div id="root"></div><script src="/app.js"></script>'),
};

/** A host that limits our requests: its protocols are unknown, not absent. */
export const rateLimited: DemoSite = {
  name: 'rate-limited.example.com',
  shows: 'a host that allows no more requests for now',
  answer: () => json({ error: 'too many requests' }, { 'retry-after': '60' }, 429),
};

/** A host behind a bot wall that lets no agent in. */
export const botWall: DemoSite = {
  name: 'bot-wall.example.com',
  shows: 'a bot wall that lets no agent in',
  answer: () => ({
    status: 403,
    headers: { 'content-type': 'text/html; charset=utf-8', 'cf-mitigated': 'challenge' },
    body: '<!doctype html><title>Just a moment...</title>',
  }),
};

/** A store whose UCP profile lacks members that clients need. */
export const partial: DemoSite = {
  name: 'partial.example.com',
  shows: 'a UCP profile with a mistake, and how to fix it',
  answer: (request) => {
    if (request.path === '/.well-known/ucp') {
      return json({ ucp: { version: 'latest', services: {}, capabilities: {} } });
    }
    return bare.answer(request);
  },
};

/** A store whose certificate has expired. */
export const brokenTls: DemoSite = {
  name: 'broken-tls.example.com',
  shows: 'a certificate that has expired',
  expired: true,
  answer: bare.answer,
};

/** A paid API whose manifest names another recipient than its live payment challenge. */
export function otherPayee(money: Pick<PricedRoute, 'network' | 'payTo'>): DemoSite {
  const name = 'other-payee.example.com';
  const url = `https://${name}/v1/quote`;
  const route: PricedRoute = { url, description: 'One exchange rate', amountAtomic: 1_000n, ...money };
  const stated = {
    scheme: 'exact',
    network: money.network.id,
    amount: '1000',
    asset: money.network.usdc.address,
    payTo: STRANGER,
  };
  return {
    name,
    shows: 'a manifest and a route that name different recipients',
    answer: (request) => {
      if (request.path === '/v1/quote') return x402Challenge(route);
      if (request.path === '/.well-known/x402') {
        return json({ x402Version: 2, resources: [{ url, method: 'GET', accepts: [stated] }] });
      }
      return bare.answer(request);
    },
  };
}
