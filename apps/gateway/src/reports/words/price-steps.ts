import { member, text } from '@app/detectors';
import type { ChangeRecord } from '@app/reports';

/** A payment option took another price. */
export interface PriceStep {
  readonly at: string;
  readonly resource: string;
  readonly network: string | null;
  /** Decimal dollars from then on; null for an asset whose price is not known. */
  readonly amountUsd: string | null;
}

/** The prices that changes name; their summaries say the same in words. */
export function priceSteps(records: readonly ChangeRecord[]): readonly PriceStep[] {
  return records
    .filter(({ kind }) => kind === 'price_changed')
    .map(({ at, after }) => ({
      at,
      resource: text(member(after, 'resource')) ?? '',
      network: text(member(after, 'network')) ?? null,
      amountUsd: text(member(after, 'amountUsd')) ?? null,
    }));
}
