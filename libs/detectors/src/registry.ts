import { a2a } from './a2a.detector';
import { acp } from './acp.detector';
import { aiPlugin } from './ai-plugin.detector';
import { ap2 } from './ap2.detector';
import type { Detector } from './detector';
import { llms } from './llms.detector';
import { mcp } from './mcp.detector';
import { mpp } from './mpp.detector';
import { openapi } from './openapi.detector';
import { tap } from './tap.detector';
import { ucp } from './ucp.detector';
import { x402 } from './x402.detector';

/** Every detector, in the order of the report (spec 2.6). The one list of protocols: all others derive from it. */
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
