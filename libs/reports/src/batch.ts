import type { CellStatus } from '@app/detectors';
import type { HostFacts } from './host-report';

/** Contract 4, one host of a batch that was looked at, alive or dead. */
export interface BatchSuccess {
  readonly domain: string;
  readonly ok: true;
  readonly reachable: boolean;
  readonly payable: boolean;
  readonly probedAt: string | null;
  /** Detector ids by status, in report order; those in none of the three lists are absent or undiscoverable. */
  readonly present: readonly string[];
  readonly partial: readonly string[];
  readonly errors: readonly string[];
  /** Absolute URL of the free report. */
  readonly report: string;
}

/** Contract 4, one host of a batch that could not be looked at for a reason of ours. */
export interface BatchFailure {
  readonly domain: string;
  readonly ok: false;
  /** One sentence for a person. */
  readonly error: string;
  /** Stable snake_case, as in the error bodies of contract 2. */
  readonly code: string;
}

export type BatchItem = BatchSuccess | BatchFailure;

/** Sums up a report for a batch answer; `reportUrl` is the absolute URL of the host's free report. */
export function batchItem(facts: HostFacts, reportUrl: string): BatchSuccess {
  const withStatus = (status: CellStatus): readonly string[] =>
    facts.protocols.filter((cell) => cell.status === status).map((cell) => cell.id);
  return {
    domain: facts.domain,
    ok: true,
    reachable: facts.reachable ?? false,
    payable: facts.paymentRails.payable,
    probedAt: facts.probedAt ?? null,
    present: withStatus('present'),
    partial: withStatus('partial'),
    errors: withStatus('error'),
    report: reportUrl,
  };
}

/** The item of a host whose look failed; it is part of a 200 answer (spec 4.5). */
export function batchFailure(domain: string, code: string, error: string): BatchFailure {
  return { domain, ok: false, error, code };
}
