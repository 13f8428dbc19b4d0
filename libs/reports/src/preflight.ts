import type { JsonValue, ProtocolCell } from '@app/detectors';
import type { HostFacts } from './host-report';
import { isPayable, type PaymentRail } from './payment-rails';

/** Contract 1: what the agent wants to pay for. */
export const PAY_INTENTS = ['checkout', 'api', 'any'] as const;
export type PayIntent = (typeof PAY_INTENTS)[number];

type CanPay = 'yes' | 'no' | 'unknown';

/** A published checkout: the endpoint, and how it says it can be paid. */
export interface PublishedCheckout {
  readonly protocol: 'ucp';
  readonly version: string | null;
  readonly endpoint: string | null;
  readonly paymentHandlers: readonly string[];
}

/** Contract 4, `pay_preflight`. */
export interface PayPreflight {
  readonly domain: string;
  readonly intent: PayIntent;
  readonly canPay: CanPay;
  /** Rails of live challenges, payable ones first, cheapest first; empty for a checkout. */
  readonly rails: readonly PaymentRail[];
  /** For the intents `checkout` and `any`: what the host publishes to shop with, or null. */
  readonly checkout: PublishedCheckout | null;
  /** URL to call: the cheapest payable route, otherwise the checkout's endpoint; null when nothing can be paid. */
  readonly endpoint: string | null;
  /** Price of `endpoint`; null when it names none before one shops. */
  readonly price: {
    readonly amount: string;
    readonly asset: string;
    readonly network: string;
    readonly usd: string | null;
  } | null;
  readonly freshness: {
    readonly observedAt: string;
    readonly ageSec: number;
    readonly source: 'live' | 'cache';
  };
  /** Codes of what keeps an agent from paying; empty with `yes`. */
  readonly blockers: readonly string[];
  /** Codes of what a careful agent wants to know first. */
  readonly warnings: readonly string[];
}

/** One way of paying, judged by itself. */
interface Way {
  readonly canPay: CanPay;
  readonly blockers: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * Whether an agent can pay at a host, from a report whose callability look was made at `observedAt`. A live challenge
 * with a sound rail is a yes (spec 1.7); a checkout is a yes when it is published with a way to pay, and that it was
 * not tried is a warning. "No" needs a look that succeeded: an error is `unknown`.
 */
export function payPreflight(
  facts: HostFacts,
  intent: PayIntent,
  look: { readonly observedAt: string; readonly source: 'live' | 'cache'; readonly now: Date },
): PayPreflight {
  const rails = intent === 'checkout' ? [] : facts.paymentRails.rails.toSorted(byPrice);
  const checkout = intent === 'api' ? null : checkoutOf(facts);
  const ways = [
    ...(intent === 'checkout' ? [] : [apiWay(facts, rails)]),
    ...(intent === 'api' ? [] : [checkoutWay(facts, checkout)]),
  ];
  const canPay = bestOf(ways);
  const best = rails.find(isPayable);
  return {
    domain: facts.domain,
    intent,
    canPay,
    rails,
    checkout,
    endpoint: best?.resource ?? (canPay === 'yes' ? (checkout?.endpoint ?? null) : null),
    price: best ? priceOf(best) : null,
    freshness: {
      observedAt: look.observedAt,
      ageSec: Math.max(0, Math.floor((look.now.getTime() - Date.parse(look.observedAt)) / 1_000)),
      source: look.source,
    },
    blockers: canPay === 'yes' ? [] : distinct(ways.flatMap((way) => way.blockers)),
    warnings: distinct(ways.filter((way) => canPay !== 'yes' || way.canPay === 'yes').flatMap((way) => way.warnings)),
  };
}

function apiWay(facts: HostFacts, rails: readonly PaymentRail[]): Way {
  const best = rails.find(isPayable);
  if (best) {
    const others = new Set(rails.filter(isPayable).map((rail) => rail.payTo?.toLowerCase()));
    const warnings = [
      ...(best.strictClientReadable ? [] : ['strict_client_cannot_read']),
      ...(best.amountUsd === null ? ['price_in_usd_unknown'] : []),
      ...(others.size > 1 ? ['several_payees'] : []),
    ];
    return { canPay: 'yes', blockers: [], warnings };
  }
  if (rails.length > 0) return { canPay: 'no', blockers: rails.flatMap((rail) => rail.reasons), warnings: [] };
  const failed = errorsOf(facts, ['x402', 'mpp']);
  if (facts.reachable === false) return { canPay: 'unknown', blockers: ['host_unreachable'], warnings: [] };
  if (failed.length > 0) return { canPay: 'unknown', blockers: failed, warnings: [] };
  const published = ['x402', 'mpp'].filter((id) => ['present', 'partial'].includes(cellOf(facts, id)?.status ?? ''));
  return {
    canPay: 'no',
    blockers: ['no_live_challenge'],
    warnings: published.map((id) => `${id}_published_but_not_challenged`),
  };
}

function checkoutWay(facts: HostFacts, checkout: PublishedCheckout | null): Way {
  if (facts.reachable === false) return { canPay: 'unknown', blockers: ['host_unreachable'], warnings: [] };
  // Nobody outside can see whether a shop sells through ACP (spec 2.6), unless it says so itself.
  const acp = cellOf(facts, 'acp')?.details['observed'] === undefined ? [] : ['acp_published_but_not_verifiable'];
  if (!checkout) {
    const failed = errorsOf(facts, ['ucp']);
    if (failed.length > 0) return { canPay: 'unknown', blockers: failed, warnings: acp };
    return { canPay: acp.length > 0 ? 'unknown' : 'no', blockers: ['no_checkout_published'], warnings: acp };
  }
  const blockers = [
    ...(cellOf(facts, 'ucp')?.status === 'present' ? [] : ['ucp_partial']),
    ...(checkout.endpoint === null ? ['checkout_without_endpoint'] : []),
    ...(checkout.paymentHandlers.length === 0 ? ['checkout_without_payment_handler'] : []),
  ];
  const warnings = ['checkout_published_not_tried', ...acp];
  return blockers.length > 0 ? { canPay: 'no', blockers, warnings: acp } : { canPay: 'yes', blockers, warnings };
}

/** The checkout of a UCP profile (https://ucp.dev); a profile without the checkout capability offers none. */
function checkoutOf({ ucp }: HostFacts): PublishedCheckout | null {
  if (ucp === null || !names(ucp['capabilities']).some((name) => /(?:^|\.)checkout$/.test(name))) return null;
  const { version, endpoint } = ucp;
  return {
    protocol: 'ucp',
    version: typeof version === 'string' ? version : null,
    endpoint: typeof endpoint === 'string' ? endpoint : null,
    paymentHandlers: names(ucp['paymentHandlers']),
  };
}

function names(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]).filter((item) => typeof item === 'string') : [];
}

/** `x402_rate_limited`: the cell could not be looked at, and why. */
function errorsOf(facts: HostFacts, ids: readonly string[]): readonly string[] {
  return ids
    .map((id) => cellOf(facts, id))
    .filter((cell) => cell?.status === 'error')
    .map(
      (cell) => `${cell?.id ?? ''}_${typeof cell?.details['reason'] === 'string' ? cell.details['reason'] : 'error'}`,
    );
}

function cellOf(facts: HostFacts, id: string): ProtocolCell | undefined {
  return facts.protocols.find((cell) => cell.id === id);
}

function bestOf(ways: readonly Way[]): CanPay {
  for (const verdict of ['yes', 'unknown'] as const) if (ways.some((way) => way.canPay === verdict)) return verdict;
  return 'no';
}

function priceOf({ amount, asset, network, amountUsd }: PaymentRail): PayPreflight['price'] {
  return amount === null || asset === null || network === null ? null : { amount, asset, network, usd: amountUsd };
}

/** Payable before not, known price before unknown, cheaper before dearer. */
function byPrice(a: PaymentRail, b: PaymentRail): number {
  return Number(isPayable(b)) - Number(isPayable(a)) || usdOf(a) - usdOf(b);
}

/** For ordering only; the price shown is the exact string. */
function usdOf({ amountUsd }: PaymentRail): number {
  return amountUsd === null ? Number.MAX_VALUE : Number(amountUsd);
}

function distinct(codes: readonly string[]): readonly string[] {
  return [...new Set(codes)];
}
