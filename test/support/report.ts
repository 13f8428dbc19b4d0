import type { CellStatus, Fix, JsonObject, ProtocolCell } from '@app/detectors';
import { HostName } from '@app/hosts';
import { type PaymentRail } from '@app/reports';

/** A valid host name; otherwise the test fails. */
export function hostName(raw = 'shop.example.com'): HostName {
  const reading = HostName.parse(raw);
  if (!reading.ok) throw new Error(reading.sentence);
  return reading.host;
}

export const cell = (
  id: string,
  status: CellStatus = 'present',
  details: JsonObject = {},
  version: string | null = null,
): ProtocolCell => ({ id, status, version, details });

export const fix = (protocol: string, kind = 'missing'): Fix => ({
  id: `${protocol}.${kind}`,
  protocol,
  priority: 2,
  effort: 'hours',
  why: 'Agents read it.',
  problem: `No ${protocol} document was found.`,
  fix: 'Publish one.',
  spec: 'https://spec.example/',
});

/** A valid x402 option at `resource`: a cent of USDC on Base. */
export const rail = (more: Partial<PaymentRail> = {}): PaymentRail => ({
  protocol: 'x402',
  version: '2',
  scheme: 'exact',
  network: 'eip155:8453',
  networkName: 'Base',
  testnet: false,
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  assetSymbol: 'USDC',
  amount: '10000',
  maxAmount: '10000',
  amountUsd: '0.01',
  payTo: '0x1111111111111111111111111111111111111111',
  resource: 'https://shop.example.com/api/quote',
  resources: 1,
  httpMethod: 'GET',
  strictClientReadable: true,
  clients: [],
  reasons: [],
  observedAt: '2026-11-01T12:00:00.000Z',
  ...more,
});
