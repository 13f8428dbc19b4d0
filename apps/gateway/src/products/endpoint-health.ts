import type { RunRequest } from '@app/queue';
import { parseProbeUrl, type ProbeUrl } from '@app/hosts';
import { EndpointHealth } from '@app/reports';
import { IsString } from 'class-validator';
import { Described, OneOf, Optional } from '../http/inputs';
import { RequestError } from '../http/request-error';
import { PROBE_ERRORS } from '../probing-client/probe-errors';
import { defineProduct } from './define-product';
import { usd } from './price';

const METHODS = ['GET', 'POST'] as const;
type Method = (typeof METHODS)[number];

class EndpointHealthInput {
  @Described('Absolute https URL on port 443, without a user name or password.', { format: 'uri', maxLength: 2_048 })
  @IsString()
  url!: string;

  @Described('`POST` sends `{}` once and may have side effects: use it only if you know what the endpoint does.', {
    default: 'GET',
  })
  @Optional()
  @OneOf(METHODS)
  method: Method = 'GET';
}

interface EndpointHealthArgs {
  readonly url: ProbeUrl;
  readonly method: Method;
}

const probe = ({ url, method }: EndpointHealthArgs): RunRequest<'endpoint_health'> => ({
  kind: 'endpoint_health',
  host: url.host,
  url: url.href,
  method,
});

/** Endpoint 8: sends one unpaid request to a URL, and reports the result. */
export const endpointHealth = defineProduct({
  sku: 'endpoint_health',
  name: 'endpoint_health',
  route: 'GET /api/v1/endpoints/health',
  price: usd('0.001'),
  description: 'Whether a paid endpoint is up, how fast, and what it charges',
  check: true,
  title: 'Check a paid endpoint',
  what: 'Sends one unpaid request to an https URL, and reports whether it is up, the time of each phase, its TLS certificate, and its price. An endpoint that answers 402 with a readable challenge is up.',
  freshness: 'live.',
  errors: ['invalid_url', 'invalid_method', 'rate_limited', ...PROBE_ERRORS],
  failures: 'If the endpoint is down, the result has `up: false`, and you are charged.',
  tool: { instead: 'Use pay_preflight for a whole host.', readOnly: false }, // a POST may have side effects
  input: EndpointHealthInput,
  component: 'EndpointHealth',
  answer: EndpointHealth,
  example: {
    call: '/api/v1/endpoints/health?url=https%3A%2F%2Fexample.com%2Fquote',
    answer: { sku: 'endpoint_health', data: { url: 'https://shop.example.com/api', up: true, statusCode: 402 } },
  },
  /** The URL rules include those of its host. */
  read: ({ url, method }): EndpointHealthArgs => {
    const reading = parseProbeUrl(url);
    if (!reading.ok) throw new RequestError('invalid_url', reading.sentence);
    return { url: reading.url, method };
  },
  resource: ({ url, method }) => {
    const query = new URLSearchParams({ url: url.href, ...(method === 'GET' ? {} : { method }) });
    return `/api/v1/endpoints/health?${query.toString()}`;
  },
  admit: (args, { probes }) => probes.admit([probe(args)]),
  work: (args, { probes }) => probes.run(probe(args)),
});
