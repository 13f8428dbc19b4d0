import { DOCUMENT_PROBLEMS } from '../documents/well-known-json';
import type { HostEvidence } from '../evidence/host-evidence';
import { detailOf, type Finding, type FixAdvice, type Judgement } from '../judgement/judgement';
import { PROFILE_PROBLEMS } from './profile-fault';
import { PROFILE_PATH } from './profile';

/** The newest release. Fixes recommend it, but every release can be `present`. */
export const CURRENT_RELEASE = '2026-08-25';

const PROBLEMS: Readonly<Record<string, string>> = { ...DOCUMENT_PROBLEMS, ...PROFILE_PROBLEMS };

interface FindingFix {
  readonly kind: string;
  readonly ids: readonly string[];
  readonly problem: string;
  readonly fix: string;
}

/** Findings that violate a MUST of the specification or stop an agent, with the fix for each group. */
const FINDING_FIXES: readonly FindingFix[] = [
  {
    kind: 'private_key',
    ids: ['private_key_leaked'],
    problem: 'The UCP profile publishes a private key.',
    fix: 'Revoke that key now. Publish only the public fields of a key (kid, kty, crv, x, y); d, p, q, dp, dq, qi, oth and k must never leave your server.',
  },
  {
    kind: 'cache_control',
    ids: ['cache_control_missing', 'cache_control_forbids', 'cache_control_not_public', 'cache_max_age_short'],
    problem: 'The Cache-Control header of the UCP profile does not allow the caching that agents rely on.',
    fix: `Serve ${PROFILE_PATH} with this header: Cache-Control: public, max-age=3600 (at least 60 seconds; never private, no-store or no-cache).`,
  },
  {
    kind: 'wall',
    ids: ['endpoint_walled'],
    problem: 'A bot wall, a 403 or a 429 blocks agents at an endpoint of the UCP profile.',
    fix: 'Let agents through your firewall and rate limit at these endpoints, and send rejections as UCP JSON.',
  },
  {
    kind: 'endpoint',
    ids: [
      'endpoint_not_https',
      'endpoint_placeholder',
      'endpoint_localhost',
      'endpoint_userinfo',
      'endpoint_unreachable',
      'a2a_endpoint_not_a_card',
    ],
    problem: 'An endpoint in the UCP profile cannot be used.',
    fix: 'Give every rest, mcp and a2a entry a working, absolute, public https URL without a user name or template text. An a2a endpoint is the URL of your agent card.',
  },
  {
    kind: 'leaf',
    ids: [
      'leaf_unreachable',
      'leaf_not_a_profile',
      'leaf_incomplete',
      'leaf_faulty',
      'leaf_version_differs',
      'leaf_lists_versions',
      'leaf_not_https',
      'leaf_redirected',
      'supported_version_not_a_date',
      'supported_version_newer',
    ],
    problem: 'A profile listed in ucp.supported_versions cannot be used.',
    fix: 'Every entry of ucp.supported_versions maps an older version date to an https URL. The URL must return 200 without a redirect, with a profile that has exactly that ucp.version and no supported_versions of its own. Remove the entries for which you have no such profile.',
  },
  {
    kind: 'schema',
    ids: ['authority_mismatch', 'orphaned_extension', 'name_not_reverse_domain'],
    problem: 'Agents drop entries of the UCP profile whose name or schema they cannot trust.',
    fix: 'Name every service, capability and payment handler after the reversed domain that hosts its schema (dev.ucp.* only with schemas on ucp.dev), and also list each capability that an extension extends.',
  },
  {
    kind: 'key',
    ids: ['key_undecodable'],
    problem: 'Agents cannot use a signing key of the UCP profile, because it is not a valid public key.',
    fix: 'Publish the public half of your signing key, in the JWK form that your library exports.',
  },
  {
    kind: 'path',
    ids: ['nonstandard_path'],
    problem: 'The UCP profile is only at /.well-known/ucp.json, a path that agents do not read.',
    fix: `Serve the same document at ${PROFILE_PATH} (no extension) with Content-Type: application/json.`,
  },
];

/** Advice for the owner (behaviour 4.6): what to publish, where, and the smallest valid profile. */
export function advise(judgement: Judgement, seen: HostEvidence): readonly FixAdvice[] {
  if (judgement.status === 'absent') return [missing(seen)];
  return [...partial(judgement, seen), ...findingFixes(judgement.findings ?? [])];
}

/** The smallest profile of the current release that an agent can use, for the given host. */
function exampleProfile({ domain }: Pick<HostEvidence, 'domain'>): string {
  const version = CURRENT_RELEASE;
  const checkout = { version, schema: `https://ucp.dev/${version}/schemas/shopping/checkout.json` };
  const profile = {
    ucp: {
      version,
      services: {
        'dev.ucp.shopping': [{ version, transport: 'rest', endpoint: `https://${domain}/ucp/v1` }],
      },
      capabilities: { 'dev.ucp.shopping.checkout': [checkout] },
      payment_handlers: {},
    },
  };
  return JSON.stringify(profile, null, 2);
}

function missing(seen: HostEvidence): FixAdvice {
  return {
    kind: 'missing',
    problem: `No UCP profile was found at ${PROFILE_PATH}.`,
    fix: `Serve a business profile at ${seen.origin}${PROFILE_PATH} over https: status 200, no redirect, Content-Type: application/json, Cache-Control: public, max-age=3600. A minimal profile for release ${CURRENT_RELEASE} (replace the endpoint with yours):\n${exampleProfile(seen)}`,
  };
}

function partial(judgement: Judgement, seen: HostEvidence): readonly FixAdvice[] {
  const redirect = (judgement.findings ?? []).find(({ id }) => id === 'redirected');
  const lacks = PROBLEMS[detailOf(judgement, 'note') ?? ''];
  return [
    ...(redirect ? [redirectFix(redirect, seen)] : []),
    ...(lacks === undefined ? [] : [partialFix(detailOf(judgement, 'path') ?? PROFILE_PATH, lacks, seen)]),
  ];
}

function redirectFix({ at = '' }: Finding, seen: HostEvidence): FixAdvice {
  return {
    kind: 'redirect',
    problem: `The UCP profile is only available through a redirect to ${at}, and agents must not follow redirects.`,
    fix: `Serve the profile at ${seen.origin}${PROFILE_PATH} with status 200 instead of redirecting.`,
  };
}

function partialFix(path: string, lacks: string, seen: HostEvidence): FixAdvice {
  return {
    kind: 'partial',
    problem: `${path} ${lacks}`,
    fix: `Serve JSON at ${PROFILE_PATH} over https that nests version, services, capabilities and payment_handlers in a top-level "ucp" object, with reverse-domain names, for example:\n${exampleProfile(seen)}`,
  };
}

function findingFixes(findings: readonly Finding[]): readonly FixAdvice[] {
  return FINDING_FIXES.flatMap(({ kind, ids, problem, fix }) => {
    const slots = findings.filter(({ id }) => ids.includes(id));
    if (slots.length === 0) return [];
    const named = [...new Set(slots.map(({ at }) => at).filter((at) => at !== undefined))].slice(0, 5);
    return [{ kind, problem: named.length === 0 ? problem : `${problem} See ${named.join(', ')}.`, fix }];
  });
}
