import { DETECTOR_IDS, RULES, inFixOrder, isObject, type Fix, type ProtocolCell, type Signal } from '@app/detectors';
import { defined } from '@app/platform';
import type { HostClocks } from './cache-state';
import type { HostName } from '@app/hosts';
import type { HostFacts, UcpSummary } from './host-report';
import type { PaymentRails } from './payment-rails';

/** What one finished probe of a host brought: everything a report states apart from what depends on the hour. */
export interface HostProbe {
  readonly host: HostName;
  /** As `originFrom` says. */
  readonly origin: string;
  /** As `reachableFrom` says. */
  readonly reachable: boolean;
  readonly cells: readonly ProtocolCell[];
  readonly fixes: readonly Fix[];
  readonly rails: PaymentRails;
  readonly signals: readonly Signal[];
  /** Both clocks as they stand after the probe: a presence probe passes the older callability clock through. */
  readonly clocks: HostClocks;
}

const NO_RAILS: PaymentRails = { payable: false, checkedAt: null, rails: [] };

/** The stored part of a report, its members in the order of behaviour 3.1, cells in the order of behaviour 4.7, fixes in that of 4.6. */
export function assembleFacts(probe: HostProbe): HostFacts {
  const { probedAt, callabilityProbedAt } = probe.clocks;
  return {
    domain: probe.host.ascii,
    origin: probe.origin,
    ...defined({ probedAt, callabilityProbedAt }),
    reachable: probe.reachable,
    ucp: ucpOf(probe.cells),
    fixes: inFixOrder(probe.fixes),
    protocols: inReportOrder(probe.cells, (cell) => cell.id),
    // Nothing may have been there to call.
    paymentRails: { ...probe.rails, checkedAt: probe.rails.checkedAt ?? callabilityProbedAt ?? null },
    signals: probe.signals,
    rules: RULES,
  };
}

/** Behaviour 3.3: a host that was not probed yet has neither clocks nor `reachable`. */
export function neverProbed(host: HostName): HostFacts {
  return { domain: host.ascii, origin: host.origin, ucp: null, fixes: [], protocols: [], paymentRails: NO_RAILS };
}

/**
 * A one-protocol refresh (behaviour 3.4): rewrites that cell and its fixes and moves no clock. On a host never probed the
 * facts then hold this one cell, still without clocks and `reachable`. The rules stay those of the other cells.
 */
export function mergeCell(facts: HostFacts, cell: ProtocolCell, fixes: readonly Fix[]): HostFacts {
  const cells = [...facts.protocols.filter((other) => other.id !== cell.id), cell];
  const otherFixes = facts.fixes.filter((fix) => fix.protocol !== cell.id);
  return {
    ...facts,
    ...(facts.protocols.length === 0 ? { rules: RULES } : {}),
    ucp: ucpOf(cells),
    fixes: inFixOrder([...otherFixes, ...fixes]),
    protocols: inReportOrder(cells, (other) => other.id),
  };
}

/** Sorts by detector, keeping the given order within one; ids of no present detector go last. */
export function inReportOrder<Item>(
  items: readonly Item[],
  idOf: (item: Item) => string,
  order: readonly string[] = DETECTOR_IDS,
): readonly Item[] {
  const rank = new Map(order.map((id, index) => [id, index]));
  const rankOf = (item: Item): number => rank.get(idOf(item)) ?? order.length;
  return items.toSorted((a, b) => rankOf(a) - rankOf(b));
}

/** The report's `ucp`: what the ucp detector read from the profile, null when there is no profile or it could not be checked. */
function ucpOf(cells: readonly ProtocolCell[]): UcpSummary | null {
  const cell = cells.find(({ id }) => id === 'ucp');
  if (cell === undefined || cell.status === 'absent' || cell.status === 'error') return null;
  const profile = cell.details['profile'];
  return isObject(profile) ? profile : null;
}
