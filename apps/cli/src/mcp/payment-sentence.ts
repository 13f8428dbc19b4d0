import { oneLine } from '../terminal/paint';
import type { PaymentRefused, RefusedCode } from '../../../../packages/guard/src/index.js';
import type { Source } from './payment-check';

interface Told {
  readonly origin: string;
  readonly got: string;
  readonly expected: string;
}

const AGAIN = 'call probe_host for a fresh probe, check again, and pay only if the decision is "pay"';

/** Codes of a guard in the seat of a client, which is not what asks here. */
type InClient = 'not_guarded_fetch' | 'nothing_allowed' | 'signs_something_else';

/** What is wrong and what to do. */
const REASONS: Readonly<Record<Exclude<RefusedCode, InClient>, (told: Told) => string>> = {
  unreadable_requirement: () => 'network, asset, payTo or amount cannot be read; pass one whole entry of accepts',
  resource_elsewhere: ({ origin, got }) =>
    `the 402 of ${origin} is for a resource on another host (${got}); request that host directly`,
  asset_unpriced: ({ got }) => `the token ${got} is not a known dollar token; choose an option in USDC`,
  too_much: ({ expected }) => `the price is above the limit (${expected}); ask your user to raise it`,
  no_fresh_report: ({ origin }) =>
    `${origin} could not be probed from this machine, and there is no valid statement about it; call probe_host to see why`,
  statement_refused: ({ origin, got }) => `the statement about ${origin} is not valid (${got}); tell your user`,
  rail_unknown: ({ origin, got, expected }) =>
    expected === ''
      ? `the probe found no working way to pay ${origin}; ${AGAIN}`
      : `when it was probed, ${origin} accepted ${expected}, not ${got}; choose the option that was probed`,
  pay_to_differs: ({ origin, got, expected }) =>
    `when it was probed, ${origin} was paid at ${expected}, but this payment goes to ${got}; ${AGAIN}`,
  dearer_than_seen: ({ got, expected }) =>
    `this resource cost less when it was probed (${expected} atomic units, now ${got}); ${AGAIN}`,
};

/** One sentence that an agent can act on. What the host wrote is one bounded line of it. */
export function refusedSentence({ code, detail }: Pick<PaymentRefused, 'code' | 'detail'>): string {
  const told = (text = ''): string => oneLine(text).slice(0, 160);
  const { origin, got, expected } = detail;
  const say: ((told: Told) => string) | undefined = Object.hasOwn(REASONS, code)
    ? REASONS[code as keyof typeof REASONS]
    : undefined;
  const reason = say?.({ origin: told(origin), got: told(got), expected: told(expected) });
  return `Do not pay: ${reason ?? `the guard blocked it (${code})`}.`;
}

/** The same for a payment that is allowed. @param unseen whether no probe requested this exact resource */
export function allowedSentence(origin: string, source: Source, unseen: boolean): string {
  const seen = `${source === 'statement' ? 'a signed statement about' : 'a probe from this machine of'} ${origin}`;
  return unseen
    ? `You can pay: network, token and recipient match ${seen}. This exact resource was not probed, so only your limit caps the price.`
    : `You can pay: network, token, recipient and price match ${seen}.`;
}
