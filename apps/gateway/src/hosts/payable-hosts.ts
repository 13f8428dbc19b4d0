import { caip2OfV1Name, NETWORKS } from '@app/detectors';
import type { OptOuts } from '@app/limits';
import type { RailFilter, RailRepository } from '@app/persistence';
import { HostName, payableHostsPage, type PayableHosts } from '@app/reports';
import { RequestError } from '../http/request-error';
import { validated } from '../http/validated';
import { FindPayableDto } from './dto/find-payable.dto';

const DEFAULT_PAGE = 20;

interface PayableHostsQuery {
  readonly filter: RailFilter;
  /** Name of the last host of the page before. */
  readonly after: string;
  readonly limit: number;
}

export interface PayableHostsParts {
  readonly rails: RailRepository;
  readonly optOuts: OptOuts;
}

/** The list of hosts that answered with a payable challenge (contract 6). Evidence: no ranking, no advice. Free. */
export class PayableHostsList {
  constructor(private readonly parts: PayableHostsParts) {}

  /** @throws {RequestError} 400 for arguments that say nothing */
  async find(raw: unknown): Promise<PayableHosts> {
    const { filter, after, limit } = queryOf(raw);
    const page = payableHostsPage(await this.parts.rails.payableHosts(filter, after, limit + 1), limit);
    // A host that opted out after it was looked at is no longer shown around; its own report says so.
    return { ...page, hosts: page.hosts.filter(({ domain }) => !this.parts.optOuts.covers(domain)) };
  }
}

function queryOf(raw: unknown): PayableHostsQuery {
  const { query, protocol, network, maxPriceUsd, limit = DEFAULT_PAGE, cursor } = validated(FindPayableDto, raw);
  return {
    filter: {
      ...(query === undefined ? {} : { query: query.trim().toLowerCase().replaceAll('\0', '') }),
      ...(protocol === undefined ? {} : { protocol }),
      ...(network === undefined ? {} : { network: networkIdOf(network) }),
      ...(maxPriceUsd === undefined ? {} : { maxPriceUsd }),
    },
    after: cursor === undefined ? '' : cursorHost(cursor),
    limit,
  };
}

/** CAIP-2 id of a network by its id, its name or its name in x402 version 1. */
function networkIdOf(stated: string): string {
  const name = stated.trim().toLowerCase();
  const known = NETWORKS.find((network) => network.caip2.toLowerCase() === name || network.name.toLowerCase() === name);
  const id = known?.caip2 ?? caip2OfV1Name(name);
  if (id === undefined) {
    throw new RequestError(400, 'invalid_network', 'network must be a known network, for example eip155:8453 or base');
  }
  return id;
}

function cursorHost(cursor: string): string {
  const reading = HostName.parse(cursor);
  if (reading.ok && reading.host.ascii === cursor) return cursor;
  throw new RequestError(400, 'invalid_cursor', 'cursor must be the nextCursor of the page before');
}
