import { CARDS, isCard, isLegacyPath, readCard, type AgentCard } from './card';
import { cachingFindings, cardFindings } from './card-findings';
import { cardFault } from './card-fault';
import { advise } from './card-fixes';
import { interfaceProbe, interfaceProbeFindings, interfaceRequests, type InterfaceProbe } from './interface-probe';
import { readSignatures, signatureRequests } from './card-signature';
import { defineDetector } from '../judgement/detector';
import { ardMismatches } from '../documents/ard';
import { leakedPrivateKey } from '../documents/private-key';
import {
  askedOf,
  documentToJudge,
  noDocument,
  servingFindings,
  type Candidate,
  type DocumentCandidate,
} from '../documents/well-known-json';
import type { ProbeRequest } from '../evidence/exchange';
import type { HostEvidence } from '../evidence/host-evidence';
import { isObject, list, member, text, type JsonObject } from '../formats/json';
import { parseUrl } from '../formats/parse-url';
import { findingsWhere, withFindings, type Judgement } from '../judgement/judgement';

function chosen(all: readonly Candidate[]): DocumentCandidate | undefined {
  return documentToJudge(all, ({ value }) => cardFault(value));
}

function exercises(seen: HostEvidence): readonly ProbeRequest[] {
  const document = chosen(CARDS.candidates(seen));
  const card = document && readCard(document.value, document.answer.finalUrl);
  return card ? [...interfaceRequests(card, seen), ...signatureRequests(card, seen)] : [];
}

function judge(seen: HostEvidence): Judgement {
  const all = CARDS.candidates(seen);
  const document = chosen(all);
  const mismatches = ardMismatches(seen, 'a2a', isCard);
  if (!document) return withFindings(noDocument(all), mismatches);
  const card = readCard(document.value, document.answer.finalUrl);
  const probe = card && interfaceProbe(card, seen);
  const signed = card && readSignatures(card, document.answer, seen);
  const leak = leakedPrivateKey(document.value);
  const note = cardFault(document.value);
  return {
    status: note === undefined ? 'present' : 'partial',
    version: card?.protocolVersion ?? null,
    details: { ...detailsOf(document, card, probe), ...signed?.details, note },
    findings: [
      ...(leak === undefined ? [] : [{ id: 'private_key_leaked', at: leak }]),
      ...findingsWhere([[isLegacyPath(document.path), 'legacy_path', document.path]]),
      ...servingFindings(document),
      ...cachingFindings(document.answer),
      ...(card ? [...cardFindings(card, seen), ...interfaceProbeFindings(card, probe)] : []),
      ...(signed?.findings ?? []),
      ...mismatches,
    ],
    decidedBy: [...askedOf(all), ...(probe?.exchanges ?? []), ...(signed?.exchanges ?? [])],
    withholdExcerpts: leak !== undefined || signed?.leaks === true,
  };
}

function detailsOf(
  { value, path, answer }: DocumentCandidate,
  card: AgentCard | undefined,
  probe: InterfaceProbe | undefined,
): JsonObject {
  return {
    keys: isObject(value) ? Object.keys(value) : undefined,
    ...(card && cardDetails(card)),
    interfaceStatus: probe?.status,
    interfaceState: probe?.state,
    path: parseUrl(path)?.pathname ?? path,
    foundVia: path.startsWith('/') ? undefined : 'ard',
    truncated: answer.truncated || undefined,
  };
}

function cardDetails(card: AgentCard): JsonObject {
  const [preferred] = card.interfaces;
  return {
    name: card.name,
    skills: card.skills.map(({ id, name }) => ({ id, name })),
    // An absolute URL is reported as written in the card.
    endpoint: preferred && !parseUrl(preferred.url) ? (preferred.address ?? preferred.url) : preferred?.url,
    interfaces: card.interfaces.map(({ url, binding, protocolVersion }) => ({
      url,
      binding,
      protocolVersion: protocolVersion ?? null,
    })),
    generation: card.generation,
    agentVersion: text(member(card.members, 'version')),
    extensions: (list(member(member(card.members, 'capabilities'), 'extensions')) ?? [])
      .map((extension) => text(member(extension, 'uri')))
      .filter((uri) => uri !== undefined),
  };
}

/** Agent2Agent: the card of an agent. Behaviour 5.6; https://a2a-protocol.org/latest/specification/ section 8. */
export const a2a = defineDetector({
  id: 'a2a',
  name: { short: 'A2A', long: 'Agent2Agent' },
  spec: 'https://a2a-protocol.org/latest/specification/',
  rules: { release: '1.0.1', checked: '2026-11-22' },
  gain: {
    priority: 2,
    effort: 'days',
    why: 'Other agents read the card to learn what this agent does and how to reach it.',
  },
  probes: CARDS.probes,
  followUps: CARDS.followUps,
  exercises,
  judge,
  advise,
});
