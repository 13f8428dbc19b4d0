/**
 * What one look at a stranger's host may cost, it and us. Times in milliseconds, sizes in octets. Every limit can be
 * lowered by injection; production uses these.
 */
export interface ProbeLimits {
  /** Both address queries together, retries included. */
  readonly dnsMs: number;
  readonly connectMs: number;
  readonly tlsMs: number;
  /** From the request being sent to the end of the response headers. */
  readonly headersMs: number;
  /** One exchange from first look-up to last octet, redirects included. */
  readonly exchangeMs: number;
  /** One host, all requests together: two exchanges that take their whole time; with judging and storing a job ends in 20 s. */
  readonly hostMs: number;
  readonly headerBytes: number;
  readonly headerLines: number;
  /** Informational (1xx) answers before the real one. */
  readonly informational: number;
  /** Octets on the wire and after decoding, for a request that does not say what its document may weigh. */
  readonly wireBytes: number;
  readonly decodedBytes: number;
  /** Ceiling of `ProbeRequest.maxBytes`. */
  readonly ceilingBytes: number;
  /**
   * What all connections of one look may bring, in octets: framing counts as well, which no document has (chunk
   * extensions, blanks between headers), and so a host cannot fill the line without ever sending one.
   */
  readonly lookBytes: number;
  /** Decoded octets per octet on the wire, once more than `inflationFloorBytes` came out: no document shrinks that well. */
  readonly inflation: number;
  readonly inflationFloorBytes: number;
  /** An event stream never ends: it is cut after this long or this much. */
  readonly eventStreamMs: number;
  readonly eventStreamBytes: number;
  readonly redirects: number;
  /** Requests per host, redirect hops included. */
  readonly requests: number;
  readonly concurrency: number;
  /** Failures to connect after which a host name is left alone. */
  readonly connectFailures: number;
  /** Bot challenges in a row after which the host is left alone. */
  readonly challenges: number;
}

export const PROBE_LIMITS = {
  dnsMs: 4_000,
  connectMs: 3_000,
  tlsMs: 3_000,
  headersMs: 5_000,
  exchangeMs: 8_000,
  hostMs: 16_500,
  headerBytes: 64 * 1024,
  headerLines: 100,
  informational: 16,
  wireBytes: 256 * 1024,
  decodedBytes: 1024 * 1024,
  ceilingBytes: 10 * 1024 * 1024,
  lookBytes: 64 * 1024 * 1024,
  inflation: 100,
  inflationFloorBytes: 256 * 1024,
  eventStreamMs: 2_000,
  eventStreamBytes: 4 * 1024,
  redirects: 3,
  requests: 40,
  concurrency: 4,
  connectFailures: 3,
  challenges: 2,
} as const satisfies ProbeLimits;
