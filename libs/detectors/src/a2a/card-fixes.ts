import { DOCUMENT_PROBLEMS } from '../documents/well-known-json';
import type { HostEvidence } from '../evidence/host-evidence';
import { detailOf, type FixAdvice, type Judgement } from '../judgement/judgement';
import { CARD_PATH } from './card';
import { CARD_PROBLEMS } from './card-fault';

const PROBLEMS: Readonly<Record<string, string>> = { ...DOCUMENT_PROBLEMS, ...CARD_PROBLEMS };

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

/** Findings that keep agents from trusting a signature, with what they mean. */
const SIGNATURE_PROBLEMS: Readonly<Record<string, string>> = {
  signature_unverified: 'does not fit the card: the card was changed after it was signed, or another key signed it',
  signature_covers_less:
    'covers only the members that A2A 1.0 knows, as the SDKs sign: leave the others out, or sign the card as it is published',
  signature_malformed:
    'is no JWS: "protected" and "signature" must be base64url without padding, the first of a JSON object',
  signature_alg_refused: 'names an algorithm that shows no signer',
  signature_crit_unknown: 'demands an extension in "crit" that readers of cards do not know',
  jku_off_site: 'names keys ("jku") on another site, where agents do not fetch them',
  jku_unreachable:
    'names a set of keys ("jku") that does not answer with a JWK Set over https on port 443, without a redirect',
  kid_missing: 'names no key ("kid")',
  kid_unknown: 'names a key ("kid") that its set of keys does not hold for this algorithm',
  key_not_secret: 'is made with a key whose private half is public, so that anybody could have made it',
};

/** Advice for the owner (behaviour 4.6): what to publish, where, and the smallest valid card. */
export function advise(judgement: Judgement, seen: HostEvidence): readonly FixAdvice[] {
  if (judgement.status === 'absent') return [missing(seen)];
  return [...partialFix(judgement, seen), ...findingFixes(judgement, seen)];
}

/** The smallest card of A2A 1.0 that an agent can use, for the given host. */
function exampleCard({ domain }: Pick<HostEvidence, 'domain'>): string {
  const card = {
    name: 'Example Shop Agent',
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
    fix: `Serve an agent card at ${seen.origin}${CARD_PATH} over https with Content-Type: application/json. The smallest card of A2A 1.0, to be filled with your own agent:\n${exampleCard(seen)}`,
  };
}

function partialFix(judgement: Judgement, seen: HostEvidence): readonly FixAdvice[] {
  const lacks = PROBLEMS[detailOf(judgement, 'note') ?? ''];
  if (lacks === undefined) return [];
  return [
    {
      kind: 'partial',
      problem: `${detailOf(judgement, 'path') ?? CARD_PATH} ${lacks}`,
      fix: `Answer ${CARD_PATH} over https with a JSON card that has a name, skills with id and name, and an interface an agent can call, for example:\n${exampleCard(seen)}`,
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
      problem: 'The agent card or its set of keys publishes a private key.',
      fix: 'Revoke that key now and publish only its public members; d, p, q, dp, dq, qi, oth and k must never leave your server.',
    });
  }
  if (findings.some(({ id }) => id === 'legacy_path')) {
    fixes.push({
      kind: 'legacy_path',
      problem: 'The agent card is only at /.well-known/agent.json, a path that agents since A2A 0.3 do not read.',
      fix: `Serve the same card at ${seen.origin}${CARD_PATH} as well.`,
    });
  }
  if (broken) {
    fixes.push({
      kind: 'interface',
      problem: `The agent interface at ${broken.at ?? 'supportedInterfaces'} ${INTERFACE_PROBLEMS[broken.id] ?? ''}.`,
      fix: `Let "supportedInterfaces[0].url" (or "url" before A2A 1.0) be the absolute https URL at which the agent takes requests, such as https://${seen.domain}/a2a, and let a POST there answer JSON-RPC; declare the credentials it needs in "securitySchemes".`,
    });
  }
  if (unsigned) {
    fixes.push({
      kind: 'signature',
      problem: `The signature at ${unsigned.at ?? 'signatures'} ${SIGNATURE_PROBLEMS[unsigned.id] ?? ''}.`,
      fix: `Sign the canonical card (RFC 8785, without "signatures" and without members that hold their default) with ES256 or EdDSA after each change, let the protected header name "alg", "typ": "JOSE", "kid" and "jku", and serve the public key with that "kid" as a JWK Set at the "jku", such as https://${seen.domain}/.well-known/jwks.json.`,
    });
  }
  return fixes;
}
