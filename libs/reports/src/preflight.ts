import { CLIENT_NAMES, type JsonValue, type ProtocolCell } from '@app/detectors';
import type { DeepReadonly } from '@app/platform';
import { z } from 'zod';
import { time } from './answer-schema';
import type { HostFacts } from './host-report';
import { payabilityOf, unseenReasons } from './payability';
import { isPayable, PaymentRail } from './rail-members';

/** Behaviour 1.4: the agent's purpose. */
export const PAY_INTENTS = ['checkout', 'api', 'any'] as const;
export type PayIntent = (typeof PAY_INTENTS)[number];

/** Behaviour 6.8: the agent's payment client. */
export const PAY_CLIENTS: readonly string[] = CLIENT_NAMES;

const Codes = z.array(z.string());

/** Behaviour 7.8, `pay_preflight`. */
export const PayPreflight = z.object({
  domain: z.string(),
  intent: z.enum(PAY_INTENTS),
  client: z.string().nullable().describe('The client that the answer is about; null if the request named none.'),
  canPay: z.enum(['yes', 'no', 'unknown']),
  /** Options from live challenges, payable ones first, then by price; empty for a checkout. */
  rails: z.array(PaymentRail),
  /** For the intents `checkout` and `any`: the published shopping service and its payment methods. */
  checkout: z
    .object({
      protocol: z.literal('ucp'),
      version: z.string().nullable(),
      endpoint: z.string().nullable(),
      paymentHandlers: z.array(z.string()),
    })
    .nullable(),
  /** The URL to call: the cheapest payable route, otherwise the checkout endpoint; null if nothing can be paid. */
  endpoint: z.string().nullable(),
  /** The price of `endpoint`; null if it depends on the purchase. */
  price: z
    .object({ amount: z.string(), asset: z.string(), network: z.string(), usd: z.string().nullable() })
    .nullable(),
  freshness: z.object({ observedAt: time, ageSec: z.int(), source: z.enum(['live', 'cache']) }),
  /** Reasons why an agent cannot pay; empty with `yes`. */
  blockers: Codes,
  /** What a careful agent should know first. */
  warnings: Codes,
});
export type PayPreflight = DeepReadonly<z.infer<typeof PayPreflight>>;

type CanPay = PayPreflight['canPay'];
type PublishedCheckout = NonNullable<PayPreflight['checkout']>;

/** One way to pay, evaluated on its own. */
interface RailSource {
  readonly canPay: CanPay;
  readonly blockers: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * Whether an agent can pay a host, from a report whose callability probe was made at `observedAt`. It is "yes" for a
 * live challenge with a payable option (behaviour 6.1), or for a published checkout with a payment method, with a
 * warning that it was not tested. "No" requires a successful probe; an error gives `unknown`. Clients pay for routes,
 * not at a checkout, so for a client `any` means `api`.
 */
export function payPreflight(
  facts: HostFacts,
  { intent, client }: { readonly intent: PayIntent; readonly client?: string },
  probe: { readonly observedAt: string; readonly source: 'live' | 'cache'; readonly now: Date },
): PayPreflight {
  const offered = facts.paymentRails.rails.map((rail) => (client === undefined ? rail : railFor(client, rail)));
  const rails = intent === 'checkout' ? [] : offered.toSorted(byPrice);
  const wantsCheckout = intent === 'checkout' || (intent === 'any' && client === undefined);
  const checkout = wantsCheckout ? checkoutOf(facts) : null;
  const ways = [
    ...(intent === 'checkout' ? [] : [apiSource(facts, rails)]),
    ...(wantsCheckout ? [checkoutSource(facts, checkout)] : []),
  ];
  const canPay = bestOf(ways);
  const best = rails.find(isPayable);
  return {
    domain: facts.domain,
    intent,
    client: client ?? null,
    canPay,
    rails,
    checkout,
    endpoint: best?.resource ?? (canPay === 'yes' ? (checkout?.endpoint ?? null) : null),
    price: best ? priceOf(best) : null,
    freshness: {
      observedAt: probe.observedAt,
      ageSec: Math.max(0, Math.floor((probe.now.getTime() - Date.parse(probe.observedAt)) / 1_000)),
      source: probe.source,
    },
    blockers: canPay === 'yes' ? [] : distinct(ways.flatMap((way) => way.blockers)),
    warnings: distinct(ways.filter((way) => canPay !== 'yes' || way.canPay === 'yes').flatMap((way) => way.warnings)),
  };
}

/** Whether the probe reached what the answer depends on; otherwise it is not charged (behaviour 7.8). */
export function isAnswer({ canPay, blockers }: PayPreflight): boolean {
  return canPay !== 'unknown' || !blockers.some((code) => /_(?:not_reached|detector_failed)$/.test(code));
}

/** An option for one client; if all of its releases fail for a reason, that is a failed check. */
function railFor(client: string, rail: PaymentRail): PaymentRail {
  const rows = rail.clients.filter(({ name }) => name === client);
  if (!isPayable(rail) || rows.some(({ pays }) => pays)) return rail;
  return {
    ...rail,
    reasons: rows.length === 0 ? ['network_unspoken'] : distinct(rows.flatMap(({ reason }) => reason ?? [])),
  };
}

function apiSource(facts: HostFacts, rails: readonly PaymentRail[]): RailSource {
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
  const reasons = rails.flatMap((rail) => rail.reasons);
  // A route that did not answer may be payable.
  if (payabilityOf(facts, { rails }) !== 'not_payable')
    return { canPay: 'unknown', blockers: [...unseenReasons(facts, rails), ...reasons], warnings: [] };
  if (rails.length > 0) return { canPay: 'no', blockers: reasons, warnings: [] };
  const published = ['x402', 'mpp'].filter((id) => ['present', 'partial'].includes(cellOf(facts, id)?.status ?? ''));
  return {
    canPay: 'no',
    blockers: ['no_live_challenge'],
    warnings: published.map((id) => `${id}_published_but_not_challenged`),
  };
}

function checkoutSource(facts: HostFacts, checkout: PublishedCheckout | null): RailSource {
  if (facts.reachable === false) return { canPay: 'unknown', blockers: ['host_unreachable'], warnings: [] };
  // ACP cannot be checked from outside (behaviour 5.2), unless the host publishes a document about it.
  const acp = cellOf(facts, 'acp')?.details['observed'] === undefined ? [] : ['acp_published_but_not_verifiable'];
  if (!checkout) {
    const ucp = cellOf(facts, 'ucp');
    const reason = ucp?.details['reason'];
    if (ucp?.status === 'error')
      return { canPay: 'unknown', blockers: [`ucp_${typeof reason === 'string' ? reason : 'error'}`], warnings: acp };
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

/** The checkout of a UCP profile (https://ucp.dev); a profile without the checkout capability has none. */
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

function cellOf(facts: HostFacts, id: string): ProtocolCell | undefined {
  return facts.protocols.find((cell) => cell.id === id);
}

function bestOf(ways: readonly RailSource[]): CanPay {
  for (const canPay of ['yes', 'unknown'] as const) if (ways.some((way) => way.canPay === canPay)) return canPay;
  return 'no';
}

function priceOf({ amount, asset, network, amountUsd }: PaymentRail): PayPreflight['price'] {
  return amount === null || asset === null || network === null ? null : { amount, asset, network, usd: amountUsd };
}

/** Payable before not payable, known price before unknown, cheaper before more expensive. */
function byPrice(a: PaymentRail, b: PaymentRail): number {
  return Number(isPayable(b)) - Number(isPayable(a)) || usdOf(a) - usdOf(b);
}

/** Only for sorting; the price is shown as the exact string. */
function usdOf({ amountUsd }: PaymentRail): number {
  return amountUsd === null ? Number.MAX_VALUE : Number(amountUsd);
}

function distinct(codes: readonly string[]): readonly string[] {
  return [...new Set(codes)];
}
