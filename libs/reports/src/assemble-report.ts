import { DETECTOR_IDS, RULES, inFixOrder, isObject, type Fix, type ProtocolCell, type Signal } from '@app/detectors';
import { defined } from '@app/platform';
import type { HostClocks } from './cache-state';
import type { HostName } from '@app/hosts';
import type { HostFacts, UcpSummary } from './host-report';
import type { PaymentRails } from './payment-rails';

/** The results of a probe: everything in a report that does not depend on the current time. */
export interface HostProbe {
  readonly host: HostName;
  /** See `originFrom`. */
  readonly origin: string;
  /** See `reachableFrom`. */
  readonly reachable: boolean;
  readonly cells: readonly ProtocolCell[];
  readonly fixes: readonly Fix[];
  readonly rails: PaymentRails;
  readonly signals: readonly Signal[];
  /** Both timestamps after the probe; a presence probe keeps the older callability timestamp. */
  readonly clocks: HostClocks;
}

const NO_RAILS: PaymentRails = { payable: false, checkedAt: null, rails: [] };

/**
 * The stored part of a report: fields in the order of behaviour 3.1, cells in that of behaviour 4.7, fixes in that of
 * behaviour 4.6.
 */
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
    // There may have been nothing to call.
    paymentRails: { ...probe.rails, checkedAt: probe.rails.checkedAt ?? callabilityProbedAt ?? null },
    signals: probe.signals,
    rules: RULES,
  };
}

/** Behaviour 3.3: a host that was never probed has neither timestamps nor `reachable`. */
export function neverProbed(host: HostName): HostFacts {
  return { domain: host.ascii, origin: host.origin, ucp: null, fixes: [], protocols: [], paymentRails: NO_RAILS };
}

/**
 * The result of a one-protocol refresh (behaviour 3.4): it replaces that cell and its fixes and changes no timestamp.
 * For a host that was never probed, the report then has this one cell, without timestamps and `reachable`. `rules`
 * stays that of the other cells.
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

/** Sorts by detector, keeping the order within each one; ids of removed detectors go last. */
export function inReportOrder<Item>(
  items: readonly Item[],
  idOf: (item: Item) => string,
  order: readonly string[] = DETECTOR_IDS,
): readonly Item[] {
  const rank = new Map(order.map((id, index) => [id, index]));
  const rankOf = (item: Item): number => rank.get(idOf(item)) ?? order.length;
  return items.toSorted((a, b) => rankOf(a) - rankOf(b));
}

/**
 * The report's `ucp`: the profile as read by the ucp detector; null if there is no profile or it could not be checked.
 */
function ucpOf(cells: readonly ProtocolCell[]): UcpSummary | null {
  const cell = cells.find(({ id }) => id === 'ucp');
  if (cell === undefined || cell.status === 'absent' || cell.status === 'error') return null;
  const profile = cell.details['profile'];
  return isObject(profile) ? profile : null;
}
