import { detailOf, type FixAdvice, type Judgement } from '../judgement/judgement';
import { CURRENT_RELEASE } from '../ucp/profile-fixes';

/** The smallest declaration in the agent card of a merchant that accepts AP2 payments. */
export const EXAMPLE_EXTENSION = JSON.stringify(
  {
    capabilities: {
      extensions: [
        {
          uri: 'https://github.com/google-agentic-commerce/ap2/tree/v0.1',
          description: 'Takes payments through the Agent Payments Protocol.',
          required: true,
          params: { roles: ['merchant'] },
        },
      ],
    },
  },
  null,
  2,
);

/** The smallest declaration in a UCP profile; the capability was `dev.ucp.shopping.ap2_mandate` up to 2026-04-08. */
export const EXAMPLE_CAPABILITIES = JSON.stringify(
  {
    'dev.ucp.shopping.checkout': [
      { version: CURRENT_RELEASE, schema: `https://ucp.dev/${CURRENT_RELEASE}/schemas/shopping/checkout.json` },
    ],
    'dev.ucp.common.payment.ap2_mandate': [
      {
        version: CURRENT_RELEASE,
        schema: `https://ucp.dev/${CURRENT_RELEASE}/schemas/common/payment_ap2_mandate.json`,
        extends: 'dev.ucp.shopping.checkout',
        config: { vp_formats_supported: { 'dc+sd-jwt': {} } },
      },
    ],
  },
  null,
  2,
);

interface Remedy {
  readonly problem: string;
  readonly fix: string;
}

const IN_CARD = `Declare the extension in "capabilities.extensions" of /.well-known/agent-card.json, with the roles you play (merchant, shopper, credentials-provider, payment-processor):\n${EXAMPLE_EXTENSION}`;
const IN_PROFILE = `In "ucp.capabilities" of /.well-known/ucp, list the mandate capability next to the checkout capability that it extends. An example for release ${CURRENT_RELEASE}:\n${EXAMPLE_CAPABILITIES}`;

const REMEDIES: Readonly<Record<string, Remedy>> = {
  extensions_misplaced: {
    problem: 'Agents do not find the AP2 extension, because it is not in "capabilities.extensions".',
    fix: IN_CARD,
  },
  roles_missing: { problem: 'The AP2 extension names no roles.', fix: IN_CARD },
  unknown_role: { problem: 'The AP2 extension names a role that AP2 does not define.', fix: IN_CARD },
  localhost_interface: {
    problem: 'The agent card that declares AP2 points to a private address that only you can reach.',
    fix: 'Set the interface URL in /.well-known/agent-card.json to the public https URL of the agent.',
  },
  version_not_a_date: {
    problem: 'The UCP profile that declares AP2 mandates has no dated version.',
    fix: 'Set "ucp.version" in /.well-known/ucp to the release you support, as YYYY-MM-DD.',
  },
  capability_without_extends: {
    problem: 'The AP2 mandate capability does not say what it extends, so negotiation drops it.',
    fix: IN_PROFILE,
  },
  checkout_not_declared: {
    problem: 'The profile does not declare the capability that its AP2 mandates extend, so negotiation drops them.',
    fix: IN_PROFILE,
  },
};

const NO_KEYS: FixAdvice = {
  kind: 'signing_keys',
  problem: 'The UCP profile offers AP2 mandates but publishes no key to verify their signatures.',
  fix: 'Publish the public half of an ES256 key in "keys" of /.well-known/ucp ("signing_keys" up to release 2026-04-08): {"kid":"key-1","kty":"EC","crv":"P-256","alg":"ES256","use":"sig","x":"…","y":"…"}.',
};

/**
 * Advice for the owner (behaviour 4.6). AP2 has no document of its own: it is declared in the agent card or the UCP
 * profile.
 */
export function advise(judgement: Judgement): readonly FixAdvice[] {
  const { status, findings = [] } = judgement;
  if (status === 'absent') {
    return [
      {
        kind: 'missing',
        problem: 'No AP2 declaration was found in an agent card or a UCP profile.',
        fix: `${IN_CARD}\n${IN_PROFILE}`,
      },
    ];
  }
  const remedy = REMEDIES[detailOf(judgement, 'note') ?? ''];
  const keyless = findings.some(({ id }) => id === 'no_signing_keys' || id === 'no_usable_signing_key');
  return [...(remedy ? [{ kind: 'partial', ...remedy }] : []), ...(keyless ? [NO_KEYS] : [])];
}
