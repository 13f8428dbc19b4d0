import { STRENGTHS } from '@app/reports';
import { PAYTO_NETWORKS } from '../../checks/dto/payto-check.dto';
import { list, object, oneOf, text, time, url } from '../json-schema';
import { DOMAIN, envelope } from '../schemas';
import type { PaidTool } from '../tool';

const STRENGTH_NAMES = [...new Set(Object.values(STRENGTHS))];

export const payToCheck: PaidTool = {
  name: 'payto_check',
  title: 'Check who a payment goes to',
  about: {
    what: 'Evidence that a payTo address belongs to a domain: signed offers and ownership proofs (verified), live challenges, did:web, manifests, with the strength of each, and the other addresses the domain asks to pay.',
    freshness: 'Freshness: live.',
    failures:
      'Failures, none of them charged: invalid_domain, invalid_address, invalid_network, rate_limited, target_busy, no_worker, busy, probe_timeout. no_evidence is an answer, and is charged.',
    instead: 'Use pay_preflight for the price and the URL, verify_receipt after paying.',
  },
  input: object(
    {
      domain: DOMAIN,
      address: {
        type: 'string',
        pattern: '^0x[0-9a-fA-F]{40}$',
        description: 'Payee; mixed case must have a valid EIP-55 checksum.',
      },
    },
    { network: { ...oneOf(PAYTO_NETWORKS, 'Chain, as CAIP-2 id.'), default: PAYTO_NETWORKS[0] } },
  ),
  answer: envelope(
    'payto_check',
    object({
      domain: text,
      address: text,
      network: text,
      verdict: oneOf(['verified_signature', 'observed_live', 'declared', 'contradicted', 'no_evidence']),
      evidence: list(
        object({ kind: oneOf(Object.keys(STRENGTHS)), url, strength: oneOf(STRENGTH_NAMES), observedAt: time }),
      ),
      otherAddresses: list(text),
      rejected: list(object({ kind: oneOf(['signed_offer', 'ownership_proof']), url, reason: text })),
      note: text,
    }),
  ),
  openWorld: true,
  readOnly: true,
  sku: 'payto_check',
  limited: true,
};
