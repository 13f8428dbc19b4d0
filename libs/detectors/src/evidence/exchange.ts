/**
 * What the prober requested and what came back, as plain data: everything a detector may know. Exchanges are stored
 * with a report, so that it can be judged again without asking the host a second time.
 */

/** One request the prober may send. Detectors declare these; only libs/probing sends them. */
export interface ProbeRequest {
  readonly method: 'GET' | 'POST';
  /** A path starting with `/` (resolved against the probed origin) or an absolute http(s) URL read from a document. */
  readonly url: string;
  /** Sent as `Accept`; `application/json, *\/*;q=0.1` when absent. */
  readonly accept?: string;
  /** Protocol headers such as `MCP-Protocol-Version`. Never credentials, cookies or payments: the prober refuses them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Body of a POST, always JSON text. */
  readonly body?: string;
  /** Largest body worth reading, in decoded bytes; the prober has its own cap in addition. */
  readonly maxBytes?: number;
  /** `manual` stops at the first redirect and returns it as the answer; the default follows within the registrable domain. */
  readonly redirects?: 'follow' | 'manual';
  /**
   * Decides no absence: requested after what does, and its cell is judged without it when it was not reached. `last` are
   * other spellings and what few hosts have, for which the requests of a probe may not suffice.
   */
  readonly optional?: true | 'last';
  /** A document of the host names it, so it may still be requested with what documents declare (behaviour 12.2). */
  readonly declared?: true;
}

/** `presence` requests what is published; `callability` also exercises what was declared (behaviour 3.4). */
export type ProbePhase = 'presence' | 'callability';

/** What a request belongs to; `signals` asks for documents that only signals read (behaviour 4.11). */
export type RequestPhase = ProbePhase | 'signals';

/** Why no answer came. A closed list that says nothing about the prober's network: `address_refused` is every refused range. */
export type FailureReason =
  | 'dns_nxdomain'
  | 'dns_timeout'
  | 'dns_failure'
  | 'address_refused'
  | 'connect_refused'
  | 'connect_timeout'
  | 'connection_reset'
  | 'tls_error'
  | 'timeout'
  | 'headers_too_large'
  | 'too_large'
  | 'bad_encoding'
  | 'redirect_refused'
  | 'redirect_loop'
  /** A redirect in a circle that gives a cookie: the host answers who brings it back, which no probe does. */
  | 'cookie_gate'
  | 'protocol_error'
  /** The host met its visitors with a bot wall twice in a row and got no further request. */
  | 'bot_challenge'
  | 'budget_spent';

/** What was wrong with a TLS connection, for the owner of the host. */
export type TlsFault =
  | 'expired'
  | 'not_yet_valid'
  | 'self_signed'
  | 'untrusted_issuer'
  | 'name_mismatch'
  | 'invalid'
  | 'handshake'
  /** The host refused the handshake (alert 40): no cipher in common, or in TLS 1.2 a certificate that it wants of us. */
  | 'handshake_refused'
  /** The host wants a certificate of its client, and no probe has one. */
  | 'client_certificate';

/** What a certificate that was refused says of itself. */
export interface RefusedCertificate {
  /** ISO 8601. */
  readonly validFrom: string;
  readonly validTo: string;
  /** The first DNS names it is made out to, separated by commas; what is no DNS name is left out. */
  readonly names: string;
}

export interface Redirect {
  readonly status: number;
  /** Absolute URL the redirect pointed at. */
  readonly location: string;
}

interface ExchangeBase {
  readonly method: 'GET' | 'POST';
  /** Absolute URL as first requested. */
  readonly url: string;
  /** Body sent, for a POST. */
  readonly requestBody?: string;
  readonly phase: RequestPhase;
  /** ISO 8601 time at which the exchange ended. */
  readonly observedAt: string;
  readonly redirects: readonly Redirect[];
}

/** Bytes that are kept of a body (behaviour 12.11). */
export const RAW_BYTES = 256 * 1_024;

export interface Answer extends ExchangeBase {
  readonly kind: 'answer';
  /** URL that gave this answer; differs from `url` after redirects. */
  readonly finalUrl: string;
  readonly status: number;
  /** Response header lines in order, names lower-cased; repeated lines stay separate. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Body decoded as UTF-8, a byte order mark kept. Holds what was read, so it may be a prefix (`truncated`). */
  readonly body: string;
  /** The first {@link RAW_BYTES} of the body as they came, where they are no UTF-8: `body` does not say them. */
  readonly raw?: Uint8Array;
  /** Decoded bytes read. */
  readonly bytes: number;
  /** Hex SHA-256 of those bytes. */
  readonly sha256: string;
  /** The body went on past the size cap (or past the time allowed for an event stream). */
  readonly truncated: boolean;
}

export interface Failure extends ExchangeBase {
  readonly kind: 'failure';
  readonly reason: FailureReason;
  /** Only with `tls_error`. */
  readonly detail?: TlsFault;
  /** Only with a `detail` that is about the certificate. */
  readonly certificate?: RefusedCertificate;
}

export type Exchange = Answer | Failure;

/** Whether the body of an answer is all that was read, and not what was kept of it: only then it can be judged again. */
export function isWhole(exchange: Exchange): boolean {
  return exchange.kind === 'failure' || (exchange.raw?.length ?? Buffer.byteLength(exchange.body)) >= exchange.bytes;
}

/** Values of one response header, one per line, in order. */
export function headerValues(answer: Answer, name: string): readonly string[] {
  return answer.headers.filter(([key]) => key === name).map(([, value]) => value);
}

/** First value of a response header, or undefined. */
export function header(answer: Answer, name: string): string | undefined {
  return answer.headers.find(([key]) => key === name)?.[1];
}

/** Media type without parameters, lower-cased; empty when the header is missing. */
export function mediaType(answer: Answer): string {
  return (header(answer, 'content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}
