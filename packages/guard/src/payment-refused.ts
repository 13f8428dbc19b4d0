/** Why a payment is refused. The codes are stable; the README says what each one means. */
export type RefusedCode =
  | 'not_guarded_fetch'
  | 'unreadable_requirement'
  | 'resource_elsewhere'
  | 'asset_unpriced'
  | 'too_much'
  | 'no_fresh_report'
  | 'statement_refused'
  | 'rail_unknown'
  | 'pay_to_differs'
  | 'dearer_than_seen'
  | 'nothing_allowed'
  | 'signs_something_else';

/** What was asked for, and what would have been right, both as text. */
export interface RefusedDetail {
  readonly origin?: string;
  readonly got?: string;
  readonly expected?: string;
}

/** A payment that is not signed. The ES module and the CommonJS module have a class each: use {@link isPaymentRefused}. */
export class PaymentRefused extends Error {
  override readonly name = 'PaymentRefused';

  constructor(
    readonly code: RefusedCode,
    readonly detail: RefusedDetail = {},
  ) {
    const said = Object.entries(detail).map(([name, value]) => `${name} ${String(value).slice(0, 200)}`);
    super(`hostprobe guard: ${code}${said.length > 0 ? ` (${said.join(', ')})` : ''}`);
  }
}

/** Whether an error is a {@link PaymentRefused} of any copy of this package. */
export function isPaymentRefused(error: unknown): error is PaymentRefused {
  return error instanceof Error && error.name === 'PaymentRefused' && 'code' in error;
}
