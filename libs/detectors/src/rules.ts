import { DETECTORS } from './registry';

/** The rules that a report was judged by (behaviour 14.2). */
export interface RuleSet {
  /** Changes with every release whose detectors read the same evidence differently. */
  readonly version: string;
  /** ISO day at which the detector that was compared longest ago was last compared with its specification. */
  readonly checked: string;
}

/** The rules of this release. A change of what a detector concludes raises the version. */
export const RULES: RuleSet = {
  version: '2026-11-25',
  checked: DETECTORS.map(({ rules }) => rules.checked).reduce((a, b) => (a < b ? a : b)),
};
