import type { FixAdvice, Judgement } from '../detector';
import type { HostEvidence } from '../host-evidence';
import { DOCUMENT_PROBLEMS } from '../well-known-json';
import { exampleCard } from './example';

const WHERE = '/.well-known/agent-card.json';

/** What is wrong with a document that is only `partial`, as a sentence for its owner. */
const PROBLEMS: Readonly<Record<string, string>> = {
  ...DOCUMENT_PROBLEMS,
  not_an_agent_card: 'answered with JSON that has none of the members of an agent card.',
  declares_unsupported: 'answered with a document that itself says no agent is supported.',
  no_name: 'has no "name".',
  no_skills: 'has no entry in "skills".',
  skills_without_id_or_name: 'has no skill with both "id" and "name".',
  capabilities_not_an_object: 'has "capabilities" that are not an object.',
  no_interface: 'names no interface: no "supportedInterfaces" and no "url".',
};

/** Findings that keep an agent from reaching the interface, with what they mean. */
const INTERFACE_PROBLEMS: Readonly<Record<string, string>> = {
  interface_url_relative: 'is a relative URL',
  interface_url_not_https: 'is not an absolute https URL',
  interface_url_localhost: 'is on a machine only you can reach',
  interface_url_placeholder: 'still holds template text',
  interface_url_userinfo: 'carries a user name',
  interface_is_website: 'is a web page for people',
  interface_unreachable: 'does not answer as an agent',
  interface_auth_undeclared: 'asks for credentials that the card does not declare',
};

/** Advice for the owner (spec 2.4): what to publish, where, and the smallest valid card. */
export function advise(judgement: Judgement, seen: HostEvidence): readonly FixAdvice[] {
  if (judgement.status === 'absent') return [missing(seen)];
  return [...partialFix(judgement, seen), ...findingFixes(judgement, seen)];
}

function missing(seen: HostEvidence): FixAdvice {
  return {
    kind: 'missing',
    problem: `No agent card was found at ${WHERE} or /.well-known/agent.json.`,
    fix: `Serve an agent card at ${seen.origin}${WHERE} over https with Content-Type: application/json. The smallest card of A2A 1.0, to be filled with your own agent:\n${exampleCard(seen)}`,
  };
}

function partialFix({ details }: Judgement, seen: HostEvidence): readonly FixAdvice[] {
  const { note, path } = details ?? {};
  const lacks = typeof note === 'string' ? PROBLEMS[note] : undefined;
  if (lacks === undefined) return [];
  return [
    {
      kind: 'partial',
      problem: `${typeof path === 'string' ? path : WHERE} ${lacks}`,
      fix: `Answer ${WHERE} over https with a JSON card that has a name, skills with id and name, and an interface an agent can call, for example:\n${exampleCard(seen)}`,
    },
  ];
}

function findingFixes({ findings = [] }: Judgement, seen: HostEvidence): readonly FixAdvice[] {
  const broken = findings.find(({ id }) => Object.hasOwn(INTERFACE_PROBLEMS, id));
  const fixes: FixAdvice[] = [];
  if (findings.some(({ id }) => id === 'private_key_leaked')) {
    fixes.push({
      kind: 'private_key',
      problem: 'The agent card publishes a private key.',
      fix: 'Revoke that key now and publish only its public members; d, p, q, dp, dq, qi, oth and k must never leave your server.',
    });
  }
  if (findings.some(({ id }) => id === 'legacy_path')) {
    fixes.push({
      kind: 'legacy_path',
      problem: 'The agent card is only at /.well-known/agent.json, where agents since A2A 0.3 do not look.',
      fix: `Serve the same card at ${seen.origin}${WHERE} as well.`,
    });
  }
  if (broken) {
    fixes.push({
      kind: 'interface',
      problem: `The agent interface at ${broken.at ?? 'supportedInterfaces'} ${INTERFACE_PROBLEMS[broken.id] ?? ''}.`,
      fix: `Let "supportedInterfaces[0].url" (or "url" before A2A 1.0) be the absolute https URL at which the agent takes requests, such as https://${seen.domain}/a2a, and let a POST there answer JSON-RPC; declare what it asks for in "securitySchemes".`,
    });
  }
  return fixes;
}
