import { oneLine } from '../terminal/paint';
import type { PaymentRefused, RefusedCode, Warning } from '../../../../packages/guard/src/index.js';
import type { Source } from './payment-check';

interface RefusalDetail {
  readonly origin: string;
  readonly got: string;
  readonly expected: string;
}

const AGAIN = 'call probe_host for a fresh probe, check again, and pay only if the decision is "pay"';

/**
 * Codes that cannot occur here: only a guard inside a client has them, or {@link PaymentCheck} has probed the host
 * instead.
 */
type NotHere =
  | 'not_guarded_fetch'
  | 'nothing_allowed'
  | 'signs_something_else'
  | 'issuer_unreachable'
  | 'host_not_probed'
  | 'host_unreachable'
  | 'report_expired';

/** The fault and the advice for each code. */
const REASONS: Readonly<Record<Exclude<RefusedCode, NotHere>, (told: RefusalDetail) => string>> = {
  unreadable_requirement: () => 'network, asset, payTo or amount cannot be read; pass one whole entry of accepts',
  resource_elsewhere: ({ origin, got }) =>
    `the 402 of ${origin} is for a resource on another host (${got}); request that host directly`,
  asset_unpriced: ({ got }) => `the token ${got} is not a known dollar token; choose an option in USDC`,
  above_limit: ({ expected }) => `the price is above the limit (${expected}); ask your user to raise it`,
  no_statement: ({ origin }) =>
    `${origin} could not be probed from this machine, and there is no valid statement about it; call probe_host to see why`,
  statement_refused: ({ origin, got }) => `the statement about ${origin} is not valid (${got}); tell your user`,
  unknown_option: ({ origin, got, expected }) =>
    expected === ''
      ? `the probe found no working way to pay ${origin}; ${AGAIN}`
      : `when it was probed, ${origin} accepted ${expected}, not ${got}; choose the option that was probed`,
  pay_to_differs: ({ origin, got, expected }) =>
    `when it was probed, ${origin} asked for payment to ${expected}, but this payment goes to ${got}; ${AGAIN}`,
  price_increased: ({ got, expected }) =>
    `this resource cost less when it was probed (${expected} atomic units, now ${got}); ${AGAIN}`,
};

/** One sentence that an agent can act on. Text from the host is cut to one short line. */
export function refusedSentence({ code, detail }: Pick<PaymentRefused, 'code' | 'detail'>): string {
  const told = (text = ''): string => oneLine(text).slice(0, 160);
  const { origin, got, expected } = detail;
  const say: ((told: RefusalDetail) => string) | undefined = Object.hasOwn(REASONS, code)
    ? REASONS[code as keyof typeof REASONS]
    : undefined;
  const reason = say?.({ origin: told(origin), got: told(got), expected: told(expected) });
  return `Do not pay: ${reason ?? `the guard blocked it (${code})`}.`;
}

/** The same for a payment that is allowed. */
export function allowedSentence(origin: string, source: Source, warnings: readonly Warning[]): string {
  if (warnings.includes('paid_to_issuer'))
    return `You can pay: ${origin} is the hostprobe service that is configured here, and the price is within your limit.`;
  const seen = source === 'statement' ? `a signed statement about ${origin}` : `a probe of ${origin} from this machine`;
  return warnings.includes('resource_unseen')
    ? `You can pay: network, token and recipient match ${seen}. This exact resource was not probed, so only your limit caps the price.`
    : `You can pay: network, token, recipient and price match ${seen}.`;
}
