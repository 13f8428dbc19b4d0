import { readCard, type AgentCard } from './a2a/card';
import { cachingFindings, cardFindings } from './a2a/card-findings';
import { cardFault } from './a2a/fault';
import { advise } from './a2a/fixes';
import { interfaceLook, interfaceLookFindings, interfaceRequests, type InterfaceLook } from './a2a/interface-look';
import { signatureDetails } from './a2a/signature';
import { defineDetector, type Finding, type Judgement } from './detector';
import type { ProbeRequest } from './exchange';
import type { HostEvidence } from './host-evidence';
import { isObject, list, member, text, type JsonObject } from './json';
import { parseUrl } from './parse-url';
import { leakedPrivateKey } from './private-key';
import {
  askedOf,
  candidateAt,
  documentRequest,
  documentToJudge,
  isPlainHttp,
  leadsOn,
  noDocument,
  servingFindings,
  type Candidate,
  type DocumentCandidate,
} from './well-known-json';

/** Registered well-known path since A2A 0.3 (2025-07). */
const PATH = '/.well-known/agent-card.json';

/** Path of A2A 0.1 and 0.2, still served by toolkits and asked for by directories. */
const LEGACY_PATH = '/.well-known/agent.json';

function candidates(seen: HostEvidence): readonly Candidate[] {
  return [candidateAt(seen, PATH), candidateAt(seen, LEGACY_PATH)];
}

function chosen(all: readonly Candidate[]): DocumentCandidate | undefined {
  return documentToJudge(all, ({ value }) => cardFault(value));
}

function followUps(seen: HostEvidence): readonly ProbeRequest[] {
  return leadsOn(candidateAt(seen, PATH)) ? [documentRequest(LEGACY_PATH)] : [];
}

function exercises(seen: HostEvidence): readonly ProbeRequest[] {
  const document = chosen(candidates(seen));
  const card = document && readCard(document.value, document.answer.finalUrl);
  return card ? interfaceRequests(card, seen) : [];
}

function judge(seen: HostEvidence): Judgement {
  const all = candidates(seen);
  const document = chosen(all);
  if (!document) return noDocument(all);
  const card = readCard(document.value, document.answer.finalUrl);
  const look = card && interfaceLook(card, seen);
  const leak = leakedPrivateKey(document.value);
  const note = cardFault(document.value) ?? (isPlainHttp(document.answer) ? 'not_https' : undefined);
  return {
    status: note === undefined ? 'present' : 'partial',
    version: card?.protocolVersion ?? null,
    details: { ...detailsOf(document, card, look), ...(note === undefined ? {} : { note }) },
    findings: [
      ...(leak === undefined ? [] : [{ id: 'private_key_leaked', at: leak }]),
      ...documentFindings(document),
      ...(card ? [...cardFindings(card, seen), ...interfaceLookFindings(card, look)] : []),
    ],
    decidedBy: [...askedOf(all), ...(look?.exchanges ?? [])],
    ...(leak === undefined ? {} : { withholdExcerpts: true }),
  };
}

function documentFindings(document: DocumentCandidate): readonly Finding[] {
  return [
    ...(document.path === PATH ? [] : [{ id: 'legacy_path', at: document.path }]),
    ...servingFindings(document),
    ...cachingFindings(document.answer),
  ];
}

function detailsOf(
  { value, path, answer }: DocumentCandidate,
  card: AgentCard | undefined,
  look: InterfaceLook | undefined,
): JsonObject {
  return {
    ...(isObject(value) ? { keys: Object.keys(value) } : {}),
    ...(card ? cardDetails(card) : {}),
    ...(look?.status === undefined ? {} : { interfaceStatus: look.status }),
    ...(look ? { interfaceState: look.state } : {}),
    path,
    ...(answer.truncated ? { truncated: true } : {}),
  };
}

function cardDetails(card: AgentCard): JsonObject {
  const [preferred] = card.interfaces;
  const agentVersion = text(member(card.members, 'version'));
  return {
    ...(card.name === undefined ? {} : { name: card.name }),
    skills: card.skills.map(({ id, name }) => ({ id, name })),
    ...(preferred ? { endpoint: parseUrl(preferred.url) ? preferred.url : (preferred.address ?? preferred.url) } : {}),
    interfaces: card.interfaces.map(({ url, binding, protocolVersion }) => ({
      url,
      binding,
      protocolVersion: protocolVersion ?? null,
    })),
    generation: card.generation,
    ...(agentVersion === undefined ? {} : { agentVersion }),
    extensions: (list(member(member(card.members, 'capabilities'), 'extensions')) ?? [])
      .map((extension) => text(member(extension, 'uri')))
      .filter((uri) => uri !== undefined),
    ...signatureDetails(card),
  };
}

/** Agent2Agent: the card of an agent. Spec 2.6; https://a2a-protocol.org/latest/specification/ section 8. */
export const a2a = defineDetector({
  id: 'a2a',
  name: { short: 'A2A', long: 'Agent2Agent' },
  spec: 'https://a2a-protocol.org/latest/specification/',
  probes: [documentRequest(PATH)],
  followUps,
  exercises,
  judge,
  advise,
});
