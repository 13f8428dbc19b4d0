import {
  botWall,
  header,
  HostEvidence,
  parseUrl,
  readMppChallenges,
  readX402Challenge,
  visible,
  type Answer,
  type Exchange,
  type FailureReason,
} from '@app/detectors';
import type { DeepReadonly } from '@app/platform';
import { z } from 'zod';
import { time, word } from './answer-schema';
import { paymentRails } from './payment-rails';
import { PaymentRail } from './rail-members';
import type { ProbeUrl } from '@app/hosts';

/** One request with its phases in milliseconds (null for unreached ones) and the facts of the TLS handshake. */
export interface TimedProbe {
  readonly exchange: Exchange;
  readonly timingsMs: EndpointHealth['timingsMs'];
  readonly tls: EndpointHealth['tls'];
}

/**
 * Why an endpoint is not up, or why an agent cannot use it: a failed request, a bot wall (`bot_challenge`), 404 or 410
 * (`not_found`), 5xx, an unreadable 402; and for an endpoint that is up, 429 and 401, 403 or 407 (`auth_required`).
 */
export type EndpointReason =
  FailureReason | 'not_found' | 'server_error' | 'challenge_unreadable' | 'rate_limited' | 'auth_required';

/** Behaviour 7.9, `endpoint_health`. */
export const EndpointHealth = z.object({
  url: z.string(),
  method: z.enum(['GET', 'POST']),
  /**
   * It answered below 500, not with 404 or 410, without a bot wall, and if with 402, then with a readable challenge.
   */
  up: z.boolean(),
  statusCode: z.int().nullable(),
  /** The absolute target of a redirect, which is not followed. */
  redirectedTo: z.string().nullable(),
  timingsMs: z.object({
    dns: z.number().nullable(),
    connect: z.number().nullable(),
    tls: z.number().nullable(),
    firstByte: z.number().nullable(),
    total: z.number(),
  }),
  tls: z
    .object({ protocol: z.string().nullable(), issuer: z.string().nullable(), validTo: z.string().nullable() })
    .nullable(),
  /** Its payment options from the live challenge; null without one. */
  charges: z.array(PaymentRail).nullable(),
  checkedAt: time,
  reason: word<EndpointReason>().nullable(),
});
export type EndpointHealth = DeepReadonly<z.infer<typeof EndpointHealth>>;

/** The longest redirect target that is shown. */
const MAX_LOCATION = 2_048;

/** Evaluates one unpaid request to an endpoint. */
export function endpointHealth(url: ProbeUrl, { exchange, timingsMs, tls }: TimedProbe): EndpointHealth {
  const base = { url: url.href, method: exchange.method, timingsMs, tls: tidyTls(tls), checkedAt: exchange.observedAt };
  if (exchange.kind === 'failure') {
    const { reason } = exchange;
    return { ...base, up: false, statusCode: null, redirectedTo: null, charges: null, reason };
  }
  const challenged = exchange.status === 402 && isChallenge(exchange);
  const { up, reason } = stateOf(exchange, challenged);
  return {
    ...base,
    up,
    statusCode: exchange.status,
    redirectedTo: redirectOf(exchange),
    charges: challenged ? chargesOf(url, exchange) : null,
    reason: reason ?? null,
  };
}

function stateOf(answer: Answer, challenged: boolean): { readonly up: boolean; readonly reason?: EndpointReason } {
  const { status } = answer;
  if (challenged) return { up: true };
  if (botWall(answer)) return { up: false, reason: 'bot_challenge' };
  if (status === 402) return { up: false, reason: 'challenge_unreadable' };
  if (status === 404 || status === 410) return { up: false, reason: 'not_found' };
  if (status >= 500) return { up: false, reason: 'server_error' };
  if (status === 429) return { up: true, reason: 'rate_limited' };
  if (status === 401 || status === 403 || status === 407) return { up: true, reason: 'auth_required' };
  return { up: true };
}

/** A challenge that a client can use: an x402 list with a complete option, or a complete MPP challenge. */
function isChallenge(answer: Answer): boolean {
  return (
    readX402Challenge(answer)?.sound === true || readMppChallenges(answer).some(({ faults }) => faults.length === 0)
  );
}

function chargesOf(url: ProbeUrl, answer: Answer): readonly PaymentRail[] {
  const { ascii: domain, origin, site } = url.host;
  return paymentRails(new HostEvidence({ domain, origin, site, exchanges: [answer] })).rails;
}

function redirectOf(answer: Answer): string | null {
  if (answer.status < 300 || answer.status >= 400) return null;
  const location = header(answer, 'location');
  if (location === undefined || location.length > MAX_LOCATION) return null;
  return parseUrl(location, answer.finalUrl)?.href ?? null;
}

/** The host chooses the issuer's name, so it must be cleaned. */
function tidyTls(tls: EndpointHealth['tls']): EndpointHealth['tls'] {
  return tls && { ...tls, issuer: tls.issuer === null ? null : visible(tls.issuer) };
}
