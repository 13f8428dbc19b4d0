import { ViemChainReader } from '@app/chain';
import type { Config } from '@app/config';
import type { HostRepository } from '@app/persistence';
import { EndpointHealthCheck } from './checks/endpoint-health';
import { PayPreflightCheck } from './checks/pay-preflight';
import { PayToOwnershipCheck } from './checks/payto-check';
import { BatchRefresh } from './hosts/batch-refresh';
import { HostRefresh, ProtocolRefresh } from './hosts/host-refresh';
import type { HostReportsService } from './hosts/host-reports.service';
import type { PaidToolSku } from './mcp/tool';
import type { PaidOperation } from './paywall/paid-operation';
import type { ProbeClient } from './probes/probe-client';
import { ReceiptVerification } from './receipts/receipt-verification';

interface Surroundings {
  readonly hosts: HostRepository;
  readonly reports: HostReportsService;
  readonly probes: ProbeClient;
  readonly rpc: Config['rpc'];
  readonly baseUrl: string;
}

/** Everything that is sold through a route and a tool, by product: both doors are handed the same. */
export type Operations = ReturnType<typeof createOperations>;

export function createOperations({ hosts, reports, probes, rpc, baseUrl }: Surroundings) {
  const chains = {
    'eip155:8453': new ViemChainReader(8453, rpc[8453]),
    'eip155:84532': new ViemChainReader(84532, rpc[84532]),
  };
  return {
    host_refresh: new HostRefresh({ reports, probes, baseUrl }),
    protocol_refresh: new ProtocolRefresh({ reports, probes, baseUrl }),
    batch_refresh: new BatchRefresh({ hosts, probes, baseUrl }),
    pay_preflight: new PayPreflightCheck({ hosts, probes, baseUrl }),
    endpoint_health: new EndpointHealthCheck({ probes, baseUrl }),
    payto_check: new PayToOwnershipCheck({ probes, baseUrl }),
    receipt_verify: new ReceiptVerification({ chains, baseUrl }),
  } as const satisfies Readonly<Record<PaidToolSku, PaidOperation<unknown>>>;
}
