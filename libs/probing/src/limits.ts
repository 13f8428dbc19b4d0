/**
 * What one probe may cost the host and this service. Times in milliseconds, sizes in bytes. Every limit can be
 * lowered by injection; production uses these.
 */
export interface ProbeLimits {
  /** Both address queries together, retries included. */
  readonly dnsMs: number;
  readonly connectMs: number;
  readonly tlsMs: number;
  /** From the request being sent to the end of the response headers. */
  readonly headersMs: number;
  /** One exchange from the first lookup to the last byte, redirects included. */
  readonly exchangeMs: number;
  /** One host, all requests together: two exchanges that take their whole time; with judging and storing a job ends in 20 s. */
  readonly hostMs: number;
  readonly headerBytes: number;
  readonly headerLines: number;
  /** Informational (1xx) answers before the real one. */
  readonly informational: number;
  /** Bytes on the wire and after decoding, for a request that does not say what its document may weigh. */
  readonly wireBytes: number;
  readonly decodedBytes: number;
  /** Ceiling of `ProbeRequest.maxBytes`. */
  readonly ceilingBytes: number;
  /**
   * What all connections of one probe may bring, in bytes: framing counts as well, which no document has (chunk
   * extensions, blanks between headers), and so a host cannot fill the line without ever sending one.
   */
  readonly probeBytes: number;
  /** Decoded bytes of documents that one probe may hold in any case, and at most. */
  readonly ownDocumentBytes: number;
  readonly probeDocumentBytes: number;
  /** Decoded bytes that all probes of a process may hold together beyond their own. */
  readonly poolBytes: number;
  /** The same for free probes, which have a pool of their own. */
  readonly freePoolBytes: number;
  /** Decoded bytes per byte on the wire, once more than `inflationFloorBytes` came out: no document shrinks that well. */
  readonly inflation: number;
  readonly inflationFloorBytes: number;
  /** An event stream never ends: it is cut after this long or this much, and a page of no success after this long. */
  readonly eventStreamMs: number;
  readonly eventStreamBytes: number;
  readonly redirects: number;
  /** Requests per host, redirects included. */
  readonly requests: number;
  /** Of these, requests kept back from documents and what they declare, for signals. */
  readonly signalRequests: number;
  readonly concurrency: number;
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
  probeBytes: 64 * 1024 * 1024,
  ownDocumentBytes: 1024 * 1024,
  probeDocumentBytes: 12 * 1024 * 1024,
  poolBytes: 48 * 1024 * 1024,
  freePoolBytes: 12 * 1024 * 1024,
  inflation: 100,
  inflationFloorBytes: 256 * 1024,
  eventStreamMs: 2_000,
  eventStreamBytes: 4 * 1024,
  redirects: 3,
  requests: 40,
  signalRequests: 4,
  concurrency: 4,
} as const satisfies ProbeLimits;
