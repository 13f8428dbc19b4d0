/**
 * The requests of the prober and their outcomes as plain data: all the input of a detector. Exchanges are stored with a
 * report, so that it can be re-evaluated without new requests.
 */

/** A request for the prober. Detectors declare requests; only libs/probing sends them. */
export interface ProbeRequest {
  readonly method: 'GET' | 'POST';
  /** A path starting with `/` (resolved against the probed origin) or an absolute http(s) URL read from a document. */
  readonly url: string;
  /** The `Accept` header; by default `application/json, *\/*;q=0.1`. */
  readonly accept?: string;
  /** Protocol headers such as `MCP-Protocol-Version`. The prober refuses credentials, cookies and payments. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Body of a POST, always JSON text. */
  readonly body?: string;
  /** The largest useful body in decoded bytes; the prober also has its own limit. */
  readonly maxBytes?: number;
  /**
   * `manual` returns the first redirect as the answer; by default, redirects within the registrable domain are
   * followed.
   */
  readonly redirects?: 'follow' | 'manual';
  /**
   * Set if the request cannot prove absence: it is made after those that can, and its cell is evaluated without it if
   * it was not reached. `last` is for alternative paths and for what few hosts have, when the requests of a probe may
   * not suffice.
   */
  readonly optional?: true | 'last';
  /** A document of the host names it, so it may be requested together with declared endpoints (behaviour 12.2). */
  readonly declared?: true;
}

/** `presence` requests published files; `callability` also calls declared endpoints (behaviour 3.4). */
export type ProbePhase = 'presence' | 'callability';

/** The phase of a request; `signals` requests documents that only signals read (behaviour 4.11). */
export type RequestPhase = ProbePhase | 'signals';

/**
 * Why there was no answer. The list is closed and reveals nothing about the prober's network: `address_refused` covers
 * every refused range.
 */
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
  /**
   * A redirect loop that sets a cookie: the host only answers clients that return the cookie, which probes never do.
   */
  | 'cookie_gate'
  | 'protocol_error'
  /** The host answered with a bot wall twice in a row and got no more requests. */
  | 'bot_challenge'
  | 'budget_spent';

/** The TLS fault, for the owner of the host. */
export type TlsFault =
  | 'expired'
  | 'not_yet_valid'
  | 'self_signed'
  | 'untrusted_issuer'
  | 'name_mismatch'
  | 'invalid'
  | 'handshake'
  /** The host refused the handshake (alert 40): no common cipher, or in TLS 1.2 a missing client certificate. */
  | 'handshake_refused'
  /** The host requires a client certificate, which the prober does not have. */
  | 'client_certificate';

/** Data of a rejected certificate. */
export interface RefusedCertificate {
  /** ISO 8601. */
  readonly validFrom: string;
  readonly validTo: string;
  /** Its first DNS names, comma-separated; other names are left out. */
  readonly names: string;
}

export interface Redirect {
  readonly status: number;
  /** Absolute target URL of the redirect. */
  readonly location: string;
}

interface ExchangeBase {
  readonly method: 'GET' | 'POST';
  /** Absolute URL of the first request. */
  readonly url: string;
  /** Body sent, for a POST. */
  readonly requestBody?: string;
  readonly phase: RequestPhase;
  /** When the exchange ended, ISO 8601. */
  readonly observedAt: string;
  readonly redirects: readonly Redirect[];
}

/** How many bytes of a body are kept (behaviour 12.11). */
export const RAW_BYTES = 256 * 1_024;

export interface Answer extends ExchangeBase {
  readonly kind: 'answer';
  /** The URL of this answer; differs from `url` after redirects. */
  readonly finalUrl: string;
  readonly status: number;
  /** Response header lines in order, with lower-case names; repeated lines stay separate. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /**
   * The body decoded as UTF-8, including a byte order mark. It has only what was read, so it may be incomplete
   * (`truncated`).
   */
  readonly body: string;
  /** The first {@link RAW_BYTES} of the body as received, if it is not UTF-8 and `body` does not represent them. */
  readonly raw?: Uint8Array;
  /** Decoded bytes read. */
  readonly bytes: number;
  /** Hex SHA-256 of those bytes. */
  readonly sha256: string;
  /** The body exceeded the size limit (or the time limit of an event stream). */
  readonly truncated: boolean;
}

export interface Failure extends ExchangeBase {
  readonly kind: 'failure';
  readonly reason: FailureReason;
  /** Only for `tls_error`. */
  readonly detail?: TlsFault;
  /** Only for a `detail` about the certificate. */
  readonly certificate?: RefusedCertificate;
}

export type Exchange = Answer | Failure;

/** Whether the kept body of an answer is complete as read; only then it can be re-evaluated. */
export function isWhole(exchange: Exchange): boolean {
  return exchange.kind === 'failure' || (exchange.raw?.length ?? Buffer.byteLength(exchange.body)) >= exchange.bytes;
}

/** The values of a response header, one per line, in order. */
export function headerValues(answer: Answer, name: string): readonly string[] {
  return answer.headers.filter(([key]) => key === name).map(([, value]) => value);
}

/** The first value of a response header, or undefined. */
export function header(answer: Answer, name: string): string | undefined {
  return answer.headers.find(([key]) => key === name)?.[1];
}

/** The media type without parameters in lower case; empty if the header is missing. */
export function mediaType(answer: Answer): string {
  return (header(answer, 'content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}
