import type { DriftEvent, DriftMemory, PaymentRail } from '@app/reports';

/**
 * Bytes that one probe may write of a report, with what drift remembers, rails and changes: some forty times what the
 * longest honest one has. A longer one is neither stored nor charged.
 */
export const REPORT_BYTES = 1_048_576;

/** What a host makes long or short. */
interface SizedReport {
  readonly facts: string;
  readonly driftMemory: DriftMemory | null;
  readonly rails: readonly PaymentRail[];
  readonly events: readonly DriftEvent[];
}

/** @throws {Error} it is longer than {@link REPORT_BYTES} */
export function requireShort({ facts, driftMemory, rails, events }: SizedReport): void {
  const bytes = Buffer.byteLength(facts) + Buffer.byteLength(JSON.stringify([driftMemory, rails, events]));
  if (bytes > REPORT_BYTES) throw new Error(`a report of ${bytes} bytes is not stored`);
}
