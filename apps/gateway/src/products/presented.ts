import type { PayloadReading, ReadPayload } from '@app/payments';

/** The payment that a sale is made for. */
export function presented(payload: PayloadReading | undefined): ReadPayload {
  if (!payload?.ok) throw new Error('the paywall sells only for a payment');
  return payload.payload;
}
