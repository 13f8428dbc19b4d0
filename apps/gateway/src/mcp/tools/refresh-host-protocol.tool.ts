import { object, text, time } from '../json-schema';
import { CELL, DOMAIN, PROTOCOL } from '../schemas';
import type { PaidTool } from '../tool';

export const refreshHostProtocol: PaidTool = {
  name: 'refresh_host_protocol',
  title: 'Refresh one protocol of a host',
  about: {
    what: 'Looks at one protocol of a host now and answers with its verdict and evidence. Included for a subscriber of the host (Authorization: Bearer).',
    freshness: 'Freshness: live for this protocol; the clocks of the host stay as they are.',
    failures:
      'Failures, none of them charged: invalid_domain, unknown_protocol, target_busy, no_worker or busy (retry later), probe_timeout, probe_failed.',
    instead: 'Use refresh_host for the whole host and lookup_host for the stored verdict.',
  },
  input: object({ domain: DOMAIN, protocol: PROTOCOL }),
  answer: object({ domain: text, probedAt: time, protocol: PROTOCOL, cell: CELL }),
  openWorld: true,
  readOnly: false,
  sku: 'protocol_refresh',
  limited: false,
};
