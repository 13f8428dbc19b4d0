import { HEALTH_METHODS } from '../../checks/dto/endpoint-health.dto';
import { count, flag, list, nullable, number, object, oneOf, text, time } from '../json-schema';
import { envelope, RAIL } from '../schemas';
import type { PaidTool } from '../tool';

export const endpointHealth: PaidTool = {
  name: 'endpoint_health',
  title: 'Check the health of an endpoint',
  about: {
    what: 'Sends one unpaid request to an https URL and says whether it is up, how fast each phase was, its TLS certificate, and what it charges. A 402 with a readable challenge is up.',
    freshness: 'Freshness: live.',
    failures:
      'Failures, none of them charged: invalid_url, invalid_method, rate_limited, target_busy, no_worker, busy, probe_timeout. A dead endpoint is an answer with up false, and is charged.',
    instead: 'Use pay_preflight for a whole host.',
  },
  input: object(
    { url: { type: 'string', format: 'uri', maxLength: 2_048, description: 'Absolute https URL, port 443, no user.' } },
    {
      method: {
        ...oneOf(
          HEALTH_METHODS,
          'POST sends {} once. What that does at the endpoint of a stranger nobody here can know: use it where you do.',
        ),
        default: 'GET',
      },
    },
  ),
  answer: envelope(
    'endpoint_health',
    object(
      {
        url: text,
        method: oneOf(HEALTH_METHODS),
        up: flag,
        statusCode: nullable(count),
        redirectedTo: nullable(text),
        timingsMs: object({
          dns: nullable(number),
          connect: nullable(number),
          tls: nullable(number),
          firstByte: nullable(number),
          total: number,
        }),
        tls: nullable(object({ protocol: nullable(text), issuer: nullable(text), validTo: nullable(text) })),
        charges: nullable(list(RAIL)),
        checkedAt: time,
      },
      { reason: text },
    ),
  ),
  openWorld: true,
  readOnly: false, // a POST may have effects at its endpoint
  sku: 'endpoint_health',
  limited: true,
};
