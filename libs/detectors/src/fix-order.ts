import type { Detector } from './judgement/detector';
import { EFFORTS, gainOf, type Gain } from './judgement/gain';
import { DETECTORS } from './registry';
import type { Fix } from './run-detector';

const BY_ID: ReadonlyMap<string, { readonly detector: Detector; readonly rank: number }> = new Map(
  (DETECTORS as readonly Detector[]).map((detector, rank) => [detector.id, { detector, rank }]),
);

/** A fix of a detector that this release no longer has. */
const UNKNOWN: Gain = { priority: 3, effort: 'hours', why: 'This release does not probe the protocol.' };

/**
 * Fixes sorted by their value for agents (behaviour 4.6): payment before discovery before the rest, faults before
 * missing documents, less effort before more, then the order of the protocols. Those of retired protocols come last.
 */
export function inFixOrder(fixes: readonly Fix[]): readonly Fix[] {
  const keys = new Map(fixes.map((fix) => [fix, keyOf(fix)]));
  return fixes.toSorted((a, b) => compared(keys.get(a) ?? [], keys.get(b) ?? []));
}

function keyOf({ id, protocol, priority, effort }: Fix): readonly number[] {
  const known = BY_ID.get(protocol);
  const retired = known?.detector.retired === true;
  const rank = known?.rank ?? BY_ID.size;
  // A private key in a retired document is equally public.
  return [Number(retired && priority > 1), priority, Number(id.endsWith('.missing')), EFFORTS.indexOf(effort), rank];
}

function compared(a: readonly number[], b: readonly number[]): number {
  return a.map((value, i) => value - (b[i] ?? 0)).find((difference) => difference !== 0) ?? 0;
}

/** The gain of a stored fix, derived from its id. */
export function gainOfFix(id: string): Gain {
  const [protocol = '', kind = ''] = id.split('.', 2);
  const known = BY_ID.get(protocol);
  return known ? gainOf(known.detector.gain, kind) : UNKNOWN;
}
