import { comparableAddress, isAccount, namespaceOf } from '@app/networks';
import { grouped } from '@app/platform';
import type { HostEvidence } from '../../evidence/host-evidence';
import { onceEach } from '../../evidence/once-each';
import type { JsonObject } from '../../formats/json';
import type { Finding } from '../../judgement/judgement';
import type { PaidProtocol } from '../advertisements';
import { declaredPrices, type DeclaredPrice } from '../declared-prices';
import { atomicAmount } from '../usd';
import { liveOptions, type LiveOption } from './live-options';

/** A contradiction between a document and a live challenge of the host about a payment. */
interface Disagreement {
  readonly protocol: PaidProtocol;
  readonly id: 'payee_differs' | 'price_differs';
  readonly network: string | null;
  readonly asset: string | null;
  readonly stated: { readonly url: string; readonly value: string };
  readonly live: { readonly url: string; readonly value: string };
}

const MAX_SHOWN = 10;

/** Contradictions between documents and live challenges (behaviour 6.7); the live one is what clients pay. */
const disagreements: (seen: HostEvidence) => readonly Disagreement[] = onceEach((seen: HostEvidence) => {
  const options = liveOptions(seen);
  const terms = options.length === 0 ? [] : declaredPrices(seen);
  const found = [...payees(terms, options, seen), ...prices(terms, options, seen)];
  return [
    ...new Map(found.map((one) => [`${one.protocol} ${one.id} ${one.stated.url} ${one.live.url}`, one])).values(),
  ];
});

/** Contradictions about one protocol, as findings and as details with both values. */
export function payeeAgreement(
  seen: HostEvidence,
  protocol: PaidProtocol,
): { readonly findings: readonly Finding[]; readonly details: JsonObject } {
  const found = disagreements(seen).filter((one) => one.protocol === protocol);
  const shown = found
    .slice(0, MAX_SHOWN)
    .map(({ id, network, asset, stated, live }) => ({ id, network, asset, stated: { ...stated }, live: { ...live } }));
  return {
    findings: found.map(({ id, stated, live }) => ({ id, at: stated.url, with: live.url })),
    details: shown.length === 0 ? {} : { disagreements: shown },
  };
}

/** Recipients in a document for a network, if no live challenge there names any of them. */
function payees(
  terms: readonly DeclaredPrice[],
  options: readonly LiveOption[],
  seen: HostEvidence,
): readonly Disagreement[] {
  const stated = terms.filter(({ payTo }) => payTo !== null && payTo.trim() !== '');
  return options.flatMap((option) => {
    const { network, payTo } = option;
    if (payTo === null || network === null || isAccount(payTo, network) === false) return [];
    const concerned = stated.filter((one) => isAbout(one, option, seen) && isOn(one, network));
    // Terms grouped by source: a whole document, or a route in it.
    return [...grouped(concerned, ({ source, route }) => `${source} ${route ?? ''}`).values()].flatMap((those) => {
      const [first] = those;
      const isLive = (address: string | null) =>
        options.some(
          (other) => other.network === network && same(other.payTo, address) && sameRoute(those, other, seen),
        );
      if (those.some((one) => isLive(one.payTo))) return [];
      return [disagreement('payee_differs', first, first.payTo ?? '', option, payTo)];
    });
  });
}

/** A document's price for a route, in the asset of a live option there, that no live option asks for. */
function prices(
  terms: readonly DeclaredPrice[],
  options: readonly LiveOption[],
  seen: HostEvidence,
): readonly Disagreement[] {
  return terms.flatMap((one) => {
    const there = options.filter((option) => one.route !== null && isAbout(one, option, seen));
    const { atomic, dollars } = one;
    if (atomic) {
      const own = there.filter(({ network, asset }) => same(asset, one.asset) && (one.network ?? network) === network);
      const priced = own.flatMap((option) => {
        const amount = atomicAmount(option.amount ?? '');
        return amount === undefined ? [] : [{ option, amount }];
      });
      const fits = priced.some(({ amount }) => amount >= atomic[0] && amount <= atomic[1]);
      const [first] = priced;
      return first && !fits
        ? [disagreement('price_differs', one, range(atomic), first.option, String(first.amount))]
        : [];
    }
    const [min, max] = (dollars ?? []).map(micros);
    if (min === undefined || max === undefined) return [];
    const priced = there.flatMap((option) => {
      const amount = option.amountUsd === null || isCeiling(option) ? undefined : micros(option.amountUsd);
      return amount === undefined ? [] : [{ option, amount }];
    });
    const [first] = priced;
    if (!first || priced.some(({ amount }) => amount >= min && amount <= max)) return [];
    return [
      disagreement(
        'price_differs',
        one,
        `${range(dollars ?? ['', ''])} USD`,
        first.option,
        `${first.option.amountUsd ?? ''} USD`,
      ),
    ];
  });
}

function disagreement(
  id: Disagreement['id'],
  { source }: DeclaredPrice,
  stated: string,
  { protocol, network, asset, resource: url }: LiveOption,
  value: string,
): Disagreement {
  return { protocol, id, network, asset, stated: { url: source, value: stated }, live: { url, value } };
}

/** Whether the amount may be a maximum or one of several, so that a price in dollars means something else. */
function isCeiling({ scheme, intent }: LiveOption): boolean {
  return scheme !== 'exact' && intent !== 'charge';
}

/** Whether terms apply to the route of an option, or to the whole host. */
function isAbout({ route, method }: DeclaredPrice, { resource, httpMethod }: LiveOption, seen: HostEvidence): boolean {
  return (
    route === null || (seen.addressOf(route) === seen.addressOf(resource) && (method === null || method === httpMethod))
  );
}

/**
 * A document without a network applies to all networks with accounts of that format: all EVM networks for an EVM
 * address.
 */
function isOn({ network, payTo }: DeclaredPrice, wanted: string): boolean {
  return (
    network === wanted ||
    (network === null && namespaceOf(wanted) === 'eip155' && isAccount(payTo ?? '', wanted) === true)
  );
}

/** The terms of a route must match an option of that route, those of a host any option. */
function sameRoute(terms: readonly DeclaredPrice[], option: LiveOption, seen: HostEvidence): boolean {
  return terms.some((one) => isAbout(one, option, seen));
}

function same(a: string | null, b: string | null): boolean {
  return a !== null && comparableAddress(a) === comparableAddress(b);
}

function range([min, max]: readonly [bigint | string, bigint | string]): string {
  return min === max ? String(min) : `${String(min)} to ${String(max)}`;
}

/** Dollars in millionths, with twelve more digits; undefined for an invalid decimal. */
function micros(dollars: string): bigint | undefined {
  const match = /^(\d{1,15})(?:\.(\d{1,18}))?$/.exec(dollars);
  return match ? BigInt(`${match[1] ?? '0'}${(match[2] ?? '').padEnd(18, '0')}`) : undefined;
}
