import { defineDetector } from '../judgement/detector';
import { declaredUrlFindings } from '../documents/declared-url';
import { ARD_PROBE, ardDocuments, ardMismatches } from '../documents/ard';
import { privateKeyFixes, withDocumentFaults } from '../documents/document-faults';
import type { Answer } from '../evidence/exchange';
import type { HostEvidence } from '../evidence/host-evidence';
import { isUnseen } from '../evidence/reading';
import { parseUrl } from '../formats/parse-url';
import { detailOf, type FixAdvice, withFindings, type Judgement } from '../judgement/judgement';
import { nothingFound } from '../judgement/nothing-found';
import type { Candidate, Described } from './candidate';
import { claimsOpenapi, DESCRIPTION_PROBLEMS } from './description';
import {
  CATALOGUE_PROBE,
  DESCRIPTION_PROBE,
  descriptionCandidates,
  descriptionFollowUps,
  isUsable,
  PATHS,
} from './published-descriptions';

type Unreadable = Extract<Candidate, { kind: 'unreadable' }>;

/**
 * At its own paths, any document counts; elsewhere only one that states a version, because `service-desc` also links
 * server cards.
 */
function meantAsDescription(candidate: Candidate, position: number): candidate is Described {
  if (candidate.kind !== 'description') return false;
  return position < PATHS.length || candidate.description.fault !== 'no_openapi_member';
}

function judge(seen: HostEvidence): Judgement {
  const found = descriptionCandidates(seen);
  const description = found.find(isUsable) ?? found.find(meantAsDescription);
  if (description) return judgeDescription(description, seen);
  // A page is a mistake only at the paths of descriptions; elsewhere it is just a page.
  const unreadable = found.find(
    (candidate, i): candidate is Unreadable =>
      candidate.kind === 'unreadable' && (i < PATHS.length || candidate.claims),
  );
  const readings = found.flatMap((candidate) => (candidate.kind === 'nothing' ? [candidate.reading] : []));
  // If one path was refused, a catch-all page at the other does not prove absence.
  const blocked = readings.some(isUnseen);
  if (unreadable && !(blocked && unreadable.catchAll)) {
    const { answer, note, catchAll } = unreadable;
    const details = { note, path: pathOf(answer.url), bytes: answer.bytes, catchAll: catchAll || undefined };
    return { status: 'partial', details, decidedBy: [answer] };
  }
  return nothingFound(readings);
}

function judgeDescription({ answer, format, description, truncated }: Described, seen: HostEvidence): Judgement {
  const { fault, name, server, findings, pricedOperations, signInOperations, security } = description;
  // An absolute URL is reported as written.
  const absolute = server === undefined || parseUrl(server) ? server : seen.resolve(server, answer.finalUrl);
  const endpoint = absolute ?? server;
  const details = {
    name,
    keys: description.keys,
    endpoint,
    path: pathOf(answer.url),
    foundVia: foundVia(answer, seen),
    format,
    bytes: answer.bytes,
    paths: description.paths,
    operations: description.operations,
    pricedOperations: pricedOperations || undefined,
    signInOperations: signInOperations || undefined,
    security: security.length === 0 ? undefined : security,
    truncated: truncated || undefined,
    note: fault,
  };
  return {
    status: fault === undefined ? 'present' : 'partial',
    version: description.version,
    details,
    findings: [...findings, ...(endpoint === undefined ? [] : declaredUrlFindings(endpoint, '$.servers[0].url'))],
    decidedBy: [answer],
  };
}

/** How a description without a well-known path was found. */
function foundVia(answer: Answer, seen: HostEvidence): 'ard' | undefined {
  if (PATHS.some((path) => seen.at(path) === answer)) return undefined;
  return ardDocuments(seen, 'openapi').some((url) => seen.at(url) === answer) ? 'ard' : undefined;
}

/** The path of a request for the report; its evidence has the full URL. */
function pathOf(url: string): string {
  return new URL(url).pathname;
}

const EXAMPLE = `{
  "openapi": "3.1.0",
  "info": { "title": "<name of the API>", "version": "1.0.0" },
  "servers": [{ "url": "https://{host}" }],
  "paths": { "/products": { "get": { "summary": "List products", "responses": { "200": { "description": "OK" } } } } }
}`;

const PROBLEMS: Readonly<Record<string, string>> = {
  html_not_machine_document: 'answered with an HTML page',
  empty_body: 'answered with an empty body',
  not_json: 'is not valid JSON',
  not_yaml: 'is neither JSON nor YAML',
  ...DESCRIPTION_PROBLEMS,
};

function advise(judgement: Judgement): readonly FixAdvice[] {
  const publish = `Serve an OpenAPI description at /openapi.json as application/json. A minimal example:\n${EXAMPLE}`;
  const link = 'Or link to it from the home page with the header `Link: </api/openapi.json>; rel="service-desc"`.';
  if (judgement.status === 'absent') {
    return [{ kind: 'missing', problem: 'No API description (OpenAPI) was found.', fix: `${publish}\n${link}` }];
  }
  const leaked = privateKeyFixes(judgement, 'The API description');
  if (judgement.status !== 'partial') return leaked;
  const slot = detailOf(judgement, 'path') ?? PATHS[0];
  const problem = PROBLEMS[detailOf(judgement, 'note') ?? ''] ?? 'is not a readable API description';
  return [...leaked, { kind: 'partial', problem: `${slot} ${problem}.`, fix: `${publish}\n${link}` }];
}

/** OpenAPI: what the host's HTTP API offers. 2.0 to 3.2, JSON and YAML, https://spec.openapis.org/oas/latest.html; behaviour 5.11. */
export const openapi = defineDetector({
  id: 'openapi',
  name: { short: 'OpenAPI', long: 'API description' },
  spec: 'https://spec.openapis.org/oas/latest.html',
  rules: { release: '3.2.0', checked: '2026-11-25' },
  gain: {
    priority: 2,
    effort: 'hours',
    why: 'Agents build their calls from this description instead of guessing from web pages.',
  },
  probes: [DESCRIPTION_PROBE, CATALOGUE_PROBE, ARD_PROBE],
  followUps: descriptionFollowUps,
  judge: (seen) => withFindings(withDocumentFaults(judge(seen), seen), ardMismatches(seen, 'openapi', claimsOpenapi)),
  advise,
});
