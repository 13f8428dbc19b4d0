import type { DeepReadonly } from '@app/platform';
import { z } from 'zod';
import { anyObject, parsed, protocolId, time, url } from './answer-schema';
import { History } from './availability';
import { CacheState, HostClocks } from './cache-state';
import { PaymentRails } from './payment-rails';
import { Fix, ProtocolCell } from './protocol-cell';
import { Skipped } from './skipped';

/** The report's `ucp` object (behaviour 3.7), from the details of the ucp detector. */
const UcpSummary = anyObject;
export type UcpSummary = z.infer<typeof UcpSummary>;

/** Behaviour 4.11. */
const Signal = z.object({
  id: z.string(),
  status: z.enum(['valid', 'faulty', 'absent']),
  at: z.string().describe('Where the signal was found: a URL, or a DNS name and record type.').exactOptional(),
  note: z.string().exactOptional(),
});

/** Behaviour 14.2. */
const Rules = z.object({
  version: z.string(),
  checked: z.string().describe('ISO date when the rules were last checked against the specifications.'),
});

/**
 * Behaviour 3.1 without `cache` and `refresh`, which depend on the time and the prices: everything that a worker can
 * state about a host. It is stored as text, and reads append the two.
 */
export const HostFacts = z.object({
  domain: z.string(),
  /** `https://`, unless only plain HTTP answered. */
  origin: url,
  ...HostClocks.shape,
  /** Missing for a host that was never probed. */
  reachable: z.boolean().exactOptional(),
  /** Null without a profile. */
  ucp: UcpSummary.nullable(),
  fixes: z.array(Fix),
  protocols: z.array(ProtocolCell).describe('Empty for a host that was never probed, otherwise one cell per protocol.'),
  paymentRails: PaymentRails,
  /** Missing if `rules` is missing. */
  signals: z.array(Signal).describe('Signals related to the protocols; none of them is a way to pay.').exactOptional(),
  /** Missing for a host that was never probed. */
  rules: Rules.exactOptional(),
});
export type HostFacts = DeepReadonly<z.infer<typeof HostFacts>>;

/** Behaviour 3.6. */
export const RefreshOffer = z.object({
  payable: z.literal(true),
  priceUsd: z.number(),
  network: z.string(),
  rest: z.object({ method: z.literal('GET'), url }),
  mcp: z.object({ tool: z.literal('refresh_host'), path: z.literal('/api/v1/mcp') }),
  docs: url,
});
export type RefreshOffer = DeepReadonly<z.infer<typeof RefreshOffer>>;

/** Behaviour 15.1. */
const StoredText = z.object({
  uri: url.describe('URL of the stored report; its bytes never change.'),
  sha256: z.string().describe('SHA-256 of the bytes of the report, in base64url.'),
  len: z.int().describe('Number of those bytes.'),
});
export type StoredText = DeepReadonly<z.infer<typeof StoredText>>;

/** Behaviour 3.1, as served. */
export const HostReport = HostFacts.extend({
  /** Set if the host is on the operator's opt-out list. Earlier results stay readable. */
  optedOut: z.literal(true).describe('The owner opted out of probes.').exactOptional(),
  /** Of free reads alone, as `history`. */
  skipped: Skipped.describe(
    'Why the last free or scheduled probe was skipped. Present only if that happened after this report.',
  ).exactOptional(),
  cache: CacheState,
  refresh: RefreshOffer,
  /** Missing for a host that was never probed. */
  report: StoredText.exactOptional(),
  /** Only in free reads, because a paid answer is about one moment. */
  history: History.describe(
    'Recent availability of the host. Absent for a host that was never probed.',
  ).exactOptional(),
});
export type HostReport = DeepReadonly<z.infer<typeof HostReport>>;

/** Behaviour 7.4, `protocol_refresh`. */
export const ProtocolAnswer = z.object({
  domain: z.string(),
  probedAt: time,
  protocol: protocolId,
  cell: ProtocolCell,
});
export type ProtocolAnswer = DeepReadonly<z.infer<typeof ProtocolAnswer>>;

/**
 * Parses stored facts without changing them.
 * @throws {SyntaxError | z.ZodError} if the text is not a stored report
 */
export function readFacts(text: string): HostFacts {
  return parsed(HostFacts, JSON.parse(text));
}

/** Parses a served report. @throws like {@link readFacts} */
export function readReport(text: string): HostReport {
  return parsed(HostReport, JSON.parse(text));
}
