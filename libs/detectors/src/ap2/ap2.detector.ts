import { CARD_PATH, CARDS } from '../a2a/card';
import type { Declaration } from './declaration';
import { advise } from './mandate-fixes';
import { declarationsOfCard } from './from-card';
import { declarationsOfProfile, handlerHintsOf } from './from-profile';
import { defineDetector } from '../judgement/detector';
import { leakedPrivateKey } from '../documents/private-key';
import { showsPrivateKey } from '../quoting/key-text';
import { askedOf, documentRequest, type Candidate } from '../documents/well-known-json';
import type { HostEvidence } from '../evidence/host-evidence';
import type { JsonObject } from '../formats/json';
import type { Judgement } from '../judgement/judgement';
import { nothingFound } from '../judgement/nothing-found';
import { PROFILE_PATH, PROFILES } from '../ucp/profile';

function judge(seen: HostEvidence): Judgement {
  const [cards, profiles] = [CARDS.candidates(seen), PROFILES.candidates(seen)];
  const all = [...cards, ...profiles];
  const declarations = [
    ...cards.flatMap((candidate) => declarationsIn(candidate, declarationsOfCard)),
    ...profiles.flatMap((candidate) => declarationsIn(candidate, declarationsOfProfile)),
  ];
  const best = declarations.find(({ status }) => status === 'present') ?? declarations[0];
  const withholdExcerpts = all.some(leaks);
  if (!best) return { ...undeclared(all, profiles), withholdExcerpts };
  return {
    status: best.status,
    version: best.version,
    details: detailsOf(best, declarations),
    findings: declarations.flatMap(({ findings }) => findings),
    decidedBy: askedOf(all),
    withholdExcerpts,
  };
}

function declarationsIn(
  candidate: Candidate,
  read: (document: Extract<Candidate, { kind: 'document' }>['value']) => readonly Declaration[],
): readonly Declaration[] {
  return candidate.kind === 'document' ? read(candidate.value) : [];
}

/**
 * Without a declaration it is absent, unless one of the documents could not be read. Other documents are not evidence.
 */
function undeclared(all: readonly Candidate[], profiles: readonly Candidate[]): Judgement {
  const readings = all.flatMap((candidate) => (candidate.kind === 'nothing' ? [candidate.reading] : []));
  const hints = profiles.flatMap((candidate) => (candidate.kind === 'document' ? handlerHintsOf(candidate.value) : []));
  const nothing = nothingFound(readings);
  if (nothing.status === 'error') return nothing;
  const handlerHints = hints.length > 0 ? hints : undefined;
  return { ...nothing, details: { ...nothing.details, handlerHints }, decidedBy: askedOf(all) };
}

function detailsOf(best: Declaration, all: readonly Declaration[]): JsonObject {
  return {
    source: best.source,
    ...best.details,
    version: best.version,
    declarations: all.map(({ source, id, status }) => ({ source, id, status })),
    note: best.note,
  };
}

/** The documents are also quoted in the `ucp` and `a2a` cells; a key leaked in them must not appear here either. */
function leaks(candidate: Candidate): boolean {
  if (candidate.kind === 'document') return leakedPrivateKey(candidate.value) !== undefined;
  return candidate.kind === 'other' && showsPrivateKey(candidate.answer.body);
}

/**
 * Agent Payments Protocol. It has no document of its own: merchants declare it as an extension of their agent card or
 * as the mandate capability of their UCP profile (https://ap2-protocol.org,
 * https://ucp.dev/latest/specification/ap2-mandates/).
 */
export const ap2 = defineDetector({
  id: 'ap2',
  name: { short: 'AP2', long: 'Agent Payments Protocol' },
  spec: 'https://github.com/google-agentic-commerce/AP2',
  rules: { release: '0.2.0', checked: '2026-11-22' },
  sells: true,
  gain: {
    priority: 1,
    effort: 'hours',
    why: "Agents that pay under a user's mandate need an AP2 declaration.",
  },
  // The documents of the `a2a` and `ucp` detectors, so that `ap2` can be probed alone.
  probes: [CARD_PATH, PROFILE_PATH].map(documentRequest),
  followUps: (seen) => [...CARDS.followUps(seen), ...PROFILES.followUps(seen)],
  judge,
  advise,
});
