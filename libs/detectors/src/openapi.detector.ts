import { declaredUrlFindings } from './declared-url';
import { privateKeyFixes, withDocumentFaults } from './document-faults';
import { defineDetector, type FixAdvice, type Judgement } from './detector';
import type { ProbeRequest } from './exchange';
import type { HostEvidence } from './host-evidence';
import { member, text } from './json';
import { catalogueLinks } from './openapi/description';
import { candidateAt, type Candidate } from './openapi/candidate';
import { parseUrl } from './parse-url';
import { serviceDescLinks } from './openapi/service-desc';
import { nothingFound } from './verdict';

/** The paths of spec 2.6; a page there is `partial`. */
const PATHS = ['/openapi.json', '/.well-known/openapi.json'] as const;

/** YAML names: OpenAPI 3.1 recommends `openapi.json` or `openapi.yaml` for the entry document. */
const YAML_PATHS = ['/openapi.yaml', '/.well-known/openapi.yaml'] as const;

/** RFC 9727: the registered list of a host's APIs. */
const CATALOGUE = '/.well-known/api-catalog';

/** Where an ai-plugin manifest names a description. */
const PLUGIN = '/.well-known/ai-plugin.json';

/** Descriptions of 3.6 MB are in use; beyond the cap their head decides. */
const MAX_BYTES = 5_000_000;

/** Documents followed from links; a catalogue may list hundreds. */
const MAX_LINKED = 2;

const accept = 'application/openapi+json, application/json, application/yaml;q=0.9, */*;q=0.1';
const request = (url: string): ProbeRequest => ({ method: 'GET', url, accept, maxBytes: MAX_BYTES });

type Described = Extract<Candidate, { kind: 'description' }>;
type Unreadable = Extract<Candidate, { kind: 'unreadable' }>;

/** Same-site descriptions that other documents of the host point at, in order of their standing. */
function linked(seen: HostEvidence): readonly string[] {
  const home = seen.at('/');
  const catalogue = seen.read(CATALOGUE);
  const plugin = seen.read(PLUGIN);
  const pluginUrl = plugin.kind === 'json' ? text(member(member(plugin.value, 'api'), 'url')) : undefined;
  const urls = [
    ...(home?.kind === 'answer' ? serviceDescLinks(home).map((url) => seen.resolve(url, home.finalUrl)) : []),
    ...(catalogue.kind === 'json'
      ? catalogueLinks(catalogue.value).map((url) => seen.resolve(url, catalogue.answer.finalUrl))
      : []),
    pluginUrl === undefined ? undefined : seen.resolve(pluginUrl),
  ].filter((url): url is string => url !== undefined && seen.sameSite(url));
  return [...new Set(urls)].filter((url) => !PATHS.some((path) => seen.resolve(path) === url)).slice(0, MAX_LINKED);
}

function candidates(seen: HostEvidence): readonly Candidate[] {
  return [...PATHS, ...linked(seen), ...YAML_PATHS].map((url) => candidateAt(url, seen));
}

const usable = (candidate: Candidate): candidate is Described =>
  candidate.kind === 'description' && candidate.description.fault === undefined;

/**
 * Nothing more is asked once a description is found, or when the host would not let us look. What the host names itself
 * comes first: of the requests that the budget leaves, this detector may get only one.
 */
function followUps(seen: HostEvidence): readonly ProbeRequest[] {
  const found = candidates(seen);
  const blocked = PATHS.some((path) => seen.read(path).kind === 'blocked');
  if (blocked || found.some(usable)) return [];
  return [...linked(seen), PATHS[1], ...YAML_PATHS].map(request);
}

/** Any document where one is due; elsewhere only what states a version, since `service-desc` also names server cards. */
function meantAsDescription(candidate: Candidate, position: number): candidate is Described {
  if (candidate.kind !== 'description') return false;
  return position < PATHS.length || candidate.description.fault !== 'no_openapi_member';
}

/**
 * On a host that publishes little the presence budget ends before the YAML names and what a catalogue links: a full
 * look asks for the rest.
 */
function exercises(seen: HostEvidence): readonly ProbeRequest[] {
  return followUps(seen).filter(({ url }) => seen.at(url) === undefined);
}

function judge(seen: HostEvidence): Judgement {
  const found = candidates(seen);
  const description = found.find(usable) ?? found.find(meantAsDescription);
  if (description) return judgeDescription(description, seen);
  // A page proves a mistake only where a description belongs; elsewhere it is just a page.
  const unreadable = found.find(
    (candidate, i): candidate is Unreadable =>
      candidate.kind === 'unreadable' && (i < PATHS.length || candidate.claims),
  );
  const readings = found.flatMap((candidate) => (candidate.kind === 'nothing' ? [candidate.reading] : []));
  // The page a host shows for everything is no answer to a question it would not let us ask.
  const blocked = readings.some((reading) => reading.kind === 'blocked');
  if (unreadable && !(blocked && unreadable.catchAll)) {
    const { answer, note, catchAll } = unreadable;
    const details = { note, path: pathOf(answer.url), bytes: answer.bytes, ...(catchAll ? { catchAll } : {}) };
    return { status: 'partial', details, decidedBy: [answer] };
  }
  return nothingFound(readings);
}

function judgeDescription({ answer, format, description, truncated }: Described, seen: HostEvidence): Judgement {
  const { fault, name, server, findings } = description;
  // An absolute URL is reported as the document writes it.
  const absolute = server === undefined || parseUrl(server) ? server : seen.resolve(server, answer.finalUrl);
  const endpoint = absolute ?? server;
  const details = {
    ...(name === undefined ? {} : { name }),
    keys: description.keys,
    ...(endpoint === undefined ? {} : { endpoint }),
    path: pathOf(answer.url),
    format,
    bytes: answer.bytes,
    paths: description.paths,
    operations: description.operations,
    ...(description.pricedOperations === 0 ? {} : { pricedOperations: description.pricedOperations }),
    ...(description.security.length === 0 ? {} : { security: description.security }),
    ...(truncated ? { truncated } : {}),
    ...(fault === undefined ? {} : { note: fault }),
  };
  return {
    status: fault === undefined ? 'present' : 'partial',
    version: description.version,
    details,
    findings: [...findings, ...(endpoint === undefined ? [] : declaredUrlFindings(endpoint, '$.servers[0].url'))],
    decidedBy: [answer],
  };
}

/** Path of a request for a report; its evidence names the whole URL. */
function pathOf(url: string): string {
  return new URL(url).pathname;
}

const EXAMPLE = `{
  "openapi": "3.1.0",
  "info": { "title": "Example API", "version": "1.0.0" },
  "servers": [{ "url": "https://api.example.com" }],
  "paths": { "/products": { "get": { "summary": "List products", "responses": { "200": { "description": "OK" } } } } }
}`;

const PROBLEMS: Readonly<Record<string, string>> = {
  html_not_machine_document: 'answered with an HTML page',
  empty_body: 'answered with an empty body',
  not_json: 'is not valid JSON',
  not_yaml: 'is neither JSON nor YAML',
  no_openapi_member: 'has no "openapi" member',
  version_not_a_string: 'states its version as a number; it must be a string such as "3.1.0"',
  unsupported_version: 'states a version that is neither "2.0" nor "3.x"',
  info_missing: 'has no "info" object',
  paths_missing: 'has no "paths" object',
};

function advise(judgement: Judgement): readonly FixAdvice[] {
  const publish = `Serve an OpenAPI description at /openapi.json as application/json, smallest valid example:\n${EXAMPLE}`;
  const link = 'Or link it from the home page: `Link: </api/openapi.json>; rel="service-desc"`.';
  if (judgement.status === 'absent') {
    return [{ kind: 'missing', problem: 'No API description (OpenAPI) was found.', fix: `${publish}\n${link}` }];
  }
  const leaked = privateKeyFixes(judgement, 'The API description');
  if (judgement.status !== 'partial') return leaked;
  const { note, path } = judgement.details ?? {};
  const place = typeof path === 'string' ? path : PATHS[0];
  const problem = (typeof note === 'string' ? PROBLEMS[note] : undefined) ?? 'is not a readable API description';
  return [...leaked, { kind: 'partial', problem: `${place} ${problem}.`, fix: `${publish}\n${link}` }];
}

/** OpenAPI: what the host's HTTP API offers. 2.0 to 3.2, JSON and YAML, https://spec.openapis.org/oas/latest.html; spec 2.6. */
export const openapi = defineDetector({
  id: 'openapi',
  name: { short: 'OpenAPI', long: 'API description' },
  spec: 'https://spec.openapis.org/oas/latest.html',
  probes: [request(PATHS[0]), { method: 'GET', url: CATALOGUE, accept: 'application/linkset+json, */*;q=0.1' }],
  followUps,
  exercises,
  judge: (seen) => withDocumentFaults(judge(seen), seen),
  advise,
});
