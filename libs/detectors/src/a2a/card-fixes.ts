import { DOCUMENT_PROBLEMS } from '../documents/well-known-json';
import type { HostEvidence } from '../evidence/host-evidence';
import { detailOf, type FixAdvice, type Judgement } from '../judgement/judgement';
import { CARD_PATH } from './card';
import { CARD_PROBLEMS } from './card-fault';

const PROBLEMS: Readonly<Record<string, string>> = { ...DOCUMENT_PROBLEMS, ...CARD_PROBLEMS };

/** Findings that prevent agents from reaching the interface, as sentence parts. */
const INTERFACE_PROBLEMS: Readonly<Record<string, string>> = {
  interface_url_relative: 'is a relative URL',
  interface_url_not_https: 'is not an absolute https URL',
  interface_url_localhost: 'points to a private address that only you can reach',
  interface_url_placeholder: 'still contains template text',
  interface_url_userinfo: 'contains a user name',
  interface_is_website: 'is a web page for people',
  interface_unreachable: 'does not answer as an agent',
  interface_auth_undeclared: 'asks for credentials that the card does not declare',
};

/** Findings that prevent agents from trusting a signature, as sentence parts. */
const SIGNATURE_PROBLEMS: Readonly<Record<string, string>> = {
  signature_unverified:
    'does not match the card: the card changed after it was signed, or it was signed with another key',
  signature_covers_less:
    'covers only the members defined by A2A 1.0, as the SDKs sign it: remove the other members, or sign the card exactly as published',
  signature_malformed:
    'is not a JWS: "protected" and "signature" must be base64url without padding, and "protected" must decode to a JSON object',
  signature_alg_refused: 'uses an algorithm that does not identify a signer',
  signature_crit_unknown: 'requires an extension in "crit" that clients do not support',
  jku_off_site: 'names a key set ("jku") on another site, and agents do not fetch keys from there',
  jku_unreachable: 'names a key set ("jku") that does not return a JWK Set over https on port 443 without a redirect',
  kid_missing: 'names no key ("kid")',
  kid_unknown: 'names a key ("kid") that its key set does not have for this algorithm',
  key_not_secret: 'was made with a key whose private half is public, so anybody could have made it',
};

/** Advice for the owner (behaviour 4.6): what to publish, where, and the smallest valid card. */
export function advise(judgement: Judgement, seen: HostEvidence): readonly FixAdvice[] {
  if (judgement.status === 'absent') return [missing(seen)];
  return [...partialFix(judgement, seen), ...findingFixes(judgement, seen)];
}

/** The smallest card of A2A 1.0 that an agent can use, for the given host. */
function exampleCard({ domain }: Pick<HostEvidence, 'domain'>): string {
  const card = {
    name: '<name of the agent>',
    description: 'Answers questions about products and orders.',
    version: '1.0.0',
    supportedInterfaces: [{ url: `https://${domain}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    capabilities: {},
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'product-search', name: 'Product search', description: 'Finds products.', tags: ['products'] }],
  };
  return JSON.stringify(card, null, 2);
}

function missing(seen: HostEvidence): FixAdvice {
  return {
    kind: 'missing',
    problem: `No agent card was found at ${CARD_PATH} or /.well-known/agent.json.`,
    fix: `Serve an agent card at ${seen.origin}${CARD_PATH} over https with Content-Type: application/json. A minimal A2A 1.0 card (adapt it to your agent):\n${exampleCard(seen)}`,
  };
}

function partialFix(judgement: Judgement, seen: HostEvidence): readonly FixAdvice[] {
  const lacks = PROBLEMS[detailOf(judgement, 'note') ?? ''];
  if (lacks === undefined) return [];
  return [
    {
      kind: 'partial',
      problem: `${detailOf(judgement, 'path') ?? CARD_PATH} ${lacks}`,
      fix: `Serve a JSON card at ${CARD_PATH} over https, with a name, skills that have an id and a name, and an interface that agents can call, for example:\n${exampleCard(seen)}`,
    },
  ];
}

function findingFixes({ findings = [] }: Judgement, seen: HostEvidence): readonly FixAdvice[] {
  const broken = findings.find(({ id }) => Object.hasOwn(INTERFACE_PROBLEMS, id));
  const unsigned = findings.find(({ id }) => Object.hasOwn(SIGNATURE_PROBLEMS, id));
  const fixes: FixAdvice[] = [];
  if (findings.some(({ id }) => id === 'private_key_leaked')) {
    fixes.push({
      kind: 'private_key',
      problem: 'The agent card or its key set publishes a private key.',
      fix: 'Revoke that key now. Publish only the public members of a key; d, p, q, dp, dq, qi, oth and k must never leave your server.',
    });
  }
  if (findings.some(({ id }) => id === 'legacy_path')) {
    fixes.push({
      kind: 'legacy_path',
      problem: 'The agent card is only at /.well-known/agent.json, which agents have not read since A2A 0.3.',
      fix: `Serve the same card at ${seen.origin}${CARD_PATH} as well.`,
    });
  }
  if (broken) {
    fixes.push({
      kind: 'interface',
      problem: `The agent interface at ${broken.at ?? 'supportedInterfaces'} ${INTERFACE_PROBLEMS[broken.id] ?? ''}.`,
      fix: `Set "supportedInterfaces[0].url" ("url" before A2A 1.0) to the absolute https URL of the agent, such as https://${seen.domain}/a2a, and answer a POST there with JSON-RPC. Declare required credentials in "securitySchemes".`,
    });
  }
  if (unsigned) {
    fixes.push({
      kind: 'signature',
      problem: `The signature at ${unsigned.at ?? 'signatures'} ${SIGNATURE_PROBLEMS[unsigned.id] ?? ''}.`,
      fix: `After each change, sign the canonical card (RFC 8785, without "signatures" and without members that have their default value) with ES256 or EdDSA. Put "alg", "typ": "JOSE", "kid" and "jku" in the protected header, and serve the public key with that "kid" in a JWK Set at the "jku", such as https://${seen.domain}/.well-known/jwks.json.`,
    });
  }
  return fixes;
}
