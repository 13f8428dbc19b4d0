import { text } from '../mcp/json-schema';
import { HOST_REPORT } from '../mcp/schemas';
import { lookupHost } from '../mcp/tools/lookup-host.tool';
import { listChanges } from '../mcp/tools/list-changes.tool';
import { SOLD } from '../discovery/sold-routes';
import { REPORT_REFRESH } from '../hosts/refresh-routes';
import { nameOf } from './components';
import type { Described, Operation, Paths } from './operation';
import { paidOperation, toolPaths } from './paid-paths';
import { PAYMENT, routeParameters, shared, templateOf } from './parameters';
import { answer } from './recorded-answers';
import { challenged, RECEIPT, refusals, response, validatedAnswer } from './responses';

/** How a subscriber is told (RFC 6750, and the extension `sign-in-with-x` of x402). */
export const SECURITY_SCHEMES = {
  subscriptionKey: { type: 'http', scheme: 'bearer', description: 'The key of a subscription, for its origin.' },
  signInWithX: {
    type: 'apiKey',
    in: 'header',
    name: 'SIGN-IN-WITH-X',
    description: 'A message signed by the wallet that paid.',
  },
};

/** Either, where a subscriber is meant. */
export const SUBSCRIBER = [{ subscriptionKey: [] }, { signInWithX: [] }];
const HOST_CALL = '/api/v1/hosts/example.com';

/** Endpoints 1 to 5 and 7 to 10 of spec 4, and subscriptions (contract 5). */
export function hostPaths(installation: Described): Paths {
  return {
    [templateOf(REPORT_REFRESH.path)]: { get: lookUp() },
    '/api/v1/hosts/{domain}/changes': { get: changes() },
    [templateOf(SOLD.subscription.route.path)]: subscriptions(installation),
    ...toolPaths(installation),
  };
}

/** Free; with `refresh=1` it is endpoint 2 under another URL (spec 4.1). */
function lookUp(): Operation {
  const { name, title, about, input } = lookupHost;
  const { path, params = {}, query } = REPORT_REFRESH;
  const optional = { path, params, query: { properties: query?.properties ?? {} } };
  return {
    operationId: name,
    summary: title,
    description: `${about.what} ${about.freshness} Never asks for a payment, unless \`refresh=1\` asks for a live look.`,
    tags: ['hosts'],
    security: [],
    parameters: [
      ...routeParameters(optional, HOST_CALL, input.properties),
      ...shared('If-None-Match', 'Prefer', ...PAYMENT, 'SIGN-IN-WITH-X'),
    ],
    responses: {
      ...validatedAnswer(
        'The report; with `refresh=1` what was bought.',
        { ...answer(nameOf(HOST_REPORT)), 'text/markdown': { schema: text } },
        ['Vary', ...RECEIPT],
      ),
      402: challenged('With `refresh=1` only.'),
      ...refusals(400, 401, 403, 409, 502, 503, 504),
    },
  };
}

function changes(): Operation {
  const { name, title, about, input } = listChanges;
  const asked = {
    path: '/api/v1/hosts/:domain/changes',
    params: REPORT_REFRESH.params ?? {},
    query: { properties: { limit: {}, before: {} } },
  };
  return {
    operationId: name,
    summary: title,
    description: `${about.what} ${about.freshness}`,
    tags: ['hosts'],
    security: [{}, ...SUBSCRIBER],
    parameters: routeParameters(asked, `${HOST_CALL}/changes`, input.properties),
    responses: {
      200: response('The changes.', ['Vary'], answer(nameOf(listChanges.answer))),
      ...refusals(400, 401),
    },
  };
}

function subscriptions(installation: Described): Paths[string] {
  const { days } = installation.subscription;
  const { route, call } = SOLD.subscription;
  const shown = (operationId: string, summary: string): Operation => ({
    operationId,
    summary,
    tags: ['hosts'],
    security: SUBSCRIBER,
    parameters: routeParameters(route, call, lookupHost.input.properties),
    responses: {
      200: response('The subscription.', [], answer('Subscription')),
      ...refusals(400, 401),
    },
  });
  return {
    post: paidOperation('subscription', installation, {
      operationId: 'subscribe',
      summary: 'Subscribe to a host',
      description: `Its full change history and its live looks, within fair use, for ${days} days. The answer holds the key, which is shown once; name the purchase with an Idempotency-Key nobody can guess to be able to fetch it again.`,
      tags: ['hosts'],
      bought: 'NewSubscription',
      input: lookupHost.input.properties ?? {},
    }),
    get: shown('show_subscription', 'Show a subscription'),
    delete: shown('end_subscription', 'End a subscription'),
  };
}
