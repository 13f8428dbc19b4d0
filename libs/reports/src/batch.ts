import type { DeepReadonly } from '@app/platform';
import { z } from 'zod';
import { protocolId, time } from './answer-schema';
import type { HostFacts } from './host-report';
import { idsWith } from './protocol-cell';

/** Detector ids, in report order. */
const Ids = z.array(protocolId);

/** Behaviour 7.5: a host of a batch that was probed, reachable or not. */
const BatchSuccess = z.object({
  domain: z.string(),
  ok: z.literal(true),
  reachable: z.boolean(),
  payable: z.boolean(),
  probedAt: time.nullable(),
  /** Protocols in none of the three lists are absent or undiscoverable. */
  present: Ids,
  partial: Ids,
  errors: Ids,
  /** Absolute URL of the free report. */
  report: z.string(),
});
export type BatchSuccess = DeepReadonly<z.infer<typeof BatchSuccess>>;

/** Behaviour 7.5: a host of a batch that could not be probed, because of a failure on our side. */
const BatchFailure = z.object({
  domain: z.string(),
  ok: z.literal(false),
  /** A sentence for people. */
  error: z.string(),
  /** A stable snake_case code, as in the error bodies of behaviour 2.1. */
  code: z.string(),
});
type BatchFailure = DeepReadonly<z.infer<typeof BatchFailure>>;

const BatchItem = z.union([BatchSuccess, BatchFailure]);
export type BatchItem = DeepReadonly<z.infer<typeof BatchItem>>;

/** Behaviour 7.5, `batch_refresh`: the hosts in the order of the request. */
export const BatchAnswer = z.object({ mode: z.literal('full'), priceUsd: z.number(), results: z.array(BatchItem) });
export type BatchAnswer = DeepReadonly<z.infer<typeof BatchAnswer>>;

/** The summary of a report for a batch answer; `reportUrl` is the absolute URL of the host's free report. */
export function batchItem(facts: HostFacts, reportUrl: string): BatchSuccess {
  return {
    domain: facts.domain,
    ok: true,
    reachable: facts.reachable ?? false,
    payable: facts.paymentRails.payable,
    probedAt: facts.probedAt ?? null,
    present: idsWith(facts, 'present'),
    partial: idsWith(facts, 'partial'),
    errors: idsWith(facts, 'error'),
    report: reportUrl,
  };
}

/** The item of a host whose probe failed, within a 200 answer (behaviour 7.5). */
export function batchFailure(domain: string, code: string, error: string): BatchFailure {
  return { domain, ok: false, error, code };
}
