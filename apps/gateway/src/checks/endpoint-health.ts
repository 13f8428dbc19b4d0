import { offer, type Offer } from '@app/payments';
import type { RunRequest } from '@app/persistence';
import { parseProbeUrl, type EndpointHealth, type ProbeUrl } from '@app/reports';
import { RequestError } from '../http/request-error';
import { validated } from '../http/validated';
import type { PaidOperation } from '../paywall/paid-operation';
import type { Job } from '../paywall/paywall.service';
import type { ProbeClient } from '../probes/probe-client';
import { EndpointHealthDto } from './dto/endpoint-health.dto';
import { envelope } from './paid-envelope';
import { ENDPOINT_HEALTH } from './check-routes';

export interface EndpointHealthArgs {
  readonly url: ProbeUrl;
  readonly method: 'GET' | 'POST';
}

export interface EndpointHealthParts {
  readonly probes: ProbeClient;
  readonly baseUrl: string;
}

/** Endpoint 8: one unpaid request to a URL, and what it says about it. */
export class EndpointHealthCheck implements PaidOperation<EndpointHealthArgs> {
  constructor(private readonly parts: EndpointHealthParts) {}

  parse(raw: unknown): EndpointHealthArgs {
    const { url, method = 'GET' } = validated(EndpointHealthDto, raw);
    const reading = parseProbeUrl(url);
    if (!reading.ok) throw new RequestError(400, 'invalid_url', reading.sentence);
    return { url: reading.url, method };
  }

  offer({ url, method }: EndpointHealthArgs): Offer {
    const query = new URLSearchParams({ url: url.href, ...(method === 'GET' ? {} : { method }) });
    const resource = `${this.parts.baseUrl}/api/v1/endpoints/health?${query.toString()}`;
    return offer('endpoint_health', { method: 'GET', resource, route: ENDPOINT_HEALTH });
  }

  job({ url, method }: EndpointHealthArgs): Job {
    const { probes } = this.parts;
    const look: RunRequest = { kind: 'endpoint_health', domain: url.host.ascii, url: url.href, method };
    return {
      admit: () => probes.admit([look]),
      work: async () => envelope('endpoint_health', (await probes.run(look)).outcome as EndpointHealth),
    };
  }
}
