import { defined } from '@app/platform';
import { ardDocuments } from '../documents/ard';
import { parseAuthChallenges } from '../evidence/auth-challenges';
import { headerValues, type Answer, type Exchange, type ProbeRequest } from '../evidence/exchange';
import type { HostEvidence } from '../evidence/host-evidence';
import { isUnseen } from '../evidence/reading';
import { list, member, text, type JsonValue } from '../formats/json';
import { parseUrl } from '../formats/parse-url';
import { findingsWhere, type Finding } from '../judgement/judgement';
import type { Handshake } from './handshake/handshake';
import { namesResourceMetadata } from './handshake/rpc';

/** The metadata path of a resource (RFC 9728), a prefix of the resource's path. */
const WELL_KNOWN = '/.well-known/oauth-protected-resource';
const MAX_ISSUERS = 10;

/** The OAuth data of an endpoint. */
interface Oauth {
  readonly auth?: 'oauth';
  /** Authorization servers in usable metadata. */
  readonly issuers?: readonly string[];
  readonly findings: readonly Finding[];
  readonly exchanges: readonly Exchange[];
}

/** The answer that requires credentials, if the handshake ended with it. */
function demandOf({ outcome, exchanges }: Handshake): Answer | undefined {
  const last = exchanges.at(-1);
  return outcome === 'protected' && last?.kind === 'answer' && last.status !== 402 ? last : undefined;
}

/** `resource_metadata` of the challenge; clients ignore a relative one. */
function statedMetadata(demand: Answer): string | undefined {
  const challenges = parseAuthChallenges(headerValues(demand, 'www-authenticate'));
  return challenges.map(({ params }) => params.get('resource_metadata')).find((url) => url !== undefined);
}

/** Where the metadata may be: at the URL in the challenge, at the path of the endpoint, at the root. */
function places(endpoint: string, demand: Answer, seen: HostEvidence): readonly string[] {
  const { origin, pathname } = new URL(endpoint);
  const stated = parseUrl(statedMetadata(demand) ?? '')?.href;
  const followed = stated?.startsWith('https:') && seen.sameSite(stated) ? [stated] : [];
  return [...new Set([...followed, `${origin}${WELL_KNOWN}${pathname.replace(/\/$/, '')}`, `${origin}${WELL_KNOWN}`])];
}

/** Where the metadata of an authorization server may be (RFC 8414 section 3.1, OpenID Connect Discovery section 4). */
function serverMetadata(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const inserted = ['oauth-authorization-server', 'openid-configuration'].map((name) => `/.well-known/${name}${path}`);
  return [...new Set([...inserted, `${path}/.well-known/openid-configuration`])].map((place) => `${origin}${place}`);
}

/** The first ten authorization servers in the metadata. */
function issuersOf(metadata: JsonValue): readonly string[] {
  const listed = (list(member(metadata, 'authorization_servers')) ?? []).slice(0, MAX_ISSUERS);
  return listed
    .map((issuer) => text(issuer) ?? '')
    .filter((issuer) => /^https:\/\/[^/]/.test(issuer) && parseUrl(issuer));
}

/**
 * The issuer that is the endpoint's own host; some hosts publish metadata without a server, only to satisfy checkers.
 */
function ownIssuer(metadata: JsonValue, endpoint: string): string | undefined {
  return issuersOf(metadata).find((issuer) => new URL(issuer).host === new URL(endpoint).host);
}

/** Whether a host that claims to be an authorization server has no such metadata. */
function isServerMissing(issuer: string, seen: HostEvidence): boolean {
  const readings = serverMetadata(issuer).map((url) => seen.read(url));
  return readings.every((reading) => {
    if (reading.kind === 'unasked' || isUnseen(reading)) return false;
    return reading.kind !== 'json' || text(member(reading.value, 'issuer')) === undefined;
  });
}

/**
 * The next requests for the metadata of a protected endpoint, then for that of its authorization server if that is the
 * host itself; none once they are found or the host could not answer.
 */
export function oauthRequests(endpoint: string, handshake: Handshake, seen: HostEvidence): readonly ProbeRequest[] {
  const demand = demandOf(handshake);
  for (const url of demand ? places(endpoint, demand, seen) : []) {
    const reading = seen.read(url);
    if (reading.kind === 'unasked') return seen.at(url) ? [] : [{ method: 'GET', url, accept: 'application/json' }];
    if (reading.kind === 'json' && text(member(reading.value, 'resource')) !== undefined) {
      const issuer = ownIssuer(reading.value, endpoint);
      const own = issuer === undefined ? [] : serverMetadata(issuer);
      return own.map((place) => ({ method: 'GET', url: place, accept: 'application/json' }));
    }
    // After a plain "no" we continue; a failing server may have it.
    if (reading.kind === 'blocked' && ((reading.statusCode ?? 500) >= 500 || reading.statusCode === 429)) return [];
  }
  return [];
}

/**
 * Reads the challenge and the metadata (RFC 9728,
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization).
 */
export function readOauth(endpoint: string, handshake: Handshake | undefined, seen: HostEvidence): Oauth {
  const demand = handshake && demandOf(handshake);
  if (!demand) return { findings: [], exchanges: [] };
  const all = places(endpoint, demand, seen).map((url) => ({ url, reading: seen.read(url) }));
  const found = all.flatMap(({ url, reading }) => {
    const resource = reading.kind === 'json' ? text(member(reading.value, 'resource')) : undefined;
    return reading.kind === 'json' && resource !== undefined ? [{ ...reading, url, resource }] : [];
  })[0];
  const stated = statedMetadata(demand);
  const covered = found !== undefined && covers(found.resource, endpoint);
  const named = covered ? issuersOf(found.value) : [];
  const own = covered ? ownIssuer(found.value, endpoint) : undefined;
  const asked = all.every(({ reading }) => reading.kind !== 'unasked' && reading.kind !== 'blocked');
  return {
    ...defined({
      auth: covered || namesResourceMetadata(demand) ? ('oauth' as const) : undefined,
      issuers: named.length > 0 ? named : undefined,
    }),
    findings: findingsWhere([
      [stated !== undefined && !parseUrl(stated), 'resource_metadata_relative', 'www-authenticate'],
      [found !== undefined && !covered, 'resource_mismatch', found?.url ?? ''],
      [found === undefined && stated === undefined && asked, 'auth_undiscoverable', endpoint],
      [own !== undefined && isServerMissing(own, seen), 'auth_server_missing', own ?? ''],
    ]),
    exchanges: found ? [found.answer] : [],
  };
}

/**
 * The MCP endpoint of metadata listed in the host's manifest. Metadata describes any API with OAuth, so it only counts
 * if the name indicates MCP, and the handshake decides.
 */
export function listedResource(seen: HostEvidence): { readonly answer: Answer; readonly endpoint: string } | undefined {
  for (const url of ardDocuments(seen, 'oauth')) {
    const reading = seen.read(url);
    const endpoint = reading.kind === 'json' ? text(member(reading.value, 'resource')) : undefined;
    const named = endpoint !== undefined && /^https:\/\//.test(endpoint) && seen.sameSite(endpoint);
    if (reading.kind === 'json' && named && /\bmcp\b/i.test(`${url} ${endpoint}`)) {
      return { answer: reading.answer, endpoint };
    }
  }
  return undefined;
}

/** Whether metadata covers an endpoint: same origin, and its path is a prefix of complete segments. */
function covers(resource: string, endpoint: string): boolean {
  const [of, at] = [parseUrl(resource), parseUrl(endpoint)];
  if (!of || !at || of.origin !== at.origin) return false;
  const prefix = of.pathname.replace(/\/$/, '');
  return at.pathname === prefix || at.pathname.startsWith(`${prefix}/`);
}
