import { hostArgument } from '../../http/arguments';
import { object } from '../json-schema';
import { DOMAIN, HOST_REPORT } from '../schemas';
import type { FreeTool } from '../tool';

export const lookupHost: FreeTool = {
  name: 'lookup_host',
  title: 'Look up a host',
  about: {
    what: 'What a host publishes for agents (UCP, ACP, AP2, TAP, MCP, A2A, x402, MPP, llms.txt, ai-plugin, OpenAPI), each verdict with the requests that prove it, the ways it can be paid, and fixes for what is missing.',
    freshness:
      'Freshness: the stored report; cache.presenceStale (older than a day) and cache.callabilityStale (older than 15 minutes) say whether to trust it, and a host never looked at has no protocols. Asking about one that is stale starts a free look in the background.',
    failures: 'Failures: invalid_domain for anything but a public host name.',
    instead: 'Use participation_check for a short answer and refresh_host for a live one.',
  },
  input: object({ domain: DOMAIN }),
  answer: HOST_REPORT,
  openWorld: false,
  readOnly: true,
  run: async ({ domain }, { reports }, { ip, waitMs }) =>
    (await reports.lookUp(hostArgument(domain), ip, waitMs)).body.toString(),
};
