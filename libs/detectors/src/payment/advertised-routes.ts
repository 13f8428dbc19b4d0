import type { ProbeRequest } from '../exchange';
import type { HostEvidence } from '../host-evidence';
import { list, member, text, type JsonObject, type JsonValue } from '../json';
import { pricedOperations } from '../openapi/priced-operations';
import type { Reading } from '../reading';
import { readMppChallenges } from './mpp-challenge';
import { readX402Manifest } from './x402-manifest';
import { readX402Challenge } from './x402-challenge';

/** A route that the host's own documents say is paid. */
export interface AdvertisedRoute {
  /** Absolute URL, within the registrable domain of the probed host. */
  readonly url: string;
  /** `POST` only when the document says so. */
  readonly method: 'GET' | 'POST';
  readonly protocols: readonly ('x402' | 'mpp')[];
}

/** Contract 3: a callability look sends one unpaid request to at most this many advertised routes. */
const MAX_ROUTES = 5;

export const X402_MANIFEST_PATHS = ['/.well-known/x402', '/.well-known/x402.json'] as const;
const OPENAPI_PATHS = ['/openapi.json', '/.well-known/openapi.json'] as const;

/** An operation of the host's API description that states a price, resolved against the document's address. */
export interface AdvertisedOperation {
  readonly url: string;
  readonly method: string;
  readonly protocols: readonly ('x402' | 'mpp')[];
  readonly paymentInfo: JsonObject;
}

/**
 * The paid routes worth calling: those of OpenAPI descriptions first, since they state the method, then those of x402
 * manifests; routes of the probed host before its sibling hosts. Templates (`{id}`, `:id`), other methods and other
 * sites are left out.
 */
export function advertisedRoutes(seen: HostEvidence): readonly AdvertisedRoute[] {
  const routes = new Map<string, AdvertisedRoute>();
  const wanted = [...advertisedOperations(seen), ...manifestRoutes(seen)];
  for (const { url, method, protocols } of wanted) {
    if (method !== 'GET' && method !== 'POST') continue;
    const absolute = seen.resolve(url);
    if (absolute === undefined || !seen.sameSite(absolute) || isTemplate(url)) continue;
    const known = routes.get(absolute);
    routes.set(absolute, {
      url: absolute,
      method: known?.method ?? method,
      protocols: [...new Set([...(known?.protocols ?? []), ...protocols])],
    });
  }
  const own = (route: AdvertisedRoute) => (route.url.startsWith(`${seen.origin}/`) ? 0 : 1);
  return [...routes.values()].sort((a, b) => own(a) - own(b)).slice(0, MAX_ROUTES);
}

/**
 * Unpaid requests to the advertised routes: the declared method, and `POST {}` where a GET brought no challenge, since
 * many priced routes answer GET with 404 or 405. A route that refused us (429, 401, a wall) is not asked again.
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
export function routeReadings(seen: HostEvidence, protocol: 'x402' | 'mpp'): readonly Reading[] {
  return advertisedRoutes(seen)
    .filter((route) => route.protocols.includes(protocol))
    .map(({ url }) => {
      const posted = seen.read(url, 'POST', '{}');
      return posted.kind === 'unasked' ? seen.read(url) : posted;
    })
    .filter((reading) => reading.kind !== 'unasked');
}

/** Operations with `x-payment-info` in the OpenAPI descriptions that were read. */
export function advertisedOperations(seen: HostEvidence): readonly AdvertisedOperation[] {
  return OPENAPI_PATHS.flatMap((path) => {
    const reading = seen.read(path);
    if (reading.kind !== 'json') return [];
    return pricedOperations(reading.value).map(({ url, method, paymentInfo }) => ({
      url: seen.resolve(url, reading.answer.finalUrl) ?? url,
      method,
      protocols: protocolsOf(paymentInfo),
      paymentInfo,
    }));
  });
}

function manifestRoutes(seen: HostEvidence) {
  return X402_MANIFEST_PATHS.flatMap((path) => {
    const reading = seen.read(path);
    if (reading.kind !== 'json') return [];
    return readX402Manifest(reading.value).routes.map(({ url, method, protocol }) => ({
      url: seen.resolve(url) ?? url,
      method: method ?? 'GET',
      protocols: [protocol],
    }));
  });
}

/**
 * Two dialects share the key: the MPP discovery draft (`offers`, or one offer in place) and x402scan's
 * (`protocols: ["x402"]` or `[{ "x402": {} }]`).
 */
function protocolsOf(paymentInfo: JsonObject): readonly ('x402' | 'mpp')[] {
  if (list(member(paymentInfo, 'offers')) || text(member(paymentInfo, 'intent'))) return ['mpp'];
  const named = (list(member(paymentInfo, 'protocols')) ?? []).flatMap(namesOf);
  const known = (['x402', 'mpp'] as const).filter((protocol) => named.includes(protocol));
  return known.length > 0 ? known : ['x402'];
}

function namesOf(item: JsonValue): readonly string[] {
  if (typeof item === 'string') return [item.toLowerCase()];
  return typeof item === 'object' && item !== null ? Object.keys(item) : [];
}

function isTemplate(url: string): boolean {
  return /\{|%7B|\/:[A-Za-z]|\/\[|<[A-Za-z]/i.test(url.replace(/^https?:\/\//, ''));
}

function isChallenge(reading: Reading): boolean {
  if (reading.kind !== 'payment_required') return false;
  return readX402Challenge(reading.answer) !== undefined || readMppChallenges(reading.answer).length > 0;
}
