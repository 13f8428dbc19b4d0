import { urlFaults } from '../documents/declared-url';
import { header, type Answer } from '../evidence/exchange';
import type { HostEvidence } from '../evidence/host-evidence';
import { isObject, jsonPath, list, member, text, type JsonValue } from '../formats/json';
import { findingsWhere, type Finding } from '../judgement/judgement';
import { cardMember, isMcpRevision, isOfMcp, listed, type AgentCard, type AgentInterface } from './card';

/** A hostile card can have thousands of faults; the first ones are enough. */
const MAX_FINDINGS = 60;

/** Root fields that 1.0 moved into the interfaces; at least one validator rejects cards that still have them. */
const LEFTOVERS = ['protocolVersion', 'preferredTransport', 'additionalInterfaces'] as const;

/** Faults of a card that do not change its status, with their locations. */
export function cardFindings(card: AgentCard, seen: HostEvidence): readonly Finding[] {
  return [
    ...generationFindings(card),
    ...mcpFindings(card),
    ...requiredFindings(card),
    ...capabilityFindings(card),
    ...typeFindings(card),
    ...listed(member(card.members, 'skills')).flatMap((skill, i) => skillFindings(skill, jsonPath('skills', i))),
    ...card.interfaces.flatMap((one) => interfaceFindings(one, seen)),
    ...signatureFindings(card),
  ].slice(0, MAX_FINDINGS);
}

/** Agents should revalidate cards, which is impossible without these headers (A2A 1.0 section 8.6, a SHOULD). */
export function cachingFindings(answer: Answer): readonly Finding[] {
  const hasAge = /max-age=\d/i.test(header(answer, 'cache-control') ?? '');
  const validated = (header(answer, 'etag') ?? header(answer, 'last-modified')) !== undefined;
  return findingsWhere([[!hasAge && !validated, 'no_caching_headers', 'cache-control']]);
}

function generationFindings(card: AgentCard): readonly Finding[] {
  const { generation, mixed, members, protocolVersion, snakeCase } = card;
  const current = generation === '1.0';
  const otherVersion = protocolVersion !== undefined && !protocolVersion.startsWith(generation);
  const leftovers = current && !mixed ? LEFTOVERS.filter((name) => member(members, name) !== undefined) : [];
  const interfaces = current ? card.interfaces : [];
  return findingsWhere([
    [mixed, 'mixed_generation', 'supportedInterfaces'],
    ...leftovers.map((at) => [true, 'leftover_root_member', at] as const),
    ...interfaces.flatMap((one) => [
      [one.protocolVersion === undefined, 'protocol_version_missing', one.at] as const,
      [!one.bindingStated, 'protocol_binding_missing', one.at] as const,
    ]),
    [!current && protocolVersion === undefined, 'protocol_version_missing', 'protocolVersion'],
    [!current && otherVersion, 'version_of_other_generation', 'protocolVersion'],
    [member(members, 'authentication') !== undefined, 'authentication_member', 'authentication'],
    ...snakeCase.map((at) => [true, 'snake_case_member', at] as const),
  ]);
}

/** MCP data in place of A2A data. */
function mcpFindings({ members }: AgentCard): readonly Finding[] {
  const entries = listed(cardMember(members, 'supportedInterfaces')).map((item, i) => ({
    url: member(item, 'url'),
    binding: cardMember(item, 'protocolBinding') ?? member(item, 'transport'),
    version: cardMember(item, 'protocolVersion'),
    at: jsonPath('supportedInterfaces', i),
  }));
  const version = cardMember(members, 'protocolVersion');
  const root = { url: member(members, 'url'), binding: cardMember(members, 'preferredTransport'), version, at: 'url' };
  return findingsWhere([
    [isMcpRevision(version), 'protocol_version_of_mcp', 'protocolVersion'],
    ...[root, ...entries].flatMap((entry) => [
      [isOfMcp(entry), 'interface_of_mcp', entry.at] as const,
      [entry.at !== 'url' && isMcpRevision(entry.version), 'protocol_version_of_mcp', entry.at] as const,
    ]),
  ]);
}

function requiredFindings({ members }: AgentCard): readonly Finding[] {
  const texts = ['description', 'version'].filter((name) => text(member(members, name)) === undefined);
  const modes = ['defaultInputModes', 'defaultOutputModes'];
  const lists = modes.filter((name) => !isTexts(cardMember(members, name)));
  const capabilities = isObject(member(members, 'capabilities')) ? [] : ['capabilities'];
  return [...texts, ...lists, ...capabilities].map((at) => ({ id: 'member_missing', at }));
}

function skillFindings(skill: JsonValue, at: string): readonly Finding[] {
  const texts = ['id', 'name', 'description'].filter((name) => text(member(skill, name)) === undefined);
  const tags = list(member(skill, 'tags'))?.every(isText) ? [] : ['tags'];
  return [...texts, ...tags].map((name) => ({ id: 'member_missing', at: jsonPath(at, name) }));
}

function isTexts(value: JsonValue | undefined): boolean {
  const items = list(value) ?? [];
  return items.length > 0 && items.every(isText);
}

function isText(value: JsonValue): boolean {
  return text(value) !== undefined;
}

/** Optional fields with a type that no client accepts. */
function typeFindings({ members }: AgentCard): readonly Finding[] {
  const isInterface = (item: JsonValue) => hasTexts(item, ['url', 'transport']);
  const types: Readonly<Record<string, (value: JsonValue) => boolean>> = {
    protocolVersion: isText,
    preferredTransport: isText,
    additionalInterfaces: (value) => list(value)?.every(isInterface) ?? false,
    securitySchemes: (value) => isObject(value) && Object.values(value).every(isObject),
  };
  return Object.entries(types).flatMap(([at, passes]) => {
    const value = member(members, at);
    return findingsWhere([[value !== undefined && !passes(value), 'member_invalid', at]]);
  });
}

function hasTexts(item: JsonValue, names: readonly string[]): boolean {
  return names.every((name) => text(member(item, name)) !== undefined);
}

/** Boolean capabilities in every generation. */
const SWITCHES = ['streaming', 'pushNotifications', 'extendedAgentCard', 'stateTransitionHistory'] as const;

function capabilityFindings({ members }: AgentCard): readonly Finding[] {
  const capabilities = member(members, 'capabilities');
  return SWITCHES.filter((name) => !['undefined', 'boolean'].includes(typeof member(capabilities, name))).map(
    (name) => ({ id: 'member_invalid', at: jsonPath('capabilities', name) }),
  );
}

function interfaceFindings({ url, binding, at }: AgentInterface, seen: HostEvidence): readonly Finding[] {
  // gRPC targets are host:port, without an https form.
  if (binding === 'GRPC') return [];
  const faults = urlFaults(url).map((fault) => ({ id: `interface_url_${fault}`, at }));
  return faults.length > 0 ? faults : findingsWhere([[!seen.sameSite(url), 'interface_on_other_site', at]]);
}

function signatureFindings({ members }: AgentCard): readonly Finding[] {
  const value = member(members, 'signatures');
  return findingsWhere([[value !== undefined && !list(value), 'member_invalid', 'signatures']]);
}
