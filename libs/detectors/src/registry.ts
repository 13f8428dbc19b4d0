import { a2a } from './a2a/a2a.detector';
import { acp } from './acp/acp.detector';
import { aiPlugin } from './ai-plugin/ai-plugin.detector';
import { ap2 } from './ap2/ap2.detector';
import type { Detector, Inquiry } from './judgement/detector';
import { llms } from './llms/llms.detector';
import { mcp } from './mcp/mcp.detector';
import { mpp } from './mpp/mpp.detector';
import { openapi } from './openapi/openapi.detector';
import { SIGNAL_INQUIRY } from './signals/signal-registry';
import { tap } from './tap/tap.detector';
import { ucp } from './ucp/ucp.detector';
import { x402 } from './x402/x402.detector';

/**
 * Every detector, in the order of the report (behaviour 4.7). All other lists of protocols are derived from this one.
 */
export const DETECTORS = [
  ucp,
  acp,
  ap2,
  tap,
  mcp,
  a2a,
  x402,
  mpp,
  llms,
  aiPlugin,
  openapi,
] as const satisfies readonly Detector[];

export type DetectorId = (typeof DETECTORS)[number]['id'];

export const DETECTOR_IDS: readonly DetectorId[] = DETECTORS.map((detector) => detector.id);

export function findDetector(id: string): Detector | undefined {
  return DETECTORS.find((detector) => detector.id === id);
}

/** The home page and the control pair, which every probe requests. */
const IN_ANY_PROBE = 3;
/** Requests of the callability phase for a host with many endpoints. */
const EXERCISED = 6;

/**
 * The number of requests in a probe with only these detectors, each document once; used for its weight (behaviour
 * 12.3).
 */
export function requestsOf(inquiries: readonly Inquiry[]): number {
  const documents = new Set(inquiries.flatMap(({ probes }) => probes.map(({ url }) => url)));
  return IN_ANY_PROBE + documents.size + (inquiries.some(({ exercises }) => exercises) ? EXERCISED : 0);
}

/** The requests of a full probe come from these. */
export const HOST_INQUIRIES: readonly Inquiry[] = [...DETECTORS, SIGNAL_INQUIRY];

/** The protocols that always request this path; none for paths that depend on an answer. */
export function protocolsAskingFor(path: string): readonly DetectorId[] {
  const all: readonly Detector<DetectorId>[] = DETECTORS;
  return all.filter(({ probes }) => probes.some(({ url }) => url === path)).map(({ id }) => id);
}

/** The rules behind a report (behaviour 14.2). */
export interface RuleSet {
  /** It changes with every release whose detectors interpret the same evidence differently. */
  readonly version: string;
  /** The oldest date on which a detector was last compared with its specification. */
  readonly checked: string;
}

/** The rules of this release. Raise the version when a detector's conclusions change. */
export const RULES: RuleSet = {
  version: '2026-11-25',
  checked: DETECTORS.map(({ rules }) => rules.checked).reduce((a, b) => (a < b ? a : b)),
};
