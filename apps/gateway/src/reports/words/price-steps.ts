import { member, text } from '@app/detectors';
import type { ChangeRecord } from '@app/reports';

/** A change of the price of a payment option. */
export interface PriceStep {
  readonly at: string;
  readonly resource: string;
  readonly network: string | null;
  /** The new price in decimal dollars; null for an asset without a known price. */
  readonly amountUsd: string | null;
}

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
