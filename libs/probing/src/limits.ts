/** The limits of one probe, for the host and for us. Times in milliseconds, sizes in bytes. */
export const PROBE_LIMITS = {
  /** Both address queries together, including retries. */
  dnsMs: 4_000,
  connectMs: 3_000,
  tlsMs: 3_000,
  /** From sending the request to the end of the response headers. */
  headersMs: 5_000,
  /** One exchange from the first lookup to the last byte, including redirects. */
  exchangeMs: 8_000,
  /** All requests to one host: two exchanges of maximum length. With evaluating and storing, a job ends within 20 s. */
  hostMs: 16_500,
  headerBytes: 64 * 1024,
  headerLines: 100,
  /** Informational (1xx) responses before the final one. */
  informational: 16,
  /** Bytes received and bytes decoded, for a request without its own limit. */
  wireBytes: 256 * 1024,
  decodedBytes: 1024 * 1024,
  /** The maximum of `ProbeRequest.maxBytes`. */
  ceilingBytes: 10 * 1024 * 1024,
  /**
   * The maximum bytes received on all connections of one probe. This includes framing that does not count as document
   * bytes (chunk extensions, blanks between headers), so that a host cannot send endlessly without sending a document.
   */
  probeBytes: 64 * 1024 * 1024,
  /** The decoded bytes of documents that one probe may hold: the guaranteed part, and the maximum. */
  ownDocumentBytes: 1024 * 1024,
  probeDocumentBytes: 12 * 1024 * 1024,
  /** The decoded bytes that all probes of a process share in addition. */
  poolBytes: 48 * 1024 * 1024,
  /** The same for free probes, which have their own pool. */
  freePoolBytes: 12 * 1024 * 1024,
  /**
   * The maximum ratio of decoded to received bytes after `inflationFloorBytes`. No real document compresses that well.
   */
  inflation: 100,
  inflationFloorBytes: 256 * 1024,
  /**
   * An event stream never ends, so it is truncated after this time or size; other unsuccessful responses after this
   * time.
   */
  eventStreamMs: 2_000,
  eventStreamBytes: 4 * 1024,
  redirects: 3,
  /** Requests per host, including redirects. */
  requests: 40,
  /** How many of these are reserved for signals. */
  signalRequests: 4,
  concurrency: 4,
} as const;

/** Limits can be lowered for tests; production uses those above. */
export type ProbeLimits = { readonly [Name in keyof typeof PROBE_LIMITS]: number };
