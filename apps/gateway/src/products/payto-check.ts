import { CHAINS, DEFAULT_NETWORK, SELLABLE, type SellableId } from '@app/networks';
import type { RunRequest } from '@app/queue';
import { type HostName } from '@app/hosts';
import { isPayToAnswer, judgePayTo, PayToCheck } from '@app/reports';
import { Described, Domain, EvmAddress, Optional, ReadNetwork } from '../http/inputs';
import { hostPath } from '../http/paths';
import { PROBE_ERRORS } from '../probing-client/probe-errors';
import { defineProduct, Uncharged } from './define-product';
import { usd } from './price';

/** Behaviour 7.10: the mainnets that products can be paid on. */
const NETWORKS = SELLABLE.filter((id) => !CHAINS[id].testnet);

class PayToCheckInput {
  @Domain()
  domain!: HostName;

  @EvmAddress('The recipient. Mixed case must have a valid EIP-55 checksum.')
  address!: string;

  @Described('The network, as a CAIP-2 id.')
  @Optional()
  @ReadNetwork(NETWORKS)
  network: SellableId = DEFAULT_NETWORK;
}

const probe = ({ domain }: PayToCheckInput): RunRequest<'payto_check'> => ({ kind: 'payto_check', host: domain });

/** Endpoint 9: evidence that a payTo address belongs to a domain. All checks of one domain share one probe. */
export const payToCheck = defineProduct({
  sku: 'payto_check',
  name: 'payto_check',
  route: 'GET /api/v1/hosts/:domain/payto-check',
  price: usd('0.002'),
  description: 'Evidence that a payTo address belongs to a domain',
  check: true,
  title: 'Check the recipient of a payment',
  what: 'Collects evidence that a payTo address belongs to a domain: signed offers and ownership proofs (verified), live challenges, did:web and manifests, with the strength of each. Also lists other addresses at which the domain takes payments.',
  freshness: 'live.',
  errors: [
    'invalid_domain',
    'invalid_address',
    'invalid_network',
    'unsupported_network',
    'rate_limited',
    ...PROBE_ERRORS,
  ],
  failures:
    'A verdict of `no_evidence` is charged, unless the probe could not reach anything that may name a recipient.',
  tool: { instead: 'Use pay_preflight for the price and the URL, verify_receipt after paying.', readOnly: true },
  input: PayToCheckInput,
  component: 'PayToCheck',
  answer: PayToCheck,
  example: {
    call: '/api/v1/hosts/example.com/payto-check?address=0x52908400098527886E0F7030069857D2E4169EE7',
    answer: {
      sku: 'payto_check',
      data: { domain: 'shop.example.com', verdict: 'observed_live', evidence: [] },
    },
  },
  resource: ({ domain, address }) => `${hostPath(domain)}/payto-check?address=${address}`,
  admit: (args, { probes }) => probes.admit([probe(args)]),
  work: async (args, { probes }) => {
    const finding = await probes.run(probe(args));
    const { domain, address, network } = args;
    const data = judgePayTo({ domain: domain.ascii, address, network }, finding);
    return isPayToAnswer(data, finding) ? data : new Uncharged(data);
  },
});
