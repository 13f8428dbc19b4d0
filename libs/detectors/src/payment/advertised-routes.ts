import { grouped } from '@app/platform';
import { isControl } from '../evidence/control';
import type { Answer, ProbeRequest } from '../evidence/exchange';
import { foreign402 } from '../evidence/foreign-402';
import type { HostEvidence } from '../evidence/host-evidence';
import { onceEach } from '../evidence/once-each';
import { asEndpoint, type Reading } from '../evidence/reading';
import type { Finding, Judgement } from '../judgement/judgement';
import { exchangeOf, nothingFound } from '../judgement/nothing-found';
import { advertisements, type Advertisement, type PaidProtocol } from './advertisements';
import { readMppChallenges } from './mpp-challenge';
import { readX402Challenge } from './x402-challenge';

/** A route that is paid according to the host's own documents, and that can be called. */
interface AdvertisedRoute extends Pick<Advertisement, 'url' | 'protocols' | 'price' | 'certain' | 'onOtherPort'> {
  /** `POST` only if the document says so. */
  readonly method: 'GET' | 'POST';
  /** Whether a document states the method; then a 404 for a GET is an answer. */
  readonly methodStated: boolean;
}

/** Behaviour 12.7: a callability probe sends one unpaid request to at most this many advertised routes. */
const MAX_ROUTES = 5;

/** The reason of a cell whose advertised routes were not called. */
export const NOT_EXERCISED = 'not_exercised';

/**
 * The paid routes to call: those of the probed host before its sibling hosts, those with terms before those that only
 * document a 402, then in turn one of each method and protocol, the cheapest first and the most expensive second.
 * Templates (`{id}`, `:id`), other methods and other sites are left out. A route that was called stays selected.
 */
export const advertisedRoutes: (seen: HostEvidence) => readonly AdvertisedRoute[] = onceEach((seen: HostEvidence) => {
  const routes = distinctRoutes(seen).toSorted(byPrice);
  const rank = (route: AdvertisedRoute) => (seen.isOwn(route.url) ? 0 : 2) + (route.certain ? 0 : 1);
  const called = routes.filter(({ url, method }) => seen.at(url, method, method === 'POST' ? '{}' : undefined));
  const ranked = [0, 1, 2, 3].flatMap((at) => {
    const equals = grouped(
      routes.filter((route) => rank(route) === at),
      ({ method, protocols }) => `${method} ${protocols.join()}`,
    );
    return inTurns([...equals.values()].map(spread));
  });
  return [...new Set([...called, ...ranked])].slice(0, MAX_ROUTES);
});

function distinctRoutes(seen: HostEvidence): readonly AdvertisedRoute[] {
  const routes = new Map<string, AdvertisedRoute>();
  for (const { url, onOtherPort, method, protocols, price, certain } of advertisements(seen)) {
    const address = seen.addressOf(url);
    const known = method ?? (routes.has(`POST ${address}`) ? 'POST' : 'GET');
    if ((known !== 'GET' && known !== 'POST') || isTemplate(url) || !SENT.test(url) || !seen.sameSite(url)) continue;
    const other = routes.get(`${known} ${address}`);
    routes.set(`${known} ${address}`, {
      url,
      method: known,
      methodStated: method !== null || other?.methodStated === true,
      protocols: [...new Set([...(other?.protocols ?? []), ...protocols])],
      price: other?.price ?? price,
      certain: certain || other?.certain === true,
      onOtherPort: onOtherPort && other?.onOtherPort !== false,
    });
  }
  return [...routes.values()];
}

/** A URL that the prober accepts (behaviour 1.3): names of letters, digits and hyphens, and no forbidden characters. */
const SENT = /^(?=.{1,2048}$)(?!.*%00)https:\/\/(?:[a-z\d-]+\.)+[a-z\d-]+\.?\/[^\\]*$/;

/** The cheapest first, those without a price last; equal ones by URL, so that the document order does not matter. */
function byPrice(a: AdvertisedRoute, b: AdvertisedRoute): number {
  return numberOf(a) - numberOf(b) || (a.url < b.url ? -1 : 1);
}

/** Only for sorting, because prices have different units. */
function numberOf({ price }: AdvertisedRoute): number {
  const number = price === null ? Number.NaN : Number(price.replace(/^\$/, ''));
  return Number.isNaN(number) ? Number.MAX_VALUE : number;
}

/** One route of each price (the cheapest, the most expensive, then the others) before the second one of any price. */
function spread(routes: readonly AdvertisedRoute[]): readonly AdvertisedRoute[] {
  const firsts = [...grouped(routes, ({ price }) => price ?? '').values()].map(([first]) => first);
  const priced = firsts.filter((route) => numberOf(route) < Number.MAX_VALUE);
  const ends = [priced[0], priced.at(-1)];
  return [...new Set([...ends, ...firsts, ...routes])].filter((route) => route !== undefined);
}

function inTurns<Item>(lists: readonly (readonly Item[])[]): readonly Item[] {
  return Array.from({ length: MAX_ROUTES }, (_, turn) => lists.flatMap((list) => list.slice(turn, turn + 1))).flat();
}

/**
 * Unpaid requests to the advertised routes: the declared method, and `POST {}` after a GET without a challenge, because
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

/** The result of an advertised route, and the answer that shows it. */
interface RouteOutcome {
  readonly route: AdvertisedRoute;
  /**
   * `validates`: it rejected the content of the empty request, so its price is only visible with valid arguments.
   * `bare`: a 402 without a challenge. `unanswered`: it could not be checked, for a known reason. `unasked`: not all
   * requests were made. `elsewhere`: the documents name another port, and port 443 had no answer.
   */
  readonly kind: 'challenge' | 'validates' | 'bare' | 'unanswered' | 'unasked' | 'elsewhere' | 'answered';
  readonly reading: Reading;
}

const UNANSWERED: ReadonlySet<Reading['kind']> = new Set(['blocked', 'redirect', 'payment_required']);

const outcomes: (seen: HostEvidence) => readonly RouteOutcome[] = onceEach((seen: HostEvidence) =>
  advertisedRoutes(seen).map((route) => outcomeOf(route, seen)),
);

function outcomeOf(route: AdvertisedRoute, seen: HostEvidence): RouteOutcome {
  const { url, method, methodStated } = route;
  const [got, posted] = [asEndpoint(seen.read(url)), asEndpoint(seen.read(url, 'POST', '{}'))] as const;
  const readings = method === 'POST' ? [posted] : [got, posted];
  const made = readings.filter(({ kind }) => kind !== 'unasked');
  const last = made.at(-1);
  if (!last || (method === 'GET' && got.kind === 'unasked')) return { route, kind: 'unasked', reading: got };
  const found = (kind: RouteOutcome['kind'], is: (reading: Reading) => boolean): readonly RouteOutcome[] =>
    made.filter(is).map((reading) => ({ route, kind, reading }));
  // A route without a known method may need POST, so the GET alone did not test it.
  const isHalf = posted.kind === 'unasked' && !methodStated;
  const [outcome] = [
    ...found('challenge', isChallenge),
    ...found('validates', (reading) => validates(reading, seen)),
    ...found('bare', (reading) => !isHalf && isBare(reading, seen)),
    ...found('unanswered', (one) => (UNANSWERED.has(one.kind) && !isBare(one, seen)) || isTurnedAway(one)),
  ];
  const kind = isHalf ? 'unasked' : route.onOtherPort ? 'elsewhere' : 'answered';
  return outcome ?? { route, kind, reading: last };
}

/** The results of the routes advertised for a protocol. */
export function routeOutcomes(
  seen: HostEvidence,
  protocol: PaidProtocol,
  ...kinds: readonly RouteOutcome['kind'][]
): readonly RouteOutcome[] {
  return outcomes(seen).filter(({ route, kind }) => route.protocols.includes(protocol) && kinds.includes(kind));
}

/**
 * Advertised routes of a protocol with an unknown result (behaviour 5.7): those without an answer cause an `error` with
 * their reason, those that were not called or validate first cause a `partial`. Undefined if all of them answered.
 */
export function unknownRoutes(seen: HostEvidence, protocol: PaidProtocol): Judgement | undefined {
  const unanswered = routeOutcomes(seen, protocol, 'unanswered').map(({ reading }) => reading);
  if (unanswered.length > 0) return nothingFound(unanswered);
  const gated = routeOutcomes(seen, protocol, 'validates').flatMap(({ reading }) => exchangeOf(reading) ?? []);
  const sources = isUnexercised(seen, protocol) ? advertised(seen, protocol).map(({ source }) => source) : [];
  const decidedBy = [...new Set([...gated, ...sources])];
  if (decidedBy.length === 0) return undefined;
  if (gated.length > 0)
    return { status: 'partial', details: { reason: NOT_EXERCISED, note: BEHIND_VALIDATION }, decidedBy };
  // This route was due in a callability probe, but the budget was used up or the host ended the probe (behaviour 12.9).
  const [cut] = seen.asked('callability') ? routeOutcomes(seen, protocol, 'unasked') : [];
  if (!cut) return { status: 'partial', details: { reason: NOT_EXERCISED }, decidedBy };
  const { reason, exchange } = seen.endedAt(cut.route.url);
  return { status: 'error', details: { reason }, decidedBy: exchange ? [exchange, ...decidedBy] : decidedBy };
}

/**
 * The data about unknown routes in a cell that challenges decide: the reason, and a finding for each one without an
 * answer. A presence probe calls no routes.
 */
export function openRoutes(
  unknown: Judgement | undefined,
  protocol: PaidProtocol,
  seen: HostEvidence,
): Required<Pick<Judgement, 'details' | 'findings'>> {
  const findings = routeOutcomes(seen, protocol, 'unanswered').map(({ route, reading }) => ({
    id: reading.kind === 'blocked' ? reading.reason : 'refused',
    at: route.url,
  }));
  const isOpen = unknown?.status === 'error' || seen.asked('callability');
  const { reason, statusCode, retryAfterSec } = (isOpen ? unknown?.details : undefined) ?? {};
  return { details: { reason, statusCode, retryAfterSec }, findings };
}

const advertised = (seen: HostEvidence, protocol: PaidProtocol): readonly Advertisement[] =>
  advertisements(seen).filter(({ protocols }) => protocols.includes(protocol));

/** Whether an advertised route of a protocol was due but not called, or none could be called. */
function isUnexercised(seen: HostEvidence, protocol: PaidProtocol): boolean {
  if (advertised(seen, protocol).length === 0) return false;
  const chosen = advertisedRoutes(seen).some(({ protocols }) => protocols.includes(protocol));
  return !chosen || routeOutcomes(seen, protocol, 'unasked', 'elsewhere').length > 0;
}

/**
 * `details.note` and finding of a route that validates before it charges, so that the probe's empty request does not
 * reach its challenge.
 */
const BEHIND_VALIDATION = 'payment_gate_behind_validation';

/** The advertised routes of a protocol that rejected the content of the empty request, as findings. */
export function behindValidation(seen: HostEvidence, protocol: PaidProtocol): readonly Finding[] {
  return routeOutcomes(seen, protocol, 'validates').flatMap(({ reading }) =>
    reading.kind === 'refused' ? [{ id: BEHIND_VALIDATION, at: reading.answer.finalUrl }] : [],
  );
}

/** Routes with advertised terms of a protocol that answer 402 without a challenge, and the meaning of that 402. */
export function bareAnswers(
  seen: HostEvidence,
  protocol: PaidProtocol,
): readonly (Pick<ReturnType<typeof foreign402>, 'note'> & { readonly answer: Answer })[] {
  return routeOutcomes(seen, protocol, 'bare').flatMap(({ route, reading }) =>
    route.certain && reading.kind === 'payment_required'
      ? [{ answer: reading.answer, note: foreign402(reading.answer).note }]
      : [],
  );
}

/**
 * A complete 402 of the route itself, because terms may be in a truncated part. A 402 for every path is a gate in front
 * of the host.
 */
function isBare(reading: Reading, seen: HostEvidence): boolean {
  const isWhole = reading.kind === 'payment_required' && !reading.answer.truncated;
  return isWhole && !seen.controls.some(({ status }) => status === 402);
}

/** Rejections of a request's content (RFC 9110 section 15.5, RFC 6585), which come before the price. */
const OF_CONTENT: readonly number[] = [400, 411, 415, 422, 428];

/**
 * A rejection that does not concern the method; one of the content is handled before, unless nonexistent paths get it
 * too.
 */
function isTurnedAway(reading: Reading): boolean {
  return reading.kind === 'refused' && reading.answer.status !== 405;
}

function validates(reading: Reading, seen: HostEvidence): boolean {
  return reading.kind === 'refused' && OF_CONTENT.includes(reading.answer.status) && !seen.isCatchAll(reading.answer);
}

/** In a query, `%7B` is an encoded brace; a template is not encoded. */
function isTemplate(url: string): boolean {
  const [path = '', query = ''] = url.replace(/^https?:\/\//, '').split('?', 2);
  return /\{|%7B|\/:[A-Za-z]|\/\[|<[A-Za-z]|%3C[A-Za-z]/i.test(path) || /\{|%3C[A-Za-z]/i.test(query);
}

function isChallenge(reading: Reading): boolean {
  return reading.kind === 'payment_required' && hasChallenge(reading.answer);
}

function hasChallenge(answer: Answer): boolean {
  return readX402Challenge(answer) !== undefined || readMppChallenges(answer).length > 0;
}

/** Whether a 402 on the host's site, other than for control paths, has no challenge of either protocol. */
export function isForeign402(answer: Answer, seen: HostEvidence): boolean {
  return seen.sameSite(answer.finalUrl) && !isControl(answer) && !hasChallenge(answer);
}
