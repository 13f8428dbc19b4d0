/** Why a payment is refused, and what to do. The codes are stable. */
export const REFUSALS = {
  not_guarded_fetch:
    'The payment was made outside `fetch`, `axios` and `within` of the guard, so its origin is not known. Make the request through one of them.',
  unreadable_requirement:
    'The network, asset, recipient or amount of the payment cannot be read. Choose another payment option.',
  resource_elsewhere: 'The 402 asks for payment for a resource of another host. Request that host directly.',
  asset_unpriced:
    'The token is not known to be worth a dollar. Choose an option in USDC, or add the decimals of the token to `dollars`.',
  above_limit: 'The payment costs more than `maxUsd`. Raise `maxUsd` if you accept the price.',
  issuer_unreachable: 'The issuer did not answer with a statement and its keys. Check `issuer`, then retry.',
  host_not_probed: 'The issuer has not probed this host. Probe it there, then retry.',
  host_unreachable: 'The host did not answer when the issuer probed it. Probe it again before you pay.',
  report_expired: 'The payment options of this host were tested too long ago. Probe it at the issuer, then retry.',
  no_statement:
    "Your `statement` or `probe` returned nothing, or the issuer makes no statement about this host: its owner opted out, or its name is not public. Pay it only with `unknown: 'allow'`.",
  statement_refused:
    'The statement about this host failed verification, and `detail.got` says why. Do not pay; tell the operator of the issuer.',
  unknown_option:
    'The probe saw no payment option on this network in this asset. Choose one that it saw, or probe the host again, then call `forget(origin)`.',
  pay_to_differs:
    'The recipient is not the one that the probe saw. Probe the host again, call `forget(origin)`, and pay only if it then agrees.',
  price_increased:
    'This resource cost less when it was probed. Probe the host again, call `forget(origin)`, and pay only if it then agrees.',
  nothing_allowed:
    'The hook allowed no payment, or the one that it allowed is signed already. Make one guarded request for each payment.',
  signs_something_else:
    'The data to sign is not the allowed payment, or no payment at all: an allowance, a message, another contract. Do not sign it.',
} as const satisfies Readonly<Record<string, string>>;

export type RefusedCode = keyof typeof REFUSALS;

/** The codes for an origin without a statement. `unknown: 'allow'` turns them into warnings. */
const UNBACKED = [
  'issuer_unreachable',
  'host_not_probed',
  'host_unreachable',
  'report_expired',
  'no_statement',
] as const;
export type UnbackedCode = (typeof UNBACKED)[number];

/** Whether a payment is refused because there is no statement, rather than because a statement contradicts it. */
export function isUnbacked(code: RefusedCode): code is UnbackedCode {
  return UNBACKED.some((one) => one === code);
}

/** The requested and the correct value, both as text. */
export interface RefusedDetail {
  readonly origin?: string;
  readonly got?: string;
  readonly expected?: string;
}

/**
 * A payment that was not signed. The ES and CommonJS modules each have their own class, so use {@link
 * isPaymentRefused}.
 */
export class PaymentRefused extends Error {
  override readonly name = 'PaymentRefused';

  constructor(
    readonly code: RefusedCode,
    readonly detail: RefusedDetail = {},
    cause?: unknown,
  ) {
    const said = Object.entries(detail).map(([name, value]) => `${name}: ${String(value).slice(0, 200)}`);
    const details = said.length > 0 ? ` (${said.join(', ')})` : '';
    super(`hostprobe guard: ${code}. ${REFUSALS[code]}${details}`, cause === undefined ? undefined : { cause });
  }
}

/** Whether an error is a {@link PaymentRefused} from any copy of this package. */
export function isPaymentRefused(error: unknown): error is PaymentRefused {
  return error instanceof Error && error.name === 'PaymentRefused' && 'code' in error;
}
