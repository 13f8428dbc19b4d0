import { text } from '../../routes/json-schema';
import type { Operation, Paths } from '../../routes/operation';
import { PAYMENT, routeParameters, shared, SUBSCRIBER } from '../../routes/parameters';
import { challenged, RECEIPT, errorResponses, response, validatedAnswer } from '../../routes/responses';
import { findPayable, HOSTS_QUERY } from '../../products/find-payable';
import { reportRefresh } from '../../products/host-refresh';
import { listChanges } from '../../products/list-changes';
import { lookupHost } from '../../products/lookup-host';
import { subscription } from '../../products/subscription';
import { answer } from '../../routes/recorded-answers';

const HOST_CALL = '/api/v1/hosts/example.com';

/** Endpoints 1 and 3 of behaviour 7.1, and what a subscriber may do with a subscription (behaviour 10.1). */
export function hostPaths(): Paths {
  return {
    '/api/v1/hosts/{domain}': { get: lookup() },
    '/api/v1/hosts': { get: list() },
    '/api/v1/hosts/{domain}/changes': { get: changes() },
    '/api/v1/hosts/{domain}/subscription': {
      get: ofSubscription(
        'show_subscription',
        'Show a subscription',
        'Until when it runs, and what is left of it. Free.',
      ),
      delete: ofSubscription('end_subscription', 'End a subscription', 'Ends it at once. Nothing is paid back.'),
    },
    '/api/v1/hosts/{domain}/subscription/key': { post: newKey() },
  };
}

/** Behaviour 7.12. */
function list(): Operation {
  const { name, title, what, freshness, failures, component } = findPayable;
  const { properties = {}, required = [] } = HOSTS_QUERY;
  const call = '/api/v1/hosts?payable=true&protocol=x402&network=base&maxPriceUsd=0.05';
  return {
    operationId: name,
    summary: title,
    description: `${what} Freshness: ${freshness} ${failures ?? ''}`.trim(),
    tags: ['hosts'],
    security: [],
    parameters: [
      ...routeParameters({ path: '/api/v1/hosts', query: { properties, required } }, call),
      ...shared('If-None-Match'),
    ],
    responses: { ...validatedAnswer('The hosts.', answer(component)), ...errorResponses(400) },
  };
}

/** Free; with `refresh=1` it is endpoint 2 under another URL (behaviour 7.2). */
function lookup(): Operation {
  const { name, title, what, freshness, component } = lookupHost;
  const { path, params, query } = reportRefresh.describe;
  const optional = { path, params: params ?? {}, query: { properties: query?.properties ?? {} } };
  return {
    operationId: name,
    summary: title,
    description: `${what} Freshness: ${freshness} Never asks for a payment, unless \`refresh=1\` asks for a live probe.`,
    tags: ['hosts'],
    security: [],
    parameters: [
      ...routeParameters(optional, HOST_CALL),
      ...shared('If-None-Match', 'Prefer', ...PAYMENT, 'SIGN-IN-WITH-X'),
    ],
    responses: {
      ...validatedAnswer(
        'The stored report; with `refresh=1` the report of a fresh probe.',
        { ...answer(component), 'text/markdown': { schema: text }, 'application/jwt': { schema: text } },
        ['Vary', 'Link', ...RECEIPT],
      ),
      402: challenged('With `refresh=1` only.'),
      ...errorResponses(400, 401, 403, 404, 409, 502, 503, 504),
    },
  };
}

function changes(): Operation {
  const { name, title, what, freshness, component, input } = listChanges;
  const { domain, ...rest } = input.properties ?? {};
  const route = { path: '/api/v1/hosts/:domain/changes', params: { domain }, query: { properties: rest } };
  return {
    operationId: name,
    summary: title,
    description: `${what} Freshness: ${freshness}`,
    tags: ['hosts'],
    security: [{}, ...SUBSCRIBER],
    parameters: routeParameters(route, `${HOST_CALL}/changes`),
    responses: { 200: response('The changes.', ['Vary'], answer(component)), ...errorResponses(400, 401) },
  };
}

function ofSubscription(operationId: string, summary: string, description: string): Operation {
  return {
    operationId,
    summary,
    description,
    tags: ['hosts'],
    security: SUBSCRIBER,
    parameters: routeParameters(subscription.describe, subscription.example.call),
    responses: { 200: response('The subscription.', [], answer('Subscription')), ...errorResponses(400, 401) },
  };
}

/** Behaviour 10.5. */
function newKey(): Operation {
  return {
    ...ofSubscription(
      'change_subscription_key',
      'Draw a new key',
      'Ends the key of the subscription and answers a new one. Only the wallet that paid may ask for it.',
    ),
    security: [{ signInWithX: [] }],
    responses: {
      200: response('The subscription and its new key.', [], answer('NewSubscription')),
      ...errorResponses(400, 401),
    },
  };
}
