import { MAX_URL } from '../documents/declared-url';
import { ARD_PROBE, ardDocuments, ardEntries, ardFollowUps, ardManifest } from '../documents/ard';
import { candidateAt, documentPair, documentRequest, type Candidate } from '../documents/well-known-json';
import type { ProbeRequest } from '../evidence/exchange';
import type { HostEvidence } from '../evidence/host-evidence';
import {
  isObject,
  jsonPath,
  list,
  member,
  text,
  type JsonArray,
  type JsonObject,
  type JsonValue,
} from '../formats/json';
import { parseUrl } from '../formats/parse-url';

/** Registered well-known path since A2A 0.3 (2025-07). */
export const CARD_PATH = '/.well-known/agent-card.json';

/** The path of A2A 0.1 and 0.2 is still served by toolkits and requested by directories. */
const LEGACY_PATH = '/.well-known/agent.json';
const OWN = documentPair(CARD_PATH, LEGACY_PATH);

/** Cards at their well-known paths, followed by those in the host's manifest. */
export const CARDS = {
  probes: [documentRequest(CARD_PATH), ARD_PROBE],
  candidates: (seen: HostEvidence): readonly Candidate[] => [...OWN.candidates(seen), ...listedCards(seen)],
  followUps: (seen: HostEvidence): readonly ProbeRequest[] =>
    OWN.candidates(seen).some(({ kind }) => kind === 'document')
      ? []
      : [...OWN.followUps(seen), ...ardDocuments(seen, 'a2a').map(listedRequest), ...ardFollowUps(seen)],
};

function listedRequest(url: string): ProbeRequest {
  return { ...documentRequest(url), optional: true, declared: true };
}

export function isLegacyPath(path: string): boolean {
  return path === LEGACY_PATH;
}

/** An entry of the manifest counts if it really is a card. */
function listedCards(seen: HostEvidence): readonly Candidate[] {
  const linked = ardDocuments(seen, 'a2a').map((url) => candidateAt(seen, url));
  const { answer } = ardManifest(seen) ?? {};
  const inline = ardEntries(seen).flatMap(({ kind, data }): readonly Candidate[] =>
    kind === 'a2a' && data && answer ? [{ kind: 'document', path: answer.finalUrl, answer, value: data }] : [],
  );
  return [...linked, ...inline].filter((found) => found.kind === 'document' && isCard(found.value));
}

/** Whether a document has fields that only cards have. */
export function isCard(value: JsonValue): boolean {
  return ['skills', 'supportedInterfaces', 'defaultInputModes'].some((name) => cardMember(value, name) !== undefined);
}

/** The generation of the A2A specification that a card follows. 0.1 and 0.2 do not differ in what we read. */
type Generation = '0.2' | '0.3' | '1.0';

/** How many interfaces and skills are read; real cards have a few dozen at most. */
const MAX_ITEMS = 100;

/** One way to talk to the agent. */
export interface AgentInterface {
  /** As written; may be relative. */
  readonly url: string;
  /** Resolved against the URL of the card; undefined if it is not a URL. */
  readonly address: string | undefined;
  /** `JSONRPC`, `GRPC`, `HTTP+JSON` or a URI; upper case for the three known ones. */
  readonly binding: string;
  /** 1.0 requires it; before, an interface without one uses JSON-RPC. */
  readonly bindingStated: boolean;
  readonly protocolVersion: string | undefined;
  readonly at: string;
}

interface Skill {
  readonly id: string;
  readonly name: string;
}

/** An agent card of any generation, parsed without evaluation. */
export interface AgentCard {
  readonly members: JsonObject;
  readonly generation: Generation;
  /** The stated protocol version: per interface in 1.0, at the root before. */
  readonly protocolVersion: string | undefined;
  readonly name: string | undefined;
  readonly skills: readonly Skill[];
  readonly interfaces: readonly AgentInterface[];
  /** Whether it has the interface fields of both 1.0 and an older generation. */
  readonly mixed: boolean;
  /** Fields in snake_case, which the specification does not define. */
  readonly snakeCase: readonly string[];
}

/** Fields that are also read in snake_case, because such cards exist and some clients accept them. */
const SNAKE_CASE = {
  supportedInterfaces: 'supported_interfaces',
  additionalInterfaces: 'additional_interfaces',
  preferredTransport: 'preferred_transport',
  protocolVersion: 'protocol_version',
  protocolBinding: 'protocol_binding',
  defaultInputModes: 'default_input_modes',
  defaultOutputModes: 'default_output_modes',
  securitySchemes: 'security_schemes',
} as const;

/** A card field under its own name or in snake_case. */
export function cardMember(card: JsonValue | undefined, name: string): JsonValue | undefined {
  const snake = Object.hasOwn(SNAKE_CASE, name) ? SNAKE_CASE[name as keyof typeof SNAKE_CASE] : undefined;
  return member(card, name) ?? (snake === undefined ? undefined : member(card, snake));
}

/**
 * Parses an agent card of the generations 0.1 to 1.0 by its shape (https://a2a-protocol.org/latest/specification/
 * section 8), because even the samples of the specification state a wrong version. `base` is the URL of the card.
 * Returns undefined if the document is not an object.
 */
export function readCard(document: JsonValue, base?: string): AgentCard | undefined {
  if (!isObject(document)) return undefined;
  const supported = supportedInterfaces(document, base);
  const older = olderInterfaces(document, base);
  const isCurrent = list(cardMember(document, 'supportedInterfaces')) !== undefined;
  const stated = a2aVersion(cardMember(document, 'protocolVersion'));
  return {
    members: document,
    generation: isCurrent ? '1.0' : olderGeneration(document, stated),
    protocolVersion: (isCurrent ? supported[0]?.protocolVersion : undefined) ?? stated,
    name: text(member(document, 'name')),
    skills: skillsOf(document),
    interfaces: isCurrent ? supported : older,
    mixed: isCurrent && older.length > 0,
    snakeCase: Object.values(SNAKE_CASE).filter((name) => member(document, name) !== undefined),
  };
}

/** 0.2 and 0.3 differ only in signatures; if the shape is ambiguous, the stated version decides. */
function olderGeneration(card: JsonObject, stated: string | undefined): Generation {
  return member(card, 'signatures') !== undefined || (stated !== undefined && !/^0\.[12](?:\.|$)/.test(stated))
    ? '0.3'
    : '0.2';
}

function supportedInterfaces(card: JsonObject, base: string | undefined): readonly AgentInterface[] {
  return listed(cardMember(card, 'supportedInterfaces')).flatMap((item, i) => {
    const binding = cardMember(item, 'protocolBinding') ?? member(item, 'transport');
    const at = jsonPath('supportedInterfaces', i, 'url');
    return interfaceOf({ url: member(item, 'url'), binding, version: cardMember(item, 'protocolVersion'), at, base });
  });
}

/** Before 1.0: `url` with `preferredTransport` (JSONRPC by default), then `additionalInterfaces`. */
function olderInterfaces(card: JsonObject, base: string | undefined): readonly AgentInterface[] {
  const version = cardMember(card, 'protocolVersion');
  const binding = cardMember(card, 'preferredTransport');
  const main = interfaceOf({ url: member(card, 'url'), binding, version, at: 'url', base });
  if (main.length === 0) return [];
  const additional = listed(cardMember(card, 'additionalInterfaces')).flatMap((item, i) => {
    const at = jsonPath('additionalInterfaces', i, 'url');
    return interfaceOf({ url: member(item, 'url'), binding: member(item, 'transport'), version, at, base });
  });
  return [...main, ...additional];
}

interface StatedInterface {
  readonly url: JsonValue | undefined;
  readonly binding: JsonValue | undefined;
  readonly version: JsonValue | undefined;
  readonly at: string;
  readonly base: string | undefined;
}

function interfaceOf({ url, binding, version, at, base }: StatedInterface): readonly AgentInterface[] {
  const stated = text(url)?.trim();
  if (stated === undefined || isOfMcp({ url, binding, version })) return [];
  const name = text(binding) ?? 'JSONRPC';
  return [
    {
      url: stated,
      address: stated.length > MAX_URL ? undefined : parseUrl(stated, base)?.href,
      binding: name.includes('://') ? name : name.toUpperCase(),
      bindingStated: text(binding) !== undefined,
      protocolVersion: a2aVersion(version),
      at,
    },
  ];
}

/** MCP versions are dates, A2A versions are numbers. */
export function isMcpRevision(version: JsonValue | undefined): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text(version) ?? '');
}

function a2aVersion(version: JsonValue | undefined): string | undefined {
  return isMcpRevision(version) ? undefined : text(version);
}

/** Whether an entry is an MCP endpoint: its transport is one of MCP's, or both its URL and its version are. */
export function isOfMcp({ url, binding, version }: Pick<StatedInterface, 'url' | 'binding' | 'version'>): boolean {
  const transport = (text(binding) ?? '')
    .slice(0, 60)
    .toLowerCase()
    .replace(/[^a-z]/g, '');
  if (/^(?:mcp|modelcontextprotocol|streamablehttp|sse|httpsse|stdio)/.test(transport)) return true;
  return isMcpRevision(version) && /\/(?:mcp|sse)\/?$/i.test((text(url) ?? '').slice(0, MAX_URL));
}

/** The items of an array, up to the maximum that is read. */
export function listed(value: JsonValue | undefined): JsonArray {
  return (list(value) ?? []).slice(0, MAX_ITEMS);
}

function skillsOf(card: JsonObject): readonly Skill[] {
  return listed(member(card, 'skills')).flatMap((skill) => {
    const id = text(member(skill, 'id'));
    const name = text(member(skill, 'name'));
    return id === undefined || name === undefined ? [] : [{ id, name }];
  });
}
