import { ardDocuments, ardFollowUps } from '../documents/ard';
import { x402ManifestReadings } from '../documents/x402-manifests';
import type { ProbeRequest } from '../evidence/exchange';
import type { HostEvidence } from '../evidence/host-evidence';
import { linkedBy } from '../evidence/links';
import { onceEach } from '../evidence/once-each';
import { saidJson, type Reading } from '../evidence/reading';
import { list, member, text, type JsonValue } from '../formats/json';
import { candidateAt, type Candidate, type Described } from './candidate';
import { catalogueLinks } from './description';

/** The paths of behaviour 5.11; a page there is `partial`. */
export const PATHS = ['/openapi.json', '/.well-known/openapi.json'] as const;

/** YAML names: OpenAPI 3.1 recommends `openapi.json` or `openapi.yaml` for the entry document. */
const YAML_PATHS = ['/openapi.yaml', '/.well-known/openapi.yaml'] as const;

/** RFC 9727: the registered path for a host's list of APIs. */
const CATALOGUE = '/.well-known/api-catalog';

/** An ai-plugin manifest may link to a description. */
const PLUGIN = '/.well-known/ai-plugin.json';

/** How many linked documents are followed; a catalog may list hundreds. */
const MAX_LINKED = 3;

/** Same-site descriptions that other documents link to, in order of precedence. */
const linkedDescriptions = onceEach((seen: HostEvidence): readonly string[] => {
  const home = seen.at('/');
  const urls = [
    ...(home?.kind === 'answer' ? linkedBy(home, 'service-desc').map((url) => seen.resolve(url, home.finalUrl)) : []),
    // An x402 manifest may link to descriptions with prices (x402 working group on domain discovery).
    ...x402ManifestReadings(seen).flatMap((reading) =>
      linksIn(seen, reading, (manifest) => {
        const stated = member(manifest, 'openapi');
        return list(stated) ?? [stated];
      }),
    ),
    ...linksIn(seen, seen.read(CATALOGUE), catalogueLinks),
    ...linksIn(seen, seen.read(PLUGIN), (plugin) => [member(member(plugin, 'api'), 'url')]),
    ...ardDocuments(seen, 'openapi'),
  ].filter((url): url is string => url !== undefined && seen.sameSite(url));
  return [...new Set(urls)].filter((url) => !PATHS.some((path) => seen.resolve(path) === url)).slice(0, MAX_LINKED);
});

/** Descriptions of 3.6 MB exist; beyond the limit, their beginning decides. */
const MAX_BYTES = 5_000_000;

const accept = 'application/openapi+json, application/json, application/yaml;q=0.9, */*;q=0.1';
const request = (url: string): ProbeRequest => ({ method: 'GET', url, accept, maxBytes: MAX_BYTES });

export const DESCRIPTION_PROBE = request(PATHS[0]);

/** The request for the catalog that may link to descriptions: URLs from the host come before guessed ones. */
export const CATALOGUE_PROBE: ProbeRequest = {
  method: 'GET',
  url: CATALOGUE,
  accept: 'application/linkset+json, */*;q=0.1',
};

/** The requests for the prices in descriptions, for protocols that other documents decide. */
export function forPrices(requests: readonly ProbeRequest[]): readonly ProbeRequest[] {
  return requests.map((request) => ({ ...request, optional: request.optional ?? true }));
}

/**
 * After a description was found, or the host refused the request, we only request URLs from its own documents, which
 * may have the prices. These come first, because within the budget a detector may get only one request.
 */
export function descriptionFollowUps(seen: HostEvidence): readonly ProbeRequest[] {
  const found = descriptionCandidates(seen);
  const linked = linkedDescriptions(seen).map((url): ProbeRequest => ({ ...request(url), declared: true }));
  if (PATHS.some((path) => seen.read(path).kind === 'blocked')) return linked;
  const last = [PLUGIN, ...YAML_PATHS].map((url): ProbeRequest => ({ ...request(url), optional: 'last' }));
  if (!found.some(isUsable)) return [...linked, request(PATHS[1]), ...ardFollowUps(seen), ...last];
  return found.some(statesPrices) ? [] : linked;
}

function statesPrices(candidate: Candidate): boolean {
  return candidate.kind === 'description' && candidate.description.pricedOperations > 0;
}

/** The response at each path and URL of a possible description. */
export const descriptionCandidates = onceEach((seen: HostEvidence): readonly Candidate[] =>
  [...PATHS, ...linkedDescriptions(seen), ...YAML_PATHS].map((url) => candidateAt(url, seen)),
);

/** Every readable description, with or without faults, each document once. */
export function readDescriptions(seen: HostEvidence): readonly Described[] {
  const read = descriptionCandidates(seen).filter((candidate) => candidate.kind === 'description');
  return [...new Map(read.map((one) => [`${one.answer.finalUrl} ${one.answer.sha256}`, one])).values()];
}

export function isUsable(candidate: Candidate): candidate is Described {
  return candidate.kind === 'description' && candidate.description.fault === undefined;
}

/** URL texts in a JSON document of the host, made absolute. */
function linksIn(
  seen: HostEvidence,
  reading: Reading,
  linksOf: (document: JsonValue) => readonly (JsonValue | undefined)[],
): readonly (string | undefined)[] {
  const said = saidJson(reading);
  if (!said) return [];
  return linksOf(said.value).map((link) => {
    const url = text(link);
    return url === undefined ? undefined : seen.resolve(url, said.answer.finalUrl);
  });
}
