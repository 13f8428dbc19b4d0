import { DOLLAR_DECIMALS } from './network-tables.js';
import { assetKey, sameAccount } from './networks.js';
import type { Policy, Warning } from './options.js';
import { statedOrigin } from './origin.js';
import { atomic, type Payment } from './payment.js';
import { isUnbacked, PaymentRefused } from './payment-refused.js';
import type { Statements } from './statements.js';
import type { StatedRail } from './verify-statement.js';

/** The resource of a payment: the URL that answered 402, after redirects, and the resource in the 402. */
export interface PaidResource {
  readonly url: string;
  readonly stated?: string | undefined;
}

/**
 * Allows a payment, with warnings.
 * @throws {PaymentRefused}
 */
export async function decide(
  payment: Payment,
  asked: PaidResource,
  policy: Policy,
  statements: Statements,
): Promise<readonly Warning[]> {
  const { origin } = new URL(asked.url);
  if (asked.stated !== undefined && hostOf(asked.stated, asked.url) !== hostOf(asked.url, asked.url))
    throw new PaymentRefused('resource_elsewhere', { origin, got: asked.stated });
  checkPrice(payment, policy);
  const rails = await statements.railsOf(origin).catch((error: unknown) => {
    if (policy.unknown === 'allow' && error instanceof PaymentRefused && isUnbacked(error.code)) return error.code;
    throw error;
  });
  return typeof rails === 'string' ? [rails] : compare(payment, rails, asked.url);
}

/** Resources without another host, such as paths and tool names, count as belonging to this one. */
function hostOf(stated: string, url: string): string {
  const named = URL.canParse(stated, url) ? new URL(stated, url) : new URL(url);
  return new URL(statedOrigin((named.protocol.startsWith('http') ? named : new URL(url)).origin)).host;
}

function checkPrice({ network, asset, amount }: Payment, { maxUsd, dollars = {} }: Policy): void {
  const key = assetKey(network, asset);
  const decimals = DOLLAR_DECIMALS[key] ?? dollars[key];
  if (decimals === undefined) throw new PaymentRefused('asset_unpriced', { got: key });
  // In millionths of a dollar, so that no amount becomes a floating-point number.
  const most = BigInt(Math.floor(maxUsd * 1e6 + 1e-3)) * 10n ** BigInt(decimals);
  if (amount * 1_000_000n > most)
    throw new PaymentRefused('above_limit', { got: `${amount}`, expected: `at most ${maxUsd} USD` });
}

function compare(payment: Payment, rails: readonly StatedRail[], url: string): readonly Warning[] {
  const { network, asset, payTo, amount } = payment;
  const origin = new URL(url).origin;
  const paid = rails.filter(({ n, a }) => n === network && sameAccount(network, a, asset));
  if (paid.length === 0)
    throw new PaymentRefused('unknown_option', {
      origin,
      got: assetKey(network, asset),
      expected: listed(rails, ({ n, a }) => `${n}/${a}`),
    });
  const due = paid.filter(({ to }) => sameAccount(network, to, payTo));
  if (due.length === 0)
    throw new PaymentRefused('pay_to_differs', { origin, got: payTo, expected: listed(paid, ({ to }) => `${to}`) });
  const prices = due.filter(({ r }) => isSameResource(r, url)).flatMap(({ amt }) => atomic(amt) ?? []);
  if (prices.length === 0) return ['resource_unseen'];
  const dearest = prices.reduce((a, b) => (a > b ? a : b));
  if (amount > dearest)
    throw new PaymentRefused('price_increased', { origin, got: `${amount}`, expected: `at most ${dearest}` });
  return [];
}

function listed(rails: readonly StatedRail[], name: (rail: StatedRail) => string): string {
  return [...new Set(rails.map(name))].slice(0, 3).join(' or ');
}

/** Compares origin and path only: a different query is not a different resource. */
function isSameResource(seen: string, url: string): boolean {
  if (!URL.canParse(seen)) return false;
  const [a, b] = [new URL(seen), new URL(url)];
  return statedOrigin(a.origin) === statedOrigin(b.origin) && a.pathname === b.pathname;
}
