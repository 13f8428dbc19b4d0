import { TargetBusyError } from '@app/limits';
import { priceUsd } from '@app/payments';
import { HostName } from '@app/hosts';
import { BatchAnswer, batchFailure, batchItem, readFacts, type BatchItem } from '@app/reports';
import { ArrayMaxSize, ArrayNotEmpty, Equals, IsArray, IsString } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { errorEntry } from '../http/error-codes';
import { Described, DOMAIN_SCHEMA } from '../http/inputs';
import { hostPath } from '../http/paths';
import { RequestError } from '../http/request-error';
import { HostTooSlowError, OptedOutError, PROBE_ERRORS } from '../probing-client/probe-errors';

import { hostProbe, liveReport } from '../reports/probes';
import { defineProduct } from './define-product';
import { atomicPrice, usd } from './price';
import type { ProductDeps } from './product-deps';

/** The maximum number of hosts (behaviour 1.5). */
const MAX_BATCH = 10;
/** The maximum length of an invalid item in an error. */
const MAX_QUOTE = 100;
const PRICE = usd('0.01', { of: 'host', usd: '0.002', most: MAX_BATCH });

class BatchRefreshInput {
  // Decorators run from last to first, and the first broken rule makes the error.
  @JSONSchema({ items: DOMAIN_SCHEMA })
  @IsString({ each: true, message: 'each of domains must be a string' })
  @ArrayMaxSize(MAX_BATCH, { message: `domains must contain no more than ${MAX_BATCH} elements` })
  @ArrayNotEmpty({ message: 'domains must not be empty' })
  @IsArray({ message: `domains must be a list of 1 to ${MAX_BATCH} host names` })
  domains!: string[];

  @Described('Must be `full`.', { type: 'string', enum: ['full'] })
  @Equals('full', { message: 'mode must be full', context: { allowed: ['full'] } })
  mode!: 'full';
}

/** Distinct hosts, in the order of the request. */
interface BatchArgs {
  readonly hosts: readonly HostName[];
}

const bodyOf = ({ hosts }: BatchArgs): object => ({ domains: hosts.map(({ ascii }) => ascii), mode: 'full' });

/** Endpoint 5: live probes of up to ten hosts for one payment (behaviour 7.5). */
export const batchRefresh = defineProduct({
  sku: 'batch_refresh',
  name: 'refresh_hosts_batch',
  route: 'POST /api/v1/hosts/refresh',
  price: PRICE,
  description: 'Live probes of up to ten hosts with one payment',
  signed: true,
  title: 'Probe several hosts now',
  what: `Probes 1 to ${MAX_BATCH} hosts now with one payment, and returns a summary of each in the order of the request. The full reports are free to read afterwards. A host that is listed twice counts once.`,
  freshness: 'live.',
  errors: ['invalid_domains', 'invalid_domain', 'invalid_mode', 'batch_failed', ...PROBE_ERRORS],
  failures: 'An error about one host names it in `item`. A host that could not be probed has `ok: false`.',
  tool: { instead: 'Use refresh_host for one host.', readOnly: false },
  input: BatchRefreshInput,
  component: 'BatchRefresh',
  answer: BatchAnswer,
  example: {
    call: '/api/v1/hosts/refresh',
    body: { domains: ['shop.example.com', 'api.example.com'], mode: 'full' },
    count: 2,
    answer: { mode: 'full', priceUsd: 0.014, results: [{ domain: 'shop.example.com', ok: true, payable: true }] },
  },
  /** Duplicate hosts are removed before the price is set (behaviour 1.5). */
  read: ({ domains }): BatchArgs => ({
    hosts: [...new Map(domains.map(itemHost).map((host) => [host.ascii, host])).values()],
  }),
  resource: () => '/api/v1/hosts/refresh',
  /** The payment is also bound to the hosts: two batches of the same size must not share a payment. */
  body: bodyOf,
  count: ({ hosts }) => hosts.length,
  /**
   * If one host must not be probed now, the whole batch is refused and the error names the host. A host that is too
   * slow only fails its own item, unless all are. The hosts may be neighbors, so their shared budget must suffice for
   * all.
   */
  admit: async ({ hosts }, { probes }) => {
    await probes.admit([]);
    const slow = await Promise.all(
      hosts.map((host) => probes.admit([hostProbe(host)], hosts.length).then(() => undefined, slowOr(naming(host)))),
    );
    const error = slow.find((one) => one !== undefined);
    if (error && slow.every((one) => one !== undefined)) throw error;
  },
  work: async ({ hosts }, deps) => {
    const results = await Promise.all(hosts.map((host) => itemOf(host, deps)));
    if (results.every(({ ok }) => !ok)) throw new RequestError('batch_failed');
    return { mode: 'full' as const, priceUsd: priceUsd(atomicPrice(PRICE, hosts.length)), results };
  },
});

/** All probes run at once, each with the deadline of a single one. A failure on our side affects one item only. */
async function itemOf(host: HostName, deps: ProductDeps): Promise<BatchItem> {
  try {
    const { facts } = await liveReport(deps, host);
    return batchItem(readFacts(facts), `${deps.installation.baseUrl}${hostPath(host)}`);
  } catch (error) {
    if (!(error instanceof RequestError || error instanceof TargetBusyError)) throw error;
    const sentence = error instanceof RequestError ? error.message : errorEntry(error.code).sentence;
    return batchFailure(host.ascii, error.code, sentence);
  }
}

function itemHost(raw: string, index: number): HostName {
  const reading = HostName.parse(raw);
  if (reading.ok) return reading.host;
  const sentence = reading.sentence.replace(/^domain/, `domains[${index}]`);
  throw new RequestError('invalid_domain', sentence, { item: raw.slice(0, MAX_QUOTE), index });
}

function slowOr(otherwise: (error: unknown) => never): (error: unknown) => HostTooSlowError {
  return (error) => (error instanceof HostTooSlowError ? error : otherwise(error));
}

function naming(host: HostName): (error: unknown) => never {
  return (error) => {
    const item = host.ascii;
    if (error instanceof TargetBusyError) {
      throw new RequestError(error.code, undefined, { item, retryAfterSec: error.retryAfterSec });
    }
    if (error instanceof OptedOutError) throw new RequestError(error.code, undefined, { item });
    throw error;
  };
}
