import type { DetectorId } from '@app/detectors';
import { type HostName } from '@app/hosts';
import { RUN_KINDS } from '@app/queue';
import { Domain, Protocol } from '../http/inputs';
import { hostPath } from '../http/paths';
import { PROBE_ERRORS } from '../probing-client/probe-errors';
import { protocolProbe } from '../reports/probes';
import { defineProduct } from './define-product';
import { usd } from './price';

class ProtocolRefreshInput {
  @Domain()
  domain!: HostName;

  @Protocol()
  protocol!: DetectorId;
}

/** Endpoint 4: a live probe of one protocol of a host (behaviour 7.4). */
export const protocolRefresh = defineProduct({
  sku: 'protocol_refresh',
  name: 'refresh_host_protocol',
  route: 'GET /api/v1/hosts/:domain/protocols/:protocol/refresh',
  price: usd('0.005'),
  description: 'Live probe of one protocol of a host',
  signed: true,
  title: 'Probe one protocol now',
  what: 'Probes one protocol of a host now, and returns its status and evidence. Included in a subscription to the host (Authorization: Bearer).',
  freshness: 'live for this protocol; the probe times of the host do not change.',
  errors: ['invalid_domain', 'unknown_protocol', ...PROBE_ERRORS],
  tool: { instead: 'Use refresh_host for all protocols, and lookup_host for the stored status.', readOnly: false },
  input: ProtocolRefreshInput,
  component: 'ProtocolRefresh',
  answer: RUN_KINDS.protocol.outcome,
  example: {
    call: '/api/v1/hosts/example.com/protocols/x402/refresh',
    answer: {
      domain: 'shop.example.com',
      protocol: 'llms',
      cell: { id: 'llms', status: 'present', version: null, details: {} },
    },
  },
  resource: ({ domain, protocol }) => `${hostPath(domain)}/protocols/${protocol}/refresh`,
  origin: ({ domain }) => domain,
  admit: ({ domain, protocol }, { probes }) => probes.admit([protocolProbe(domain, protocol)]),
  work: ({ domain, protocol }, { probes }) => probes.run(protocolProbe(domain, protocol)),
});
