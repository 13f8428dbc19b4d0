import { object } from '../json-schema';
import { DOMAIN, HOST_REPORT } from '../schemas';
import type { PaidTool } from '../tool';

export const refreshHost: PaidTool = {
  name: 'refresh_host',
  title: 'Refresh a host',
  about: {
    what: 'Looks at a host now: all eleven protocols, its live payment challenges and whether what it declares can be called. The answer is the report of lookup_host. Included for a subscriber of the host (Authorization: Bearer).',
    freshness: 'Freshness: live; both stale flags are false afterwards, for everybody.',
    failures:
      'Failures, none of them charged: invalid_domain, target_busy, no_worker or busy (retry later), probe_timeout, probe_failed. A dead host is an answer with reachable false, and is charged.',
    instead: 'Use lookup_host for the stored report and refresh_host_protocol for one protocol.',
  },
  input: object({ domain: DOMAIN }),
  answer: HOST_REPORT,
  openWorld: true,
  readOnly: false,
  sku: 'host_refresh',
  limited: false,
};
