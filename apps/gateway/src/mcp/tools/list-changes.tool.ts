import { hostArgument } from '../../http/arguments';
import { about, count, flag, list, number, object, oneOf, text, time, url } from '../json-schema';
import { DOMAIN, PROTOCOL } from '../schemas';
import type { FreeTool } from '../tool';

const KINDS = [
  'appeared',
  'vanished',
  'degraded',
  'recovered',
  'version_changed',
  'endpoint_changed',
  'price_changed',
  'pay_to_changed',
  'details_changed',
];

/** Contract 4; `before` and `after` are any JSON, and come with full events only. */
export const CHANGE = object(
  { id: text, at: time, protocol: PROTOCOL, kind: oneOf(KINDS), summary: text },
  { before: {}, after: {} },
);

/** How to get the full history. */
export const SUBSCRIBE_OFFER = object({
  priceUsd: number,
  days: count,
  network: text,
  rest: object({ method: { const: 'POST' }, url }),
  docs: url,
});

export const listChanges: FreeTool = {
  name: 'list_changes',
  title: 'List changes of a host',
  about: {
    what: 'How a host changed between looks, newest first: protocols that appeared, vanished, broke or recovered, prices, payees and endpoints that moved.',
    freshness:
      'Freshness: as of the last look. The last 5 summaries are free; a subscriber of the host (Authorization: Bearer) gets pages of whole events, and subscribe tells how to become one.',
    failures: 'Failures: invalid_domain. A host without changes has an empty list.',
    instead: 'Use refresh_host first to see what changed since.',
  },
  input: object(
    { domain: DOMAIN },
    {
      limit: { type: 'integer', description: 'For subscribers of the host; others always get the last 5.' },
      before: { type: 'string', description: 'For subscribers: nextBefore of the page before.' },
    },
  ),
  answer: object(
    {
      domain: text,
      full: about('Whether the changes say what was there before and after.', flag),
      changes: about('Newest first.', list(CHANGE)),
      subscribe: SUBSCRIBE_OFFER,
    },
    { nextBefore: about('before of the next page.', text) },
  ),
  openWorld: false,
  readOnly: true,
  run: async ({ domain, limit, before }, { changes }, { credentialFor }) => {
    const host = hostArgument(domain);
    return JSON.stringify(await changes.read(host, await credentialFor(host), { limit, before }));
  },
};
