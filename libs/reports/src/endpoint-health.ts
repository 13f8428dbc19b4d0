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

/** One request with its phases in milliseconds (null for a phase not reached) and what the TLS handshake showed. */
export interface TimedProbe {
  readonly exchange: Exchange;
  readonly timingsMs: EndpointHealth['timingsMs'];
  readonly tls: EndpointHealth['tls'];
}

/**
 * Why an endpoint is not up, or what stands between an agent and it: a failure of the request, a bot wall
 * (`bot_challenge`), 404 or 410 (`not_found`), 5xx, a 402 no client can read, and, of an endpoint that is up, 429 and
 * 401, 403 or 407 (`auth_required`).
 */
export type EndpointReason =
  FailureReason | 'not_found' | 'server_error' | 'challenge_unreadable' | 'rate_limited' | 'auth_required';

/** Behaviour 7.9, `endpoint_health`. */
export const EndpointHealth = z.object({
  url: z.string(),
  method: z.enum(['GET', 'POST']),
  /** It answered as an endpoint does: below 500, not 404 or 410, no bot wall, and a 402 only with a readable challenge. */
  up: z.boolean(),
  statusCode: z.int().nullable(),
  /** Absolute URL of a redirect, which is reported and never followed. */
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
  /** What it charges, from the live challenge; null without one. */
  charges: z.array(PaymentRail).nullable(),
  checkedAt: time,
  reason: word<EndpointReason>().nullable(),
});
export type EndpointHealth = DeepReadonly<z.infer<typeof EndpointHealth>>;

/** Longest redirect target shown. */
const MAX_LOCATION = 2_048;

/** Judges one unpaid request to an endpoint. */
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

/** A challenge that a client can act on: an x402 list with a complete option, or a whole MPP challenge. */
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

/** The issuer's name is the host's to choose. */
function tidyTls(tls: EndpointHealth['tls']): EndpointHealth['tls'] {
  return tls && { ...tls, issuer: tls.issuer === null ? null : visible(tls.issuer) };
}
