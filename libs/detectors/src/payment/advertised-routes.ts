import type { Answer, ProbeRequest } from '../evidence/exchange';
import type { HostEvidence } from '../evidence/host-evidence';
import { onceEach } from '../evidence/once-each';
import type { Reading } from '../evidence/reading';
import { sniff } from '../formats/sniff';
import type { Finding, Judgement } from '../judgement/judgement';
import { advertisements, type Advertisement, type PaidProtocol } from './advertisements';
import { readMppChallenges } from './mpp-challenge';
import { readX402Challenge } from './x402-challenge';

/** A route that the host's own documents say is paid and that can be called. */
interface AdvertisedRoute extends Pick<Advertisement, 'url' | 'protocols' | 'price' | 'certain'> {
  /** `POST` only when the document says so. */
  readonly method: 'GET' | 'POST';
}

/** Behaviour 12.7: a callability probe sends one unpaid request to at most this many advertised routes. */
const MAX_ROUTES = 5;

/** The reason of a cell whose advertised routes were not called. */
export const NOT_EXERCISED = 'not_exercised';

/**
 * The paid routes worth calling: routes of the probed host before its sibling hosts, those that state terms before those
 * that only document a 402, then by turns one of each method and protocol, the cheapest first and the dearest second.
 * Templates (`{id}`, `:id`), other methods and other sites are left out. A route that was called stays among them.
 */
export const advertisedRoutes: (seen: HostEvidence) => readonly AdvertisedRoute[] = onceEach((seen: HostEvidence) => {
  const routes = distinctRoutes(seen).toSorted(byPrice);
  const rank = (route: AdvertisedRoute) => (seen.isOwn(route.url) ? 0 : 2) + (route.certain ? 0 : 1);
  const called = routes.filter((route) => exchangeOf(route, seen) !== undefined);
  const ranked = [0, 1, 2, 3].flatMap((at) => {
    const equals = groups(
      routes.filter((route) => rank(route) === at),
      ({ method, protocols }) => `${method} ${protocols.join()}`,
    );
    return inTurns(equals.map(spread));
  });
  return [...new Set([...called, ...ranked])].slice(0, MAX_ROUTES);
});

function distinctRoutes(seen: HostEvidence): readonly AdvertisedRoute[] {
  const routes = new Map<string, AdvertisedRoute>();
  for (const { url, method, protocols, price, certain } of advertisements(seen)) {
    const address = seen.addressOf(url);
    const known = method ?? (routes.has(`POST ${address}`) ? 'POST' : 'GET');
    if ((known !== 'GET' && known !== 'POST') || isTemplate(url)) continue;
    const other = routes.get(`${known} ${address}`);
    routes.set(`${known} ${address}`, {
      url,
      method: known,
      protocols: [...new Set([...(other?.protocols ?? []), ...protocols])],
      price: other?.price ?? price,
      certain: certain || other?.certain === true,
    });
  }
  return [...routes.values()];
}

/** The cheapest first, those without a price last; equal ones by address, so that the order of a document decides nothing. */
function byPrice(a: AdvertisedRoute, b: AdvertisedRoute): number {
  return numberOf(a) - numberOf(b) || (a.url < b.url ? -1 : 1);
}

/** For ordering only: prices come in different units. */
function numberOf({ price }: AdvertisedRoute): number {
  const number = price === null ? Number.NaN : Number(price.replace(/^\$/, ''));
  return Number.isNaN(number) ? Number.MAX_VALUE : number;
}

/** One route of each price, the cheapest, the dearest, then those between, before the second of any price. */
function spread(routes: readonly AdvertisedRoute[]): readonly AdvertisedRoute[] {
  const firsts = groups(routes, ({ price }) => price ?? '').flatMap(([first]) => first ?? []);
  const priced = firsts.filter((route) => numberOf(route) < Number.MAX_VALUE);
  const ends = [priced[0], priced.at(-1)];
  return [...new Set([...ends, ...firsts, ...routes])].filter((route) => route !== undefined);
}

function groups<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly (readonly Item[])[] {
  const found = new Map<string, Item[]>();
  for (const item of items) {
    const group = found.get(keyOf(item));
    if (group) group.push(item);
    else found.set(keyOf(item), [item]);
  }
  return [...found.values()];
}

function inTurns<Item>(lists: readonly (readonly Item[])[]): readonly Item[] {
  return Array.from({ length: MAX_ROUTES }, (_, turn) => lists.flatMap((list) => list.slice(turn, turn + 1))).flat();
}

/**
 * Unpaid requests to the advertised routes: the declared method, and `POST {}` where a GET brought no challenge, since
 * many priced routes answer GET with 404 or 405. A route that refused (429, 401, a wall) gets no second request.
 */
export function routeExercises(seen: HostEvidence): readonly ProbeRequest[] {
  return advertisedRoutes(seen).flatMap(({ url, method }): ProbeRequest[] => {
    const post: ProbeRequest = { method: 'POST', url, body: '{}' };
    if (method === 'POST') return [post];
    const reading = seen.read(url);
    const get: ProbeRequest = { method: 'GET', url };
    return reading.kind === 'unasked' || reading.kind === 'blocked' || isChallenge(reading) ? [get] : [get, post];
  });
}

/** How the advertised routes of a protocol answered: the POST where there was one, otherwise the GET. */
export function routeReadings(seen: HostEvidence, protocol: PaidProtocol): readonly Reading[] {
  return advertisedRoutes(seen)
    .filter((route) => route.protocols.includes(protocol) && wasAsked(route, seen))
    .map(({ url }) => {
      const posted = seen.read(url, 'POST', '{}');
      return posted.kind === 'unasked' ? seen.read(url) : posted;
    });
}

/**
 * Whether the host advertises paid routes of a protocol of which one that was to be called was not, or none could be
 * called: then nothing is known about them.
 */
function isUnexercised(seen: HostEvidence, protocol: PaidProtocol): boolean {
  if (!advertisements(seen).some(({ protocols }) => protocols.includes(protocol))) return false;
  const chosen = advertisedRoutes(seen).filter(({ protocols }) => protocols.includes(protocol));
  return chosen.length === 0 || chosen.some((route) => !wasAsked(route, seen));
}

/** `details` and deciding documents of a protocol whose advertised routes were not called (behaviour 5.7, 5.8); none otherwise. */
export function unexercised(
  seen: HostEvidence,
  protocol: PaidProtocol,
): Pick<Judgement, 'status' | 'details' | 'decidedBy'> | undefined {
  if (!isUnexercised(seen, protocol)) return undefined;
  const advertised = advertisements(seen).filter(({ protocols }) => protocols.includes(protocol));
  return {
    status: 'partial',
    details: { reason: NOT_EXERCISED },
    decidedBy: [...new Set(advertised.map(({ source }) => source))],
  };
}

/** `details.note` and finding of a route that validates before it charges: the probe's empty request cannot reach its challenge. */
export const BEHIND_VALIDATION = 'payment_gate_behind_validation';

/**
 * The advertised routes of a protocol that refused the empty request by its content, as findings. A host that refuses
 * nonsense by the same status and form says nothing of the content.
 */
export function behindValidation(seen: HostEvidence, protocol: PaidProtocol): readonly Finding[] {
  const form = ({ status, body }: Answer) => `${status} ${sniff(body)}`;
  const usual = new Set(seen.controls.map(form));
  return routeReadings(seen, protocol).flatMap((reading) =>
    reading.kind === 'refused' && [400, 422].includes(reading.answer.status) && !usual.has(form(reading.answer))
      ? [{ id: BEHIND_VALIDATION, at: reading.answer.finalUrl }]
      : [],
  );
}

/** Nothing is known of what such routes ask for, as of those that were not called. */
export function gatedByValidation(
  seen: HostEvidence,
  protocol: PaidProtocol,
): Pick<Judgement, 'status' | 'details'> | undefined {
  if (behindValidation(seen, protocol).length === 0) return undefined;
  return { status: 'partial', details: { reason: NOT_EXERCISED, note: BEHIND_VALIDATION } };
}

/** What our own clock or budget ended says nothing about the route. */
const OUR_END: ReadonlySet<string> = new Set(['budget_spent', 'not_reached']);

function wasAsked(route: AdvertisedRoute, seen: HostEvidence): boolean {
  const exchange = exchangeOf(route, seen);
  return exchange !== undefined && !(exchange.kind === 'failure' && OUR_END.has(exchange.reason));
}

function exchangeOf({ url, method }: AdvertisedRoute, seen: HostEvidence) {
  return method === 'POST' ? seen.at(url, 'POST', '{}') : seen.at(url);
}

function isTemplate(url: string): boolean {
  return /\{|%7B|\/:[A-Za-z]|\/\[|<[A-Za-z]|%3C[A-Za-z]/i.test(url.replace(/^https?:\/\//, ''));
}

function isChallenge(reading: Reading): boolean {
  if (reading.kind !== 'payment_required') return false;
  return readX402Challenge(reading.answer) !== undefined || readMppChallenges(reading.answer).length > 0;
}
