import type { Declaration } from './ap2/declaration';
import { advise } from './ap2/fixes';
import { declarationsOfCard } from './ap2/from-card';
import { declarationsOfProfile, handlerHints } from './ap2/from-profile';
import { defineDetector, type Judgement } from './detector';
import type { ProbeRequest } from './exchange';
import type { HostEvidence } from './host-evidence';
import type { JsonObject } from './json';
import { leakedPrivateKey, showsPrivateKey } from './private-key';
import { askedOf, candidateAt, documentRequest, leadsOn, type Candidate } from './well-known-json';
import { nothingFound } from './verdict';

const CARD = '/.well-known/agent-card.json';
const LEGACY_CARD = '/.well-known/agent.json';
const PROFILE = '/.well-known/ucp';
const FALLBACK_PROFILE = '/.well-known/ucp.json';

/** The documents of the `a2a` and `ucp` detectors are asked for here as well, so that `ap2` can be looked at alone. */
function followUps(seen: HostEvidence): readonly ProbeRequest[] {
  return [
    ...(leadsOn(candidateAt(seen, CARD)) ? [documentRequest(LEGACY_CARD)] : []),
    ...(leadsOn(candidateAt(seen, PROFILE)) ? [documentRequest(FALLBACK_PROFILE)] : []),
  ];
}

function judge(seen: HostEvidence): Judgement {
  const cards = [candidateAt(seen, CARD), candidateAt(seen, LEGACY_CARD)];
  const profiles = [candidateAt(seen, PROFILE), candidateAt(seen, FALLBACK_PROFILE)];
  const all = [...cards, ...profiles];
  const declarations = [
    ...cards.flatMap((candidate) => declarationsIn(candidate, declarationsOfCard)),
    ...profiles.flatMap((candidate) => declarationsIn(candidate, declarationsOfProfile)),
  ];
  const best = declarations.find(({ status }) => status === 'present') ?? declarations[0];
  const withhold = all.some(leaks) ? { withholdExcerpts: true } : {};
  if (!best) return { ...undeclared(all, profiles), ...withhold };
  return {
    status: best.status,
    version: best.version,
    details: detailsOf(best, declarations),
    findings: declarations.flatMap(({ findings }) => findings),
    decidedBy: askedOf(all),
    ...withhold,
  };
}

function declarationsIn(
  candidate: Candidate,
  read: (document: Extract<Candidate, { kind: 'document' }>['value']) => readonly Declaration[],
): readonly Declaration[] {
  return candidate.kind === 'document' ? read(candidate.value) : [];
}

/** No declaration: absent, unless one of the documents could not be seen. What else the documents say is no evidence. */
function undeclared(all: readonly Candidate[], profiles: readonly Candidate[]): Judgement {
  const readings = all.flatMap((candidate) => (candidate.kind === 'nothing' ? [candidate.reading] : []));
  const hints = profiles.flatMap((candidate) => (candidate.kind === 'document' ? handlerHints(candidate.value) : []));
  const nothing = nothingFound(readings);
  if (nothing.status === 'error') return nothing;
  return {
    ...nothing,
    details: { ...nothing.details, ...(hints.length > 0 ? { handlerHints: hints } : {}) },
    decidedBy: askedOf(all),
  };
}

function detailsOf(best: Declaration, all: readonly Declaration[]): JsonObject {
  return {
    source: best.source,
    ...best.details,
    version: best.version,
    declarations: all.map(({ source, id, status }) => ({ source, id, status })),
    ...(best.note === undefined ? {} : { note: best.note }),
  };
}

/** The same documents are quoted here as in the `ucp` and `a2a` cells: a key leaked there must not show here. */
function leaks(candidate: Candidate): boolean {
  if (candidate.kind === 'document') return leakedPrivateKey(candidate.value) !== undefined;
  return candidate.kind === 'other' && showsPrivateKey(candidate.answer.body);
}

/**
 * Agent Payments Protocol. It has no document of its own: merchants declare it as an extension of their agent card or as
 * the mandate capability of their UCP profile (https://ap2-protocol.org, https://ucp.dev/latest/specification/ap2-mandates/).
 */
export const ap2 = defineDetector({
  id: 'ap2',
  name: { short: 'AP2', long: 'Agent Payments Protocol' },
  spec: 'https://github.com/google-agentic-commerce/AP2',
  probes: [CARD, PROFILE].map(documentRequest),
  followUps,
  judge,
  advise,
});
