import { oneLine } from '../terminal/paint';
import type { PaymentRefused, RefusedCode } from '../../../../packages/guard/src/index.js';
import type { Source } from './payment-check';

interface Told {
  readonly origin: string;
  readonly got: string;
  readonly expected: string;
}

const AGAIN = 'call probe_host for a fresh probe, then check again, and pay only if the decision is "pay"';

/** Codes of a guard in the seat of a client, which is not what asks here. */
type InClient = 'not_guarded_fetch' | 'nothing_allowed' | 'signs_something_else';

/** What is wrong and what to do. */
const REASONS: Readonly<Record<Exclude<RefusedCode, InClient>, (told: Told) => string>> = {
  unreadable_requirement: () => 'network, asset, payTo or amount cannot be read; pass one whole entry of accepts',
  resource_elsewhere: ({ origin, got }) =>
    `the 402 of ${origin} asks for money for another host (${got}); request that host itself`,
  asset_unpriced: ({ got }) => `the token ${got} is not known to be worth a dollar; choose an option in USDC`,
  too_much: ({ expected }) => `the price is above the limit (${expected}); ask the person you work for to raise it`,
  no_fresh_report: ({ origin }) =>
    `${origin} could not be probed from this machine, and no statement about it holds; call probe_host to see why`,
  statement_refused: ({ origin, got }) =>
    `the statement about ${origin} must not be believed (${got}); tell the person you work for`,
  rail_unknown: ({ origin, got, expected }) =>
    expected === ''
      ? `no working way to pay ${origin} was seen when it was probed; ${AGAIN}`
      : `${origin} was seen taking ${expected}, not ${got}; choose the option that was seen`,
  pay_to_differs: ({ origin, got, expected }) =>
    `${origin} was seen being paid at ${expected}, and this payment goes to ${got}; ${AGAIN}`,
  dearer_than_seen: ({ got, expected }) =>
    `the same resource was cheaper when it was probed (${expected} atomic units, now ${got}); ${AGAIN}`,
};

/** One sentence that an agent can act on. What the host wrote is one bounded line of it. */
export function refusedSentence({ code, detail }: Pick<PaymentRefused, 'code' | 'detail'>): string {
  const told = (text = ''): string => oneLine(text).slice(0, 160);
  const { origin, got, expected } = detail;
  const say: ((told: Told) => string) | undefined = Object.hasOwn(REASONS, code)
    ? REASONS[code as keyof typeof REASONS]
    : undefined;
  const reason = say?.({ origin: told(origin), got: told(got), expected: told(expected) });
  return `Do not pay: ${reason ?? `the guard refuses it (${code})`}.`;
}

/** The same for a payment that is allowed. @param unseen whether no probe asked this very resource */
export function allowedSentence(origin: string, source: Source, unseen: boolean): string {
  const seen = source === 'statement' ? 'a signed statement about' : 'a probe from this machine of';
  const price = unseen
    ? 'no probe asked this very resource, so only your limit holds its price'
    : 'and so is the price';
  return `You can pay: network, token and payee are those in ${seen} ${origin}, ${price}.`;
}
