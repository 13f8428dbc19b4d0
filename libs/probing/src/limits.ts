/** What one probe may cost the host and this service. Times in milliseconds, sizes in bytes. */
export const PROBE_LIMITS = {
  /** Both address queries together, retries included. */
  dnsMs: 4_000,
  connectMs: 3_000,
  tlsMs: 3_000,
  /** From the request being sent to the end of the response headers. */
  headersMs: 5_000,
  /** One exchange from the first lookup to the last byte, redirects included. */
  exchangeMs: 8_000,
  /** One host, all requests together: two exchanges that take their whole time; with judging and storing a job ends in 20 s. */
  hostMs: 16_500,
  headerBytes: 64 * 1024,
  headerLines: 100,
  /** Informational (1xx) answers before the real one. */
  informational: 16,
  /** Bytes on the wire and after decoding, for a request that does not say what its document may weigh. */
  wireBytes: 256 * 1024,
  decodedBytes: 1024 * 1024,
  /** Ceiling of `ProbeRequest.maxBytes`. */
  ceilingBytes: 10 * 1024 * 1024,
  /**
   * What all connections of one probe may bring, in bytes: framing counts as well, which no document has (chunk
   * extensions, blanks between headers), and so a host cannot fill the line without ever sending one.
   */
  probeBytes: 64 * 1024 * 1024,
  /** Decoded bytes of documents that one probe may hold in any case, and at most. */
  ownDocumentBytes: 1024 * 1024,
  probeDocumentBytes: 12 * 1024 * 1024,
  /** Decoded bytes that all probes of a process may share, in addition to their own. */
  poolBytes: 48 * 1024 * 1024,
  /** The same for free probes, which have a pool of their own. */
  freePoolBytes: 12 * 1024 * 1024,
  /** Decoded bytes per byte on the wire, once more than `inflationFloorBytes` came out: no document shrinks that well. */
  inflation: 100,
  inflationFloorBytes: 256 * 1024,
  /** An event stream never ends: it is cut after this long or this much, and a page of no success after this long. */
  eventStreamMs: 2_000,
  eventStreamBytes: 4 * 1024,
  redirects: 3,
  /** Requests per host, redirects included. */
  requests: 40,
  /** Of these, requests kept back from documents and what they declare, for signals. */
  signalRequests: 4,
  concurrency: 4,
} as const;

/** Limits may be lowered by injection; production uses those above. */
export type ProbeLimits = { readonly [Name in keyof typeof PROBE_LIMITS]: number };
