import type { FailureReason } from '@app/detectors';

/** Names that were not found lately. What it throws is taken for not knowing. */
export interface NegativeCache {
  recall(host: string): Promise<FailureReason | undefined>;
  remember(host: string, reason: FailureReason): Promise<void>;
}

/** For a prober on its own, such as the command line's. */
export const NO_MEMORY: NegativeCache = {
  recall: () => Promise.resolve(undefined),
  remember: () => Promise.resolve(),
};
