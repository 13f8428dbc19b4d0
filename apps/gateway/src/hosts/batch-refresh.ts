import { createHash } from 'node:crypto';
import { TargetBusyError } from '@app/limits';
import { offer, priceUsd, type Offer } from '@app/payments';
import type { HostRepository } from '@app/persistence';
import { batchFailure, batchItem, HostName, type BatchItem, type HostFacts } from '@app/reports';
import { RequestError } from '../http/request-error';
import { validated } from '../http/validated';
import type { PaidOperation } from '../paywall/paid-operation';
import type { Job, Work } from '../paywall/paywall.service';
import type { ProbeClient } from '../probes/probe-client';
import { OptedOutError, ProbeFailedError, ProbesUnavailableError, ProbeTimeoutError } from '../probes/probe-errors';
import { RefreshBatchDto } from './dto/refresh-batch.dto';
import { liveReport } from './live-report';
import { hostLook } from './looks';
import { reportUrl } from './refresh-offer';
import { BATCH_REFRESH } from './refresh-routes';

/** Distinct hosts in the order they were asked for. */
export interface BatchArgs {
  readonly hosts: readonly HostName[];
}

export interface BatchRefreshParts {
  readonly hosts: HostRepository;
  readonly probes: ProbeClient;
  readonly baseUrl: string;
}

/** Longest part of a bad item that is quoted back. */
const MAX_QUOTE = 100;

/** Endpoint 5: live looks at up to ten hosts for one payment (spec 4.5, contract 4). */
export class BatchRefresh implements PaidOperation<BatchArgs> {
  constructor(private readonly parts: BatchRefreshParts) {}

  /** Names of one host collapse before anything is priced (contract 1). */
  parse(raw: unknown): BatchArgs {
    const { domains } = validated(RefreshBatchDto, raw);
    const hosts = new Map(domains.map(itemHost).map((host) => [host.ascii, host]));
    return { hosts: [...hosts.values()] };
  }

  /** The payment is bound to the hosts as well: two batches of one size are two requests at one URL. */
  offer({ hosts }: BatchArgs): Offer {
    const body = JSON.stringify({ domains: hosts.map(({ ascii }) => ascii), mode: 'full' });
    return offer(
      'batch_refresh',
      {
        method: 'POST',
        resource: `${this.parts.baseUrl}/api/v1/hosts/refresh`,
        bodyHash: createHash('sha256').update(body).digest('hex'),
        route: BATCH_REFRESH,
      },
      hosts.length,
    );
  }

  job(args: BatchArgs): Job {
    return { admit: () => this.admit(args), work: () => this.work(args) };
  }

  /** A host that must not be asked now would be paid for in vain: the whole batch is refused, and it is named. */
  private async admit({ hosts }: BatchArgs): Promise<void> {
    await this.parts.probes.admit([]);
    await Promise.all(hosts.map((host) => this.parts.probes.admit([hostLook(host)]).catch(naming(host))));
  }

  private async work(args: BatchArgs): Promise<Work> {
    const results = await Promise.all(args.hosts.map((host) => this.look(host)));
    if (results.every(({ ok }) => !ok)) throw new ProbesUnavailableError('batch_failed');
    const body = { mode: 'full', priceUsd: priceUsd(this.offer(args).priceAtomic), results };
    return { body: JSON.stringify(body), charge: true };
  }

  /** All looks run at once, each under the deadline of a single one; a failure of ours costs its item only. */
  private async look(host: HostName): Promise<BatchItem> {
    try {
      const { facts } = await liveReport(this.parts, host);
      return batchItem(JSON.parse(facts) as HostFacts, reportUrl(this.parts.baseUrl, host));
    } catch (error) {
      if (!isOurs(error)) throw error;
      return batchFailure(host.ascii, error.code, error.message);
    }
  }
}

function itemHost(raw: string, index: number): HostName {
  const reading = HostName.parse(raw);
  if (reading.ok) return reading.host;
  const sentence = reading.sentence.replace(/^domain/, `domains[${index}]`);
  throw new RequestError(400, 'invalid_domain', sentence, { item: raw.slice(0, MAX_QUOTE), index });
}

function naming(host: HostName): (error: unknown) => never {
  return (error) => {
    const item = host.ascii;
    if (error instanceof TargetBusyError) {
      throw new RequestError(429, error.code, error.message, { item, retryAfterSec: error.retryAfterSec });
    }
    if (error instanceof OptedOutError) throw new RequestError(403, error.code, error.message, { item });
    throw error;
  };
}

type OurFailure = ProbesUnavailableError | ProbeTimeoutError | ProbeFailedError | TargetBusyError | OptedOutError;

function isOurs(error: unknown): error is OurFailure {
  return [ProbesUnavailableError, ProbeTimeoutError, ProbeFailedError, TargetBusyError, OptedOutError].some(
    (kind) => error instanceof kind,
  );
}
