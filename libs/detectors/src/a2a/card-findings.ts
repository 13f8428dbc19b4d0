import { urlFaults } from '../declared-url';
import type { Finding } from '../detector';
import { header, type Answer } from '../exchange';
import type { HostEvidence } from '../host-evidence';
import { isObject, list, member, text, type JsonValue } from '../json';
import { jsonPath } from '../json-path';
import { cardMember, listed, type AgentCard, type AgentInterface } from './card';

/** A hostile card can hold thousands of faults; the first ones tell the owner enough. */
const MAX_FINDINGS = 60;

/** Members of the root that 1.0 moved into the interfaces; at least one validator fails cards that keep them. */
const LEFTOVERS = ['protocolVersion', 'preferredTransport', 'additionalInterfaces'] as const;

/** Faults of a card that leave the verdict alone, each with its place. */
export function cardFindings(card: AgentCard, seen: HostEvidence): readonly Finding[] {
  return [
    ...generationFindings(card),
    ...requiredFindings(card),
    ...capabilityFindings(card),
    ...typeFindings(card),
    ...listed(member(card.members, 'skills')).flatMap((skill, i) => skillFindings(skill, jsonPath('skills', i))),
    ...card.interfaces.flatMap((one) => interfaceFindings(one, seen)),
    ...signatureFindings(card),
  ].slice(0, MAX_FINDINGS);
}

/** Agents are told to revalidate cards; without these headers they cannot (A2A 1.0 section 8.6, a SHOULD). */
export function cachingFindings(answer: Answer): readonly Finding[] {
  const hasAge = /max-age=\d/i.test(header(answer, 'cache-control') ?? '');
  const validated = (header(answer, 'etag') ?? header(answer, 'last-modified')) !== undefined;
  return hasAge || validated ? [] : [{ id: 'no_caching_headers', at: 'cache-control' }];
}

function generationFindings(card: AgentCard): readonly Finding[] {
  const { generation, mixed, members, protocolVersion, snakeCase } = card;
  const leftovers =
    generation === '1.0' && !mixed ? LEFTOVERS.filter((name) => member(members, name) !== undefined) : [];
  return [
    ...(mixed ? [{ id: 'mixed_generation', at: 'supportedInterfaces' }] : []),
    ...leftovers.map((at) => ({ id: 'leftover_root_member', at })),
    ...(generation === '1.0' ? interfaceVersionFindings(card) : []),
    ...(generation !== '1.0' && protocolVersion === undefined
      ? [{ id: 'protocol_version_missing', at: 'protocolVersion' }]
      : []),
    ...(generation !== '1.0' && protocolVersion !== undefined && !protocolVersion.startsWith(generation)
      ? [{ id: 'version_of_other_generation', at: 'protocolVersion' }]
      : []),
    ...(member(members, 'authentication') === undefined ? [] : [{ id: 'authentication_member', at: 'authentication' }]),
    ...snakeCase.map((at) => ({ id: 'snake_case_member', at })),
  ];
}

function interfaceVersionFindings({ interfaces }: AgentCard): readonly Finding[] {
  return interfaces.flatMap(({ protocolVersion, bindingStated, at }) => [
    ...(protocolVersion === undefined ? [{ id: 'protocol_version_missing', at }] : []),
    ...(bindingStated ? [] : [{ id: 'protocol_binding_missing', at }]),
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

/** Optional members that are there and of a type no reader takes. */
function typeFindings({ members }: AgentCard): readonly Finding[] {
  const texts = ['protocolVersion', 'preferredTransport'].filter((name) => !isOptionally(members, name, isText));
  const additional = member(members, 'additionalInterfaces');
  const interfaces =
    additional === undefined || list(additional)?.every((item) => hasTexts(item, ['url', 'transport']))
      ? []
      : ['additionalInterfaces'];
  const schemes = member(members, 'securitySchemes');
  const typed = isObject(schemes) && Object.values(schemes).every(isObject);
  return [...texts, ...interfaces, ...(schemes === undefined || typed ? [] : ['securitySchemes'])].map((at) => ({
    id: 'member_invalid',
    at,
  }));
}

function isOptionally(holder: JsonValue, name: string, passes: (value: JsonValue) => boolean): boolean {
  const value = member(holder, name);
  return value === undefined || passes(value);
}

function hasTexts(item: JsonValue, names: readonly string[]): boolean {
  return names.every((name) => text(member(item, name)) !== undefined);
}

/** Capabilities that are yes or no in every generation. */
const SWITCHES = ['streaming', 'pushNotifications', 'extendedAgentCard', 'stateTransitionHistory'] as const;

function capabilityFindings({ members }: AgentCard): readonly Finding[] {
  const capabilities = member(members, 'capabilities');
  return SWITCHES.filter((name) => !['undefined', 'boolean'].includes(typeof member(capabilities, name))).map(
    (name) => ({ id: 'member_invalid', at: jsonPath('capabilities', name) }),
  );
}

function interfaceFindings({ url, binding, at }: AgentInterface, seen: HostEvidence): readonly Finding[] {
  // gRPC targets are host:port and have no https form.
  if (binding === 'GRPC') return [];
  const faults = urlFaults(url).map((fault) => ({ id: `interface_url_${fault}`, at }));
  const elsewhere = faults.length === 0 && !seen.sameSite(url);
  return elsewhere ? [{ id: 'interface_on_other_site', at }] : faults;
}

function signatureFindings({ members }: AgentCard): readonly Finding[] {
  const value = member(members, 'signatures');
  return value === undefined || list(value) ? [] : [{ id: 'member_invalid', at: 'signatures' }];
}
