import { text } from '../../routes/json-schema';
import { describe, type DescribedRoute, type Paths } from '../../routes/operation';
import { PAYMENT, SUBSCRIBER } from '../../routes/parameters';
import { challenged, RECEIPT, errorResponses, response, validatedAnswer } from '../../routes/responses';
import { findPayable, HOSTS_QUERY } from '../../products/find-payable';
import { reportRefresh } from '../../products/host-refresh';
import { listChanges } from '../../products/list-changes';
import { lookupHost } from '../../products/lookup-host';
import { answer } from '../../routes/recorded-answers';

const HOST_CALL = '/api/v1/hosts/example.com';

/** Endpoints 1 and 3 of behaviour 7.1. */
export function hostPaths(): Paths {
  return describe([lookup(), list(), changes()]);
}

/** Behaviour 7.12. */
function list(): DescribedRoute {
  const { name, title, what, freshness, failures, component } = findPayable;
  const { properties = {}, required = [] } = HOSTS_QUERY;
  return {
    path: '/api/v1/hosts',
    query: { properties, required },
    call: '/api/v1/hosts?payable=true&protocol=x402&network=base&maxPriceUsd=0.05',
    operationId: name,
    summary: title,
    description: `${what} Freshness: ${freshness} ${failures ?? ''}`.trim(),
    tag: 'hosts',
    responses: { ...validatedAnswer('The hosts.', answer(component)), ...errorResponses(400) },
  };
}

/** Free; with `refresh=1` it is endpoint 2 under another URL (behaviour 7.2). */
function lookup(): DescribedRoute {
  const { name, title, what, freshness, component } = lookupHost;
  const { path, params, query } = reportRefresh.describe;
  return {
    path,
    params: params ?? {},
    query: { properties: query?.properties ?? {} },
    call: HOST_CALL,
    shared: ['Prefer', ...PAYMENT, 'SIGN-IN-WITH-X'],
    operationId: name,
    summary: title,
    description: `${what} Freshness: ${freshness} Never asks for a payment, unless \`refresh=1\` asks for a live probe.`,
    tag: 'hosts',
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

function changes(): DescribedRoute {
  const { name, title, what, freshness, component, input } = listChanges;
  const { domain, ...rest } = input.properties ?? {};
  return {
    path: '/api/v1/hosts/:domain/changes',
    params: { domain },
    query: { properties: rest },
    call: `${HOST_CALL}/changes`,
    operationId: name,
    summary: title,
    description: `${what} Freshness: ${freshness}`,
    tag: 'hosts',
    security: [{}, ...SUBSCRIBER],
    responses: { 200: response('The changes.', ['Vary'], answer(component)), ...errorResponses(400, 401) },
  };
}
