import type { Finding } from '../detector';
import type { ProbeRequest } from '../exchange';
import type { HostEvidence } from '../host-evidence';
import { isObject, member, text } from '../json';
import type { Binding, Profile } from './profile';

const ACCEPT = 'application/json, */*;q=0.1';

/**
 * Harmless reads of what a profile declares: the REST base (404 and 405 are normal there) and the A2A endpoint, which
 * is the URL of an agent card. MCP endpoints belong to the `mcp` detector; nothing here opens a checkout.
 */
export function endpointRequests(profile: Profile, seen: HostEvidence): readonly ProbeRequest[] {
  return [callable(profile, 'rest', seen), callable(profile, 'a2a', seen)]
    .filter((url) => url !== undefined)
    .map((url) => ({ method: 'GET', url, accept: ACCEPT }));
}

/** HTTP status of the REST base, when it was asked and answered. */
export function endpointStatus(profile: Profile, seen: HostEvidence): number | undefined {
  const url = callable(profile, 'rest', seen);
  const exchange = url === undefined ? undefined : seen.at(url);
  return exchange?.kind === 'answer' ? exchange.status : undefined;
}

export function endpointFindings(profile: Profile, seen: HostEvidence): readonly Finding[] {
  return [...restFindings(profile, seen), ...cardFindings(profile, seen)];
}

function restFindings(profile: Profile, seen: HostEvidence): readonly Finding[] {
  const url = callable(profile, 'rest', seen);
  const exchange = url === undefined ? undefined : seen.at(url);
  if (url === undefined || exchange === undefined) return [];
  const down = exchange.kind === 'failure' ? exchange.reason !== 'budget_spent' : exchange.status >= 500;
  return down ? [{ id: 'endpoint_unreachable', at: url }] : [];
}

function cardFindings(profile: Profile, seen: HostEvidence): readonly Finding[] {
  const url = callable(profile, 'a2a', seen);
  const reading = url === undefined ? undefined : seen.read(url);
  if (url === undefined || !reading || reading.kind === 'unasked') return [];
  const isCard =
    reading.kind === 'json' && isObject(reading.value) && text(member(reading.value, 'name')) !== undefined;
  return isCard ? [] : [{ id: 'a2a_endpoint_not_a_card', at: url }];
}

/** First absolute URL of a transport on the probed site; only those may be asked. */
function callable(profile: Profile, transport: Binding['transport'], seen: HostEvidence): string | undefined {
  return profile.bindings
    .filter((binding) => binding.transport === transport)
    .map(({ endpoint }) => text(endpoint))
    .find((url) => url !== undefined && /^https?:\/\//i.test(url) && seen.sameSite(url));
}
