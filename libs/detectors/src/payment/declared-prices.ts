import { caip2OfV1Name, canonicalNetworkId } from '@app/networks';
import { x402ManifestReadings } from '../documents/x402-manifests';
import type { HostEvidence } from '../evidence/host-evidence';
import { saidJson, type SaidJson } from '../evidence/reading';
import { isObject, list, member, text, type JsonObject, type JsonValue } from '../formats/json';
import { routeAddress } from './advertisements';
import { readDescriptions } from '../openapi/published-descriptions';
import { pricedOperations } from '../openapi/priced-operations';
import { readPaymentInfo } from '../openapi/payment-info';
import { namedPayees } from './named-payees';
import { readAccept } from './x402-accept';
import { atomicAmount } from './usd';

/** A price or recipient in a document of the host, for one route or the whole host. */
export interface DeclaredPrice {
  /** URL of the document. */
  readonly source: string;
  /** Absolute; null for the whole host. */
  readonly route: string | null;
  /** In upper case; null if missing. */
  readonly method: string | null;
  /** CAIP-2; null if missing. */
  readonly network: string | null;
  readonly asset: string | null;
  readonly payTo: string | null;
  /** Bounds of the price in atomic units of `asset`; equal for a fixed price. */
  readonly atomic?: readonly [min: bigint, max: bigint];
  /** Bounds of the price in dollars, as stated. */
  readonly dollars?: readonly [min: string, max: string];
}

/** Lists of routes in x402 manifests. */
const ROUTES = ['resources', 'endpoints', 'services', 'routes', 'items'] as const;
/** Documents with recipients for the whole host. */
const CARDS = ['/.well-known/agent-card.json', '/.well-known/agent.json', '/.well-known/ucp'] as const;
const MAX_PRICES = 2_000;

type Place = Pick<DeclaredPrice, 'source' | 'route' | 'method'>;

/** The terms in the documents of a host, at most two thousand. */
export function declaredPrices(seen: HostEvidence): readonly DeclaredPrice[] {
  return [
    ...x402ManifestReadings(seen).flatMap((reading) => inManifest(seen, saidJson(reading))),
    ...readDescriptions(seen).flatMap(({ answer, value }) => inDescription(seen, answer.finalUrl, value)),
    ...CARDS.flatMap((path) => {
      const said = saidJson(seen.read(path));
      return said ? ofHost(said.value, said.answer.finalUrl) : [];
    }),
  ].slice(0, MAX_PRICES);
}

function inManifest(seen: HostEvidence, said: SaidJson | undefined): readonly DeclaredPrice[] {
  if (!said || !isObject(said.value)) return [];
  const source = said.answer.finalUrl;
  const { value } = said;
  const rows = ROUTES.flatMap((name) => list(member(value, name)) ?? []).filter(isObject);
  const rest = Object.fromEntries(
    Object.entries(value).filter(([name]) => !(ROUTES as readonly string[]).includes(name)),
  );
  const routed = rows.flatMap((row) => {
    const resource = member(row, 'resource');
    const stated =
      text(member(row, 'url')) ??
      text(isObject(resource) ? member(resource, 'url') : resource) ??
      text(member(row, 'path'));
    const method = text(member(row, 'method'))?.toUpperCase() ?? null;
    return stated === undefined ? [] : inRow(row, { source, route: routeAddress(stated, seen, source).url, method });
  });
  return [...routed, ...ofHost(rest, source)];
}

/** Options of an entry, and its price in dollars. */
function inRow(row: JsonObject, place: Place): readonly DeclaredPrice[] {
  const options = (list(member(row, 'accepts')) ?? [row]).filter(isObject).map((option) => inOption(option, place));
  const price = text(member(row, 'price'));
  const dollars = price?.startsWith('$') === true ? price.slice(1).trim() : undefined;
  const priced: DeclaredPrice = { ...place, network: null, asset: null, payTo: null };
  return [...options, ...(dollars === undefined ? [] : [{ ...priced, dollars: [dollars, dollars] as const }])];
}

/** One option: exact in a manifest, a range in `x-x402`. */
function inOption(option: JsonObject, place: Place): DeclaredPrice {
  const { network, asset, payTo, amount } = readAccept(option, 2);
  const bounds = [member(option, 'minAmount') ?? amount, member(option, 'maxAmount') ?? amount];
  const [min, max] = bounds.map((bound) => atomicAmount(text(bound ?? undefined) ?? ''));
  const id = network === null ? null : (caip2OfV1Name(network) ?? canonicalNetworkId(network));
  return {
    ...place,
    network: id,
    asset,
    payTo,
    ...(min !== undefined && max !== undefined ? { atomic: [min, max] } : {}),
  };
}

function inDescription(seen: HostEvidence, source: string, document: JsonValue): readonly DeclaredPrice[] {
  const extensions = Object.entries(isObject(document) ? document : {}).filter(([name]) => name.startsWith('x-'));
  const routed = pricedOperations(document).flatMap(({ url, method, value, paymentInfo }) => {
    const place = { source, route: routeAddress(url, seen, source).url, method };
    const annotated = list(member(member(value, 'x-x402'), 'accepts')) ?? [];
    return [
      ...annotated.filter(isObject).map((option) => inOption(option, place)),
      ...(paymentInfo ? inPaymentInfo(paymentInfo, place) : []),
    ];
  });
  return [...routed, ...ofHost(Object.fromEntries(extensions), source)];
}

/** A price in dollars (x402scan), and MPP offers with atomic amounts. */
function inPaymentInfo(info: JsonObject, place: Place): readonly DeclaredPrice[] {
  const blank: DeclaredPrice = { ...place, network: null, asset: null, payTo: null };
  const price = member(info, 'price');
  const isDollar = /^usd$/i.test(text(member(price, 'currency')) ?? 'usd');
  const [min, max] = ['min', 'max'].map((name) => text(member(price, name) ?? member(price, 'amount')));
  const offers = readPaymentInfo(info).offers.flatMap((offer): readonly DeclaredPrice[] => {
    const [currency, amount] = [text(member(offer, 'currency')), atomicAmount(text(member(offer, 'amount')) ?? '')];
    return currency === undefined || amount === undefined
      ? []
      : [{ ...blank, asset: currency, atomic: [amount, amount] }];
  });
  return [
    ...offers,
    ...namedPayees(info).flatMap(({ address, network, asks }) => (asks ? [{ ...blank, network, payTo: address }] : [])),
    ...(isDollar && min !== undefined && max !== undefined ? [{ ...blank, dollars: [min, max] as const }] : []),
  ];
}

/** Recipients for the whole host in a document. */
function ofHost(value: JsonValue, source: string): readonly DeclaredPrice[] {
  const place = { source, route: null, method: null, asset: null };
  return namedPayees(value).flatMap(({ address, network, asks }) =>
    asks ? [{ ...place, network, payTo: address }] : [],
  );
}
