import { isAccount, namespaceOf } from '@app/networks';
import type { HostEvidence } from '../evidence/host-evidence';
import { onceEach } from '../evidence/once-each';
import type { JsonObject } from '../formats/json';
import type { Finding } from '../judgement/judgement';
import type { PaidProtocol } from './advertisements';
import { mppChallenges } from './mpp-challenge';
import { checkMpp } from './mpp-checks';
import { statedTerms, type StatedTerms } from './stated-terms';
import { atomicAmount } from './usd';
import { x402Challenges } from './x402-challenge';
import { checkAccept } from './x402-checks';

/** What a live challenge asks for. */
interface LiveOption {
  readonly protocol: PaidProtocol;
  readonly url: string;
  readonly httpMethod: string;
  readonly network: string | null;
  readonly asset: string | null;
  readonly payTo: string | null;
  readonly amount: bigint | undefined;
  readonly amountUsd: string | null;
  /** The amount is the most that is taken: a price in dollars beside it says something else. */
  readonly ceiling: boolean;
}

/** A document and a live challenge of the host that say different things about a payment. */
interface Disagreement {
  readonly protocol: PaidProtocol;
  readonly id: 'payee_differs' | 'price_differs';
  readonly network: string | null;
  readonly asset: string | null;
  readonly stated: { readonly url: string; readonly value: string };
  readonly live: { readonly url: string; readonly value: string };
}

const MAX_SHOWN = 10;

/** Where documents and live challenges disagree (behaviour 6.7); the live one is what clients pay. */
const disagreements: (seen: HostEvidence) => readonly Disagreement[] = onceEach((seen: HostEvidence) => {
  const options = liveOptions(seen);
  const terms = options.length === 0 ? [] : statedTerms(seen);
  const found = [...payees(terms, options, seen), ...prices(terms, options, seen)];
  return [
    ...new Map(found.map((one) => [`${one.protocol} ${one.id} ${one.stated.url} ${one.live.url}`, one])).values(),
  ];
});

/** Disagreements about one protocol, as findings and as a detail with what both sides say. */
export function continuity(
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

function liveOptions(seen: HostEvidence): readonly LiveOption[] {
  const x402 = x402Challenges(seen).flatMap(({ accepts, answer }) =>
    accepts.map((accept): LiveOption => {
      const { networkId: network, amountUsd } = checkAccept(accept, answer.observedAt);
      const { asset, payTo, amount, scheme } = accept;
      const at = { url: answer.finalUrl, httpMethod: answer.method };
      const price = {
        amount: amount === null ? undefined : atomicAmount(amount),
        amountUsd,
        ceiling: scheme !== 'exact',
      };
      return { protocol: 'x402', ...at, network, asset, payTo, ...price };
    }),
  );
  const mpp = mppChallenges(seen).map((challenge): LiveOption => {
    const { terms, amount, amountUsd, currency: asset, recipient: payTo } = checkMpp(challenge);
    const at = { url: challenge.answer.finalUrl, httpMethod: challenge.answer.method };
    const price = {
      amount: amount === null ? undefined : atomicAmount(amount),
      amountUsd,
      ceiling: challenge.intent !== 'charge',
    };
    return { protocol: 'mpp', ...at, network: terms?.networkId ?? null, asset, payTo, ...price };
  });
  return [...x402, ...mpp];
}

/** Payees of a network that a document states, none of which a live challenge asks to pay there. */
function payees(
  terms: readonly StatedTerms[],
  options: readonly LiveOption[],
  seen: HostEvidence,
): readonly Disagreement[] {
  const stated = terms.filter(({ payTo }) => payTo !== null && payTo.trim() !== '');
  return options.flatMap((option) => {
    const { network, payTo } = option;
    if (payTo === null || network === null || isAccount(payTo, network) === false) return [];
    const concerned = stated.filter((one) => isAbout(one, option, seen) && isOn(one, network));
    return bySource(concerned).flatMap((those) => {
      const [first] = those;
      const isLive = (address: string | null) =>
        options.some(
          (other) => other.network === network && same(other.payTo, address) && sameRoute(those, other, seen),
        );
      if (!first || those.some((one) => isLive(one.payTo))) return [];
      return [disagreement('payee_differs', first, first.payTo ?? '', option, payTo)];
    });
  });
}

/** A price that a document states for a route, in the asset of a live option there, and that no live option asks for. */
function prices(
  terms: readonly StatedTerms[],
  options: readonly LiveOption[],
  seen: HostEvidence,
): readonly Disagreement[] {
  return terms.flatMap((one) => {
    const there = options.filter((option) => one.route !== null && isAbout(one, option, seen));
    const { atomic, dollars } = one;
    if (atomic) {
      const own = there.filter(({ network, asset }) => same(asset, one.asset) && (one.network ?? network) === network);
      const priced = own.filter(({ amount }) => amount !== undefined);
      const fits = priced.some(({ amount }) => amount !== undefined && amount >= atomic[0] && amount <= atomic[1]);
      const [option] = priced;
      return option && !fits ? [disagreement('price_differs', one, range(atomic), option, String(option.amount))] : [];
    }
    const [min, max] = (dollars ?? []).map(micros);
    if (min === undefined || max === undefined) return [];
    const priced = there.flatMap((option) => {
      const amount = option.amountUsd === null || option.ceiling ? undefined : micros(option.amountUsd);
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
  { source }: StatedTerms,
  stated: string,
  { protocol, network, asset, url }: LiveOption,
  live: string,
): Disagreement {
  return { protocol, id, network, asset, stated: { url: source, value: stated }, live: { url, value: live } };
}

/** Whether terms are said of the route of an option, or of the whole host. */
function isAbout({ route, method }: StatedTerms, { url, httpMethod }: LiveOption, seen: HostEvidence): boolean {
  return (
    route === null || (seen.addressOf(route) === seen.addressOf(url) && (method === null || method === httpMethod))
  );
}

/** A document that names no network means those whose accounts have that form: all EVM networks for an EVM address. */
function isOn({ network, payTo }: StatedTerms, wanted: string): boolean {
  return (
    network === wanted ||
    (network === null && namespaceOf(wanted) === 'eip155' && isAccount(payTo ?? '', wanted) === true)
  );
}

/** Terms of a route agree by options of that route, those of a host by any option. */
function sameRoute(terms: readonly StatedTerms[], option: LiveOption, seen: HostEvidence): boolean {
  return terms.some((one) => isAbout(one, option, seen));
}

/** Terms by what says them: a document as a whole, or a route in it. */
function bySource(terms: readonly StatedTerms[]): readonly (readonly StatedTerms[])[] {
  const groups = new Map<string, StatedTerms[]>();
  for (const one of terms) {
    const key = `${one.source} ${one.route ?? ''}`;
    const group = groups.get(key);
    if (group) group.push(one);
    else groups.set(key, [one]);
  }
  return [...groups.values()];
}

function same(a: string | null, b: string | null): boolean {
  const [x, y] = [a, b].map((text) => (/^0x/i.test(text ?? '') ? text?.toLowerCase() : text));
  return x !== null && x === y;
}

function range([min, max]: readonly [bigint | string, bigint | string]): string {
  return min === max ? String(min) : `${String(min)} to ${String(max)}`;
}

/** Dollars in millionths, to twelve more digits; undefined for what is no decimal. */
function micros(dollars: string): bigint | undefined {
  const match = /^(\d{1,15})(?:\.(\d{1,18}))?$/.exec(dollars);
  return match ? BigInt(`${match[1] ?? '0'}${(match[2] ?? '').padEnd(18, '0')}`) : undefined;
}
