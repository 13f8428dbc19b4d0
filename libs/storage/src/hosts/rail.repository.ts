import { visible } from '@app/detectors';
import { isPayable, parsed, PaymentRail, type PayableHost } from '@app/reports';
import type { Database } from '../database/database';
import type { Prisma } from '../generated/client';

/** Which payable rails are wanted; a member that is missing restricts nothing. */
export interface RailFilter {
  /** Part of the host's name or of the priced URL, in lower case. */
  readonly query?: string;
  readonly protocol?: PaymentRail['protocol'];
  /** As in the report: a CAIP-2 id where the protocol has one. */
  readonly network?: string;
  /** Decimal dollars; rails without a price in dollars are left out then. */
  readonly maxPriceUsd?: string;
}

interface Row {
  domain: string;
  rail: string;
}

const MATCHES = `payable
  AND ($1::text IS NULL OR position($1 IN domain) > 0 OR position($1 IN lower(resource)) > 0)
  AND ($2::text IS NULL OR protocol = $2)
  AND ($3::text IS NULL OR network = $3)
  AND ($4::numeric IS NULL OR amount_usd <= $4)`;

/** Hosts by the ways they can be paid. SQL, because a page is one of hosts and its rows are their rails. */
export class RailRepository {
  constructor(private readonly database: Database) {}

  /** Up to `limit` hosts after the name `after`, alphabetical, each with its matching payable rails in report order. */
  async payableHosts(
    { query, protocol, network, maxPriceUsd }: RailFilter,
    after: string,
    limit: number,
  ): Promise<readonly PayableHost[]> {
    const { rows } = await this.database.pool.query<Row>(
      `WITH page AS (SELECT DISTINCT domain FROM host_rail WHERE ${MATCHES} AND domain > $5 ORDER BY domain LIMIT $6)
       SELECT domain, rail FROM host_rail JOIN page USING (domain) WHERE ${MATCHES} ORDER BY domain, position`,
      [query ?? null, protocol ?? null, network ?? null, maxPriceUsd ?? null, after, limit],
    );
    const hosts = new Map<string, PaymentRail[]>();
    for (const { domain, rail } of rows) {
      const rails = hosts.get(domain) ?? [];
      rails.push(parsed(PaymentRail, JSON.parse(rail)));
      hosts.set(domain, rails);
    }
    return [...hosts].map(([domain, rails]) => ({ domain, rails, observedAt: lastObserved(rails) }));
  }
}

/** The rows of a report's rails. */
export function railRows(domain: string, rails: readonly PaymentRail[]): Prisma.HostRailCreateManyInput[] {
  return rails.map((rail, position) => ({
    ...{ domain, position, protocol: rail.protocol, amountUsd: rail.amountUsd, observedAt: rail.observedAt },
    // A host may state anything; Postgres refuses a zero byte in text.
    network: rail.network === null ? null : visible(rail.network),
    resource: visible(rail.resource, MAX_RESOURCE),
    payable: isPayable(rail),
    rail: JSON.stringify(rail),
  }));
}

/** Longest URL that is searched. */
const MAX_RESOURCE = 2_048;

function lastObserved(rails: readonly PaymentRail[]): string {
  return rails.reduce((latest, { observedAt }) => (observedAt > latest ? observedAt : latest), '');
}
