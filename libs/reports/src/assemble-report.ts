import { DETECTOR_IDS, isObject, type Fix, type ProtocolCell } from '@app/detectors';
import type { HostName } from './host-name';
import type { HostClocks, HostFacts, UcpSummary } from './host-report';
import type { PaymentRails } from './payment-rails';

/** What one finished look at a host brought: everything a report states apart from what depends on the hour. */
export interface HostLook {
  readonly host: HostName;
  /** As `originFrom` says. */
  readonly origin: string;
  /** As `reachableFrom` says. */
  readonly reachable: boolean;
  readonly cells: readonly ProtocolCell[];
  readonly fixes: readonly Fix[];
  readonly rails: PaymentRails;
  /** Both clocks as they stand after the look: a presence look passes the older callability clock through. */
  readonly clocks: HostClocks;
}

const NO_RAILS: PaymentRails = { payable: false, checkedAt: null, rails: [] };

/** The stored part of a report, its members in the order of spec 2.1, cells and fixes in the order of spec 2.6. */
export function assembleFacts(look: HostLook): HostFacts {
  const { probedAt, callabilityProbedAt } = look.clocks;
  return {
    domain: look.host.ascii,
    origin: look.origin,
    ...(probedAt === undefined ? {} : { probedAt }),
    ...(callabilityProbedAt === undefined ? {} : { callabilityProbedAt }),
    reachable: look.reachable,
    ucp: ucpOf(look.cells),
    fixes: inReportOrder(look.fixes, (fix) => fix.protocol),
    protocols: inReportOrder(look.cells, (cell) => cell.id),
    paymentRails: look.rails,
  };
}

/** Contract 3: a host nobody has looked at yet has neither clocks nor `reachable`. */
export function neverProbed(host: HostName): HostFacts {
  return { domain: host.ascii, origin: host.origin, ucp: null, fixes: [], protocols: [], paymentRails: NO_RAILS };
}

/**
 * A one-protocol refresh (contract 3): rewrites that cell and its fixes and moves no clock. On a host never probed the
 * facts then hold this one cell, still without clocks and `reachable`.
 */
export function mergeCell(facts: HostFacts, cell: ProtocolCell, fixes: readonly Fix[]): HostFacts {
  const cells = [...facts.protocols.filter((other) => other.id !== cell.id), cell];
  const otherFixes = facts.fixes.filter((fix) => fix.protocol !== cell.id);
  return {
    ...facts,
    ucp: ucpOf(cells),
    fixes: inReportOrder([...otherFixes, ...fixes], (fix) => fix.protocol),
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

/** The report's `ucp`: what the ucp detector read from the profile, null when there is none or it could not be seen. */
function ucpOf(cells: readonly ProtocolCell[]): UcpSummary | null {
  const cell = cells.find(({ id }) => id === 'ucp');
  if (cell === undefined || cell.status === 'absent' || cell.status === 'error') return null;
  const profile = cell.details['profile'];
  return isObject(profile) ? profile : null;
}
