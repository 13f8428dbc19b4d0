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

/** A route that the host's own documents say is paid and that can be called. */
interface AdvertisedRoute extends Pick<Advertisement, 'url' | 'protocols' | 'price' | 'certain' | 'onOtherPort'> {
  /** `POST` only when the document says so. */
  readonly method: 'GET' | 'POST';
  /** Whether a document says the method: a GET that finds nothing is then an answer. */
  readonly methodStated: boolean;
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

/** An address that the prober takes (behaviour 1.3): names of letters, digits and hyphens, and no character it refuses. */
const SENT = /^(?=.{1,2048}$)(?!.*%00)https:\/\/(?:[a-z\d-]+\.)+[a-z\d-]+\.?\/[^\\]*$/;

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
  const firsts = [...grouped(routes, ({ price }) => price ?? '').values()].map(([first]) => first);
  const priced = firsts.filter((route) => numberOf(route) < Number.MAX_VALUE);
  const ends = [priced[0], priced.at(-1)];
  return [...new Set([...ends, ...firsts, ...routes])].filter((route) => route !== undefined);
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

/** What an advertised route said to the requests that were made of it, and the answer that says it. */
interface RouteOutcome {
  readonly route: AdvertisedRoute;
  /**
   * `validates`: it refused the empty request by its content, so its price is behind that. `bare`: a 402 without a
   * challenge. `unanswered`: it gave a reason why it could not be seen. `unasked`: not all requests were made.
   * `elsewhere`: the documents name another port, and 443 said nothing.
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
  // A route without a known method may need POST, and then the GET did not test it.
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

/** The outcomes of the routes that a protocol is advertised for. */
export function routeOutcomes(
  seen: HostEvidence,
  protocol: PaidProtocol,
  ...kinds: readonly RouteOutcome['kind'][]
): readonly RouteOutcome[] {
  return outcomes(seen).filter(({ route, kind }) => route.protocols.includes(protocol) && kinds.includes(kind));
}

/**
 * What is not known of the advertised routes of a protocol, by any of its documents (behaviour 5.7): those that gave no
 * answer make an `error` with their reason, those that were not called or validate first make a `partial`. Undefined when
 * each of them answered.
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
  // A probe that calls routes was to call this one: its budget was spent, or the host ended it (behaviour 12.9).
  const [cut] = seen.asked('callability') ? routeOutcomes(seen, protocol, 'unasked') : [];
  if (!cut) return { status: 'partial', details: { reason: NOT_EXERCISED }, decidedBy };
  const { reason, exchange } = seen.endedAt(cut.route.url);
  return { status: 'error', details: { reason }, decidedBy: exchange ? [exchange, ...decidedBy] : decidedBy };
}

/**
 * What a cell that challenges decide says of the routes that are not known: the reason, and a finding for each that gave no
 * answer. A presence probe calls no route.
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

/** Whether a protocol has advertised routes of which one that was to be called was not, or none could be called. */
function isUnexercised(seen: HostEvidence, protocol: PaidProtocol): boolean {
  if (advertised(seen, protocol).length === 0) return false;
  const chosen = advertisedRoutes(seen).some(({ protocols }) => protocols.includes(protocol));
  return !chosen || routeOutcomes(seen, protocol, 'unasked', 'elsewhere').length > 0;
}

/** `details.note` and finding of a route that validates before it charges: the probe's empty request cannot reach its challenge. */
const BEHIND_VALIDATION = 'payment_gate_behind_validation';

/** The advertised routes of a protocol that refused the empty request by its content, as findings. */
export function behindValidation(seen: HostEvidence, protocol: PaidProtocol): readonly Finding[] {
  return routeOutcomes(seen, protocol, 'validates').flatMap(({ reading }) =>
    reading.kind === 'refused' ? [{ id: BEHIND_VALIDATION, at: reading.answer.finalUrl }] : [],
  );
}

/** Routes that are advertised with terms of a protocol and answer 402 without any, with what that is: they meant to charge. */
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
 * A 402 of the route itself and whole, since terms may stand in what was cut off. One for everything, nonsense included, is a
 * gate before the host.
 */
function isBare(reading: Reading, seen: HostEvidence): boolean {
  const isWhole = reading.kind === 'payment_required' && !reading.answer.truncated;
  return isWhole && !seen.controls.some(({ status }) => status === 402);
}

/** Refusals of the content of a request (RFC 9110 section 15.5, RFC 6585): what asks for the price is behind them. */
const OF_CONTENT: readonly number[] = [400, 411, 415, 422, 428];

/** A refusal that is not of the method; one of the content is seen before, unless nonsense gets it, too. */
function isTurnedAway(reading: Reading): boolean {
  return reading.kind === 'refused' && reading.answer.status !== 405;
}

function validates(reading: Reading, seen: HostEvidence): boolean {
  return reading.kind === 'refused' && OF_CONTENT.includes(reading.answer.status) && !seen.isCatchAll(reading.answer);
}

/** In a query, `%7B` is a brace of a value; a template there is not encoded. */
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

/** Whether a 402 of the host's own site, control paths aside, has a challenge of neither protocol. */
export function isForeign402(answer: Answer, seen: HostEvidence): boolean {
  return seen.sameSite(answer.finalUrl) && !isControl(answer) && !hasChallenge(answer);
}
