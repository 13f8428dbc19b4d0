import { defined, withoutTrailing } from '@app/platform';
import { HostName } from '@app/hosts';
import { PayableHosts } from '@app/reports';
import { Transform } from 'class-transformer';
import { Equals, IsString, Matches, MaxLength } from 'class-validator';
import { BAD_CURSOR, Described, OneOf, Optional, PageInput } from '../http/inputs';
import { publishedJson, sendPublished } from '../http/published';
import type { RateLimits } from '../http/rate-limits';
import { RequestError } from '../http/request-error';
import { queryArguments } from '../http/validated';
import { defineRoute } from '../routes/define-route';
import { answer } from '../routes/recorded-answers';
import { validatedAnswer } from '../routes/responses';
import { networkIdOf, type PayableHostsList } from './payable-hosts';
import { defineFreeTool, operationTexts } from './free-tool';

const RAIL_PROTOCOLS = ['x402', 'mpp'] as const;
const DOLLARS = /^\d{1,12}(?:\.\d{1,18})?$/;

class FindPayableInput extends PageInput {
  @Described('Search text: part of the host name or of a priced URL.')
  @Optional()
  @MaxLength(253, { message: 'query must not be longer than 253 characters' })
  @IsString()
  query?: string;

  @Optional()
  @OneOf(RAIL_PROTOCOLS)
  protocol?: (typeof RAIL_PROTOCOLS)[number];

  @Described('CAIP-2 id or name, for example eip155:8453 or base.')
  @Optional()
  @MaxLength(64, { message: 'network must not be longer than 64 characters' })
  @IsString()
  network?: string;

  /** Language models send a price as a number or as text. */
  @Described('Maximum price in dollars. Payment options without a known price are left out.', {
    type: ['number', 'string'],
  })
  @Transform(({ value }: { value: unknown }) => (typeof value === 'number' ? plainDecimal(value) : value))
  @Optional()
  @Matches(DOLLARS, { message: 'maxPriceUsd must be a decimal number from 0, with at most 12 digits before the point' })
  maxPriceUsd?: string;
}

export const findPayable = defineFreeTool({
  name: 'find_payable',
  title: 'Find payable hosts',
  what: 'Lists hosts whose live payment challenge passed every check, sorted by name, with up to 5 matching payment options each. Not a recommendation.',
  freshness: 'see `observedAt` of each payment option; confirm with pay_preflight before paying.',
  errors: [
    'invalid_query',
    'invalid_protocol',
    'invalid_network',
    'invalid_max_price_usd',
    'invalid_limit',
    'invalid_cursor',
  ],
  failures: 'An empty list means that no probed host matches.',
  instead: 'Use lookup_host for one host.',
  input: FindPayableInput,
  component: 'PayableHosts',
  answer: PayableHosts,
  run: async (input, { payable }) => ({ body: JSON.stringify(await payable.find(...searchOf(input))) }),
});

/** The query must ask for payable hosts, because there is no other list of hosts. */
class HostsQuery extends FindPayableInput {
  @Described('Must be `true`: this list contains only payable hosts.', { type: 'string', enum: ['true'] })
  @Equals('true', { message: 'payable must be true: this list contains only payable hosts' })
  payable!: 'true';
}

/** The services behind the list of hosts. */
export interface HostsDeps {
  readonly payable: PayableHostsList;
  readonly rateLimits: RateLimits;
}

/** Behaviour 7.12: the tool as a route. Free, and limited like the checks of a caller. */
export const HOSTS_ROUTE = defineRoute({
  route: 'GET /api/v1/hosts',
  input: HostsQuery,
  call: '/api/v1/hosts?payable=true&protocol=x402&network=base&maxPriceUsd=0.05',
  ...operationTexts(findPayable, findPayable.failures ?? ''),
  tag: 'hosts',
  answers: validatedAnswer('The hosts.', answer(findPayable.component)),
  errors: [400],
  handle: async ({ payable, rateLimits }: HostsDeps, input, request, reply) => {
    const search = searchOf(input);
    await rateLimits.countCheck(request, reply);
    const list = publishedJson(await payable.find(...search));
    return { ...list, headers: { ...list.headers, 'cache-control': 'public, max-age=30' } };
  },
  send: sendPublished,
});

/** Reads the query of `GET /api/v1/hosts`. @throws {RequestError} 400 for an invalid query */
export function hostsSearch(query: unknown): HostsSearch {
  return searchOf(queryArguments(HostsQuery, query));
}

/** The arguments of the search. */
type HostsSearch = Parameters<PayableHostsList['find']>;

function searchOf({ query, protocol, network, maxPriceUsd, limit, cursor }: FindPayableInput): HostsSearch {
  const filter = defined({
    query: query?.trim().toLowerCase().replaceAll('\0', ''),
    protocol,
    network: network === undefined ? undefined : networkIdOf(network),
    maxPriceUsd,
  });
  return [filter, cursor === undefined ? '' : cursorHost(cursor), limit];
}

/** A number as decimal text for {@link DOLLARS}, without an exponent as in `1e-7`. */
function plainDecimal(value: number): string {
  return Number.isFinite(value) ? withoutTrailing(withoutTrailing(value.toFixed(18), '0'), '.') : String(value);
}

function cursorHost(cursor: string): string {
  const reading = HostName.parse(cursor);
  if (reading.ok && reading.host.ascii === cursor) return cursor;
  throw new RequestError('invalid_cursor', BAD_CURSOR);
}
