import { visible } from '@app/detectors';
import { defined, grouped } from '@app/platform';
import { isPayable, parsed, PaymentRail, type PayableHost } from '@app/reports';
import type { Database } from '../database/database';
import type { Prisma } from '../generated/client';

/** A filter for payable options; missing fields do not restrict anything. */
export interface RailFilter {
  /** A part of the host name or of the priced URL, in lower case. */
  readonly query?: string;
  readonly protocol?: PaymentRail['protocol'];
  /** As in the report: a CAIP-2 id if the protocol has one. */
  readonly network?: string;
  /** Decimal dollars; excludes options without a price in dollars. */
  readonly maxPriceUsd?: string;
}

/** Finds hosts by their payment options. */
export class RailRepository {
  constructor(private readonly database: Database) {}

  /**
   * Up to `limit` hosts, each with its matching payable options in report order. By name they come after the name `after`;
   * by price (of the cheapest matching option) or by time (the newest first) `after` is ignored.
   */
  async payableHosts(
    filter: RailFilter,
    after: string,
    limit: number,
    order: PayableOrder = 'name',
  ): Promise<readonly PayableHost[]> {
    const { hostRail } = this.database.prisma;
    const matching = where(filter);
    const page = await hostRail.groupBy({
      by: 'domain',
      where: { ...matching, ...(order === 'name' && { domain: { gt: after } }) },
      orderBy: [...ORDERS[order], { domain: 'asc' }],
      take: limit,
    });
    const rows = await hostRail.findMany({
      where: { ...matching, domain: { in: page.map(({ domain }) => domain) } },
      orderBy: [{ domain: 'asc' }, { position: 'asc' }],
      select: { domain: true, rail: true },
    });
    const rails = grouped(rows, ({ domain }) => domain);
    return page.flatMap(({ domain }) => {
      const own = rails.get(domain)?.map(({ rail }) => parsed(PaymentRail, JSON.parse(rail)));
      return own ? [{ domain, rails: own, observedAt: lastObserved(own) }] : [];
    });
  }
}

/** What the hosts are sorted by. */
export type PayableOrder = 'name' | 'price' | 'checked';

const ORDERS = {
  name: [],
  price: [{ _min: { amountUsd: 'asc' } }],
  checked: [{ _max: { observedAt: 'desc' } }],
} as const satisfies Readonly<Record<PayableOrder, readonly Prisma.HostRailOrderByWithAggregationInput[]>>;

function where({ query, protocol, network, maxPriceUsd }: RailFilter): Prisma.HostRailWhereInput {
  // Escapes the wildcards of a LIKE pattern, which Prisma leaves as they are.
  const part = query?.replace(/[\\%_]/g, String.raw`\$&`);
  return {
    payable: true,
    ...(part !== undefined && {
      OR: [{ domain: { contains: part } }, { resource: { contains: part, mode: 'insensitive' } }],
    }),
    ...defined({ protocol, network }),
    ...(maxPriceUsd !== undefined && { amountUsd: { lte: maxPriceUsd } }),
  };
}

/** The rows for the payment options of a report. */
export function railRows(domain: string, rails: readonly PaymentRail[]): Prisma.HostRailCreateManyInput[] {
  return rails.map((rail, position) => ({
    ...{ domain, position, protocol: rail.protocol, amountUsd: rail.amountUsd, observedAt: rail.observedAt },
    // A host may send any text; Postgres rejects a zero byte.
    network: rail.network === null ? null : visible(rail.network),
    resource: visible(rail.resource, MAX_RESOURCE),
    payable: isPayable(rail),
    rail: JSON.stringify(rail),
  }));
}

/** How much of a URL can be searched. */
const MAX_RESOURCE = 2_048;

function lastObserved(rails: readonly PaymentRail[]): string {
  return rails.reduce((latest, { observedAt }) => (observedAt > latest ? observedAt : latest), '');
}
