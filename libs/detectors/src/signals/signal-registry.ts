import type { DnsQuestion } from '../evidence/dns';
import type { ProbeRequest } from '../evidence/exchange';
import { aid } from './aid';
import { type SignalDefinition, ABSENT } from './signal';
import { list, member, text, type JsonValue, isObject } from '../formats/json';
import { jsonSignal, statedPreference } from './documents';
import { ardManifest, ARD_PROBE } from '../documents/ard';
import type { HostEvidence } from '../evidence/host-evidence';
import { linkedBy, linksOf, type Link } from '../evidence/links';
import { homeOf, directives, robotsLines } from '../evidence/home-and-robots';
import { parseUrl } from '../formats/parse-url';

/** DNS for AI discovery: service records of the agents of a domain (draft-mozleywilliams-dnsop-dnsaid). */
const dnsAid: SignalDefinition = {
  id: 'dns-aid',
  draft: true,
  question: (domain) => ({ name: `_index._agents.${domain}`, type: 'SVCB' }),
  judge(seen) {
    const hosts = agentHosts(seen);
    if (!hosts) return undefined;
    return hosts.length > 0 ? { status: 'valid', at: `_index._agents.${seen.domain} SVCB` } : ABSENT;
  },
};

/** Hosts in the service records, without those marked "not available"; undefined if there was no answer. */
function agentHosts(seen: HostEvidence): readonly string[] | undefined {
  const records = seen.recordsOf(`_index._agents.${seen.domain}`, 'SVCB');
  return records?.map((record) => record.slice(record.indexOf(' ') + 1)).filter((host) => host !== '' && host !== '.');
}

/** Metadata of a protected resource (RFC 9728), at the root of the host. */
const oauthProtectedResource = jsonSignal(
  'oauth-protected-resource',
  { url: '/.well-known/oauth-protected-resource' },
  (value, seen) => {
    const resource = text(member(value, 'resource'));
    const servers = member(value, 'authorization_servers');
    const issuers = list(servers) ?? [];
    const wrong =
      servers !== undefined && (issuers.length === 0 || !issuers.every((url) => /^https:\/\//.test(text(url) ?? '')));
    return { status: resource !== undefined && seen.sameSite(resource) && !wrong ? 'valid' : 'faulty' };
  },
);

const ERC8004_TYPE = 'https://eips.ethereum.org/EIPS/eip-8004#registration-v1';
const ERC8004_REGISTRY = /^eip155:\d{1,20}:0x[0-9a-f]{40}$/i;

/**
 * Registration file of an ERC-8004 agent, https://eips.ethereum.org/EIPS/eip-8004. Only the chain links it to the
 * domain.
 */
const erc8004 = jsonSignal('erc8004', { url: '/.well-known/agent-registration.json' }, (value) => {
  const services = list(member(value, 'services')) ?? list(member(value, 'endpoints'));
  const registrations = list(member(value, 'registrations')) ?? [];
  const valid =
    member(value, 'type') === ERC8004_TYPE &&
    text(member(value, 'name')) !== undefined &&
    services !== undefined &&
    registrations.every(isRegistration);
  return valid ? { status: 'valid', note: 'claimed' } : { status: 'faulty' };
});

function isRegistration(registration: JsonValue): boolean {
  return (
    Number.isInteger(member(registration, 'agentId')) &&
    ERC8004_REGISTRY.test(text(member(registration, 'agentRegistry')) ?? '')
  );
}

/** An API catalog (RFC 9727), which is a link set (RFC 9264). */
const apiCatalog = jsonSignal(
  'api-catalog',
  { url: '/.well-known/api-catalog', accept: 'application/linkset+json, application/json;q=0.9' },
  (value) => {
    const contexts = list(member(value, 'linkset')) ?? [];
    return { status: contexts.length > 0 && contexts.every(isLinkContext) ? 'valid' : 'faulty' };
  },
);

function isLinkContext(context: JsonValue): boolean {
  const leads = (links?: JsonValue) => list(links)?.some((link) => text(member(link, 'href')) !== undefined);
  return isObject(context) && text(member(context, 'anchor')) !== undefined && Object.values(context).some(leads);
}

/** Agent Network Protocol: descriptions of the agents of a domain, https://agent-network-protocol.com/. */
const anp = jsonSignal(
  'anp',
  { url: '/.well-known/agent-descriptions', accept: 'application/json, application/ld+json;q=0.9' },
  (value) => {
    const items = list(member(value, 'items'));
    const valid = member(value, '@type') === 'CollectionPage' && items?.every(isAgent);
    return valid ? { status: 'valid', note: `agents: ${items?.length ?? 0}` } : { status: 'faulty' };
  },
);

function isAgent(item: JsonValue): boolean {
  return member(item, '@type') === 'ad:AgentDescription' && text(member(item, '@id')) !== undefined;
}

/** The path prefix of a statement in robots.txt; without one it applies to all paths. */
const AIPREF_PATH = /^\s*\/\S*\s+/;

/** A dictionary whose values are `y` or `n` (draft-ietf-aipref-attach). */
const AIPREF_USAGE = /^\s*[a-z][a-z0-9-]{0,40}\s*=\s*[yn]\s*$/;

/** AI preferences of the IETF: `Content-Usage` in robots.txt or as a header. */
const aipref: SignalDefinition = {
  id: 'aipref',
  judge: (seen) =>
    statedPreference(seen, 'Content-Usage', (value) =>
      value
        .replace(AIPREF_PATH, '')
        .split(',')
        .every((part) => AIPREF_USAGE.test(part)),
    ),
};

const AGENTS_MD_PATH = '/agents.md';

/**
 * Instructions for agents at `/agents.md`, https://agents.md/. It was made for repositories, but some sites serve one.
 */
const agentsMd: SignalDefinition = {
  id: 'agents-md',
  requests: [{ method: 'GET', url: AGENTS_MD_PATH, accept: 'text/markdown, text/plain;q=0.9' }],
  judge(seen) {
    const reading = seen.read(AGENTS_MD_PATH);
    if (reading.kind === 'unasked' || reading.kind === 'blocked') return undefined;
    if (reading.kind !== 'text' || !/^\uFEFF?\s{0,100}#/.test(reading.answer.body)) return ABSENT;
    return { status: 'valid', at: reading.answer.finalUrl };
  },
};

const HEAD_CHARS = 262_144;

/**
 * WebMCP: tools that a page offers to an agent in the browser, https://webmachinelearning.github.io/webmcp/. Tools
 * registered by a script bundle are not visible in the page.
 */
const webmcp: SignalDefinition = {
  id: 'webmcp',
  draft: true,
  judge(seen) {
    const home = homeOf(seen);
    if (!home) return undefined;
    const page = home.body.slice(0, HEAD_CHARS);
    const at = home.finalUrl;
    if (/<form\s[^<>]{0,1000}\btoolname\s*=/i.test(page) || page.includes('document.modelContext.registerTool')) {
      return { status: 'valid', at };
    }
    return page.includes('navigator.modelContext') ? { status: 'valid', at, note: 'legacy' } : ABSENT;
  },
};

/** Really Simple Licensing, https://rslstandard.org/: a license in robots.txt or linked from the home page. */
const rsl: SignalDefinition = {
  id: 'rsl',
  judge(seen) {
    const [lines, home] = [robotsLines(seen), homeOf(seen)];
    const stated = directives(lines ?? [], 'License')[0];
    if (stated !== undefined) {
      const url = parseUrl(stated);
      const absolute = url?.protocol === 'https:' || url?.protocol === 'http:';
      return { status: absolute ? 'valid' : 'faulty', at: `${seen.origin}/robots.txt` };
    }
    // A plain `rel="license"` links to a text for people, which is not RSL.
    const isLicence = ({ rel, type }: Link): boolean => rel.includes('license') && type === 'application/rsl+xml';
    if (home && linksOf(home).some(isLicence)) return { status: 'valid', at: `${seen.origin}/` };
    return lines === undefined ? undefined : ABSENT;
  },
};

/**
 * NLWeb, https://nlweb.ai/: questions to a site in plain language. We never call it, because each answer costs the host
 * a model run.
 */
const nlweb: SignalDefinition = {
  id: 'nlweb',
  judge(seen) {
    const home = homeOf(seen);
    if (!home) return undefined;
    return linkedBy(home, 'nlweb').length > 0 || namedInDocument(seen)
      ? { status: 'valid', at: home.finalUrl, note: 'linked' }
      : ABSENT;
  },
};

/** An agent card or a manifest may also link to it. */
function namedInDocument(seen: HostEvidence): boolean {
  return ['/.well-known/agent-card.json', '/.well-known/ard.json', '/.well-known/mcp.json'].some((path) => {
    const reading = seen.read(path);
    return reading.kind === 'json' && /"nlweb"/i.test(reading.answer.body.slice(0, 262_144));
  });
}

const CONTENT_SIGNAL =
  /^\s*(?:search|ai-input|ai-train)\s*=\s*(?:yes|no)\s*$|^\s*use\s*=\s*(?:immediate|reference|full)\s*$/i;

/**
 * Content Signals: allowed uses of a site's content, https://contentsignals.org/. They are preferences and block
 * nothing.
 */
const contentSignals: SignalDefinition = {
  id: 'content-signals',
  judge: (seen) =>
    statedPreference(seen, 'Content-Signal', (value) => value.split(',').every((part) => CONTENT_SIGNAL.test(part))),
};

/** How many faults are listed. */
const MAX_NAMED = 3;

/** Agentic Resource Discovery 0.91: a manifest of a host's resources for agents. Detectors request it first. */
const ard: SignalDefinition = {
  id: 'ard',
  draft: true,
  requests: [ARD_PROBE],
  judge(seen) {
    const manifest = ardManifest(seen);
    if (!manifest) {
      const { kind } = seen.read(ARD_PROBE.url);
      // ARD 0.9 shares its DNS name with DNS-AID. The record gives a host but no path, so it is only a hint.
      const named = agentHosts(seen)?.[0];
      const absent = named === undefined ? ABSENT : { ...ABSENT, note: `DNS names ${named}` };
      return kind === 'unasked' || kind === 'blocked' ? undefined : absent;
    }
    const { entries, answer, attestations } = manifest;
    const faults = entries.flatMap((entry) => entry.faults);
    const unasked = entries.filter(({ queries }) => !queries).length;
    const beyond = entries.filter(({ url }) => url !== undefined && !seen.sameSite(url)).length;
    const note = [
      `entries: ${entries.length}`,
      ...(unasked > 0 ? [`queries missing: ${unasked}`] : []),
      ...(beyond > 0 ? [`off site: ${beyond}`] : []),
      ...(attestations.length > 0 ? [`attestations: ${attestations.join(' ')}`] : []),
      ...faults.slice(0, MAX_NAMED),
    ].join(', ');
    return { status: faults.length > 0 ? 'faulty' : 'valid', at: answer.finalUrl, note };
  },
};

const SKILL_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const SKILL_DIGEST = /^sha256:[0-9a-f]{64}$/i;
const SKILL_TYPES: readonly unknown[] = ['skill-md', 'archive'];

/** Agent skills published by a site, discovery 0.2.0, https://agentskills.io/. */
const agentSkills = jsonSignal('skills', { url: '/.well-known/agent-skills/index.json' }, (value) => {
  const schema = text(member(value, '$schema')) ?? '';
  const skills = list(member(value, 'skills'));
  return { status: schema.includes('/discovery/0.2.0/') && skills?.every(isSkill) ? 'valid' : 'faulty' };
});

function isSkill(skill: JsonValue): boolean {
  const name = text(member(skill, 'name')) ?? '';
  return (
    name.length <= 64 &&
    SKILL_NAME.test(name) &&
    SKILL_TYPES.includes(member(skill, 'type')) &&
    text(member(skill, 'url')) !== undefined &&
    SKILL_DIGEST.test(text(member(skill, 'digest')) ?? '')
  );
}

/** Every signal in the order of the report, which is also the order of their own requests. */
export const SIGNALS: readonly SignalDefinition[] = [
  ard,
  apiCatalog,
  oauthProtectedResource,
  agentSkills,
  webmcp,
  contentSignals,
  rsl,
  aipref,
  erc8004,
  anp,
  agentsMd,
  nlweb,
  aid,
  dnsAid,
];

/** Crawlers read this file first; a redirect to it counts as the file itself (RFC 9309 section 2.3.1.2). */
export const ROBOTS: ProbeRequest = {
  method: 'GET',
  url: '/robots.txt',
  accept: 'text/plain, */*;q=0.1',
  // Crawlers must read at least this much (section 2.5).
  maxBytes: 512 * 1024,
  optional: true,
};

/** The requests of signals in addition to those of detectors. */
export const SIGNAL_INQUIRY = {
  probes: [ROBOTS],
  asksForSignals: SIGNALS.flatMap(({ requests = [] }) => requests),
};

/** The DNS questions of a full probe. */
export function dnsQuestions(domain: string): readonly DnsQuestion[] {
  return SIGNALS.flatMap(({ question }) => question?.(domain) ?? []);
}
