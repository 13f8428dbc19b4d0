import { offer, type Offer } from '@app/payments';
import type { RunRequest } from '@app/persistence';
import { judgePayTo, type HostName, type PayToFinding } from '@app/reports';
import { reportUrl } from '../hosts/refresh-offer';
import { addressArgument, hostArgument, memberOf } from '../http/arguments';
import { validated } from '../http/validated';
import type { PaidOperation } from '../paywall/paid-operation';
import type { Job } from '../paywall/paywall.service';
import type { ProbeClient } from '../probes/probe-client';
import { PayToCheckDto, type PAYTO_NETWORKS } from './dto/payto-check.dto';
import { envelope } from './paid-envelope';
import { PAYTO_CHECK } from './check-routes';

export interface PayToArgs {
  readonly host: HostName;
  /** With its EIP-55 checksum. */
  readonly address: string;
  readonly network: (typeof PAYTO_NETWORKS)[number];
}

export interface PayToCheckParts {
  readonly probes: ProbeClient;
  readonly baseUrl: string;
}

/** Endpoint 9: evidence that a payTo address belongs to a domain. The look is shared by whoever asks about the domain. */
export class PayToOwnershipCheck implements PaidOperation<PayToArgs> {
  constructor(private readonly parts: PayToCheckParts) {}

  parse(raw: unknown): PayToArgs {
    const { network = 'eip155:8453' } = validated(PayToCheckDto, raw);
    return {
      host: hostArgument(memberOf(raw, 'domain')),
      address: addressArgument(memberOf(raw, 'address'), 'address', 'invalid_address'),
      network,
    };
  }

  offer({ host, address }: PayToArgs): Offer {
    const resource = `${reportUrl(this.parts.baseUrl, host)}/payto-check?address=${address}`;
    return offer('payto_check', { method: 'GET', resource, route: PAYTO_CHECK });
  }

  job({ host, address, network }: PayToArgs): Job {
    const { probes } = this.parts;
    const look: RunRequest = { kind: 'payto_check', domain: host.ascii };
    return {
      admit: () => probes.admit([look]),
      work: async () => {
        const finding = (await probes.run(look)).outcome as PayToFinding;
        return envelope('payto_check', judgePayTo({ domain: host.ascii, address, network }, finding));
      },
    };
  }
}
