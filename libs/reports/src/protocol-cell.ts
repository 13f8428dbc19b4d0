import {
  EFFORTS,
  text,
  type CellStatus,
  type Fix as DetectedFix,
  type JsonObject,
  type ProtocolCell as DetectedCell,
} from '@app/detectors';
import type { DeepReadonly } from '@app/platform';
import { z } from 'zod';
import { anyJson, protocolId, time, url } from './answer-schema';

/** Behaviour 4.3, `details.evidence`. */
export const Evidence = z.looseObject({
  method: z.enum(['GET', 'POST']),
  url: z.string(),
  observedAt: time,
  status: z.int().exactOptional(),
  contentType: z.string().nullable().exactOptional(),
  bytes: z.int().exactOptional(),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .exactOptional(),
  excerpt: z.string().nullable().exactOptional(),
  failure: z.string().describe('Why there was no response.').exactOptional(),
});

export type Evidence = DeepReadonly<z.infer<typeof Evidence>>;

/** The requests behind a cell of a report. */
export function evidenceOf({ details }: DetectedCell): readonly Evidence[] {
  return (details['evidence'] ?? []) as unknown as readonly Evidence[];
}

/** The details may be any object; `runDetector` guarantees that they contain the evidence. */
const details: z.ZodType<JsonObject> = z
  .object({ evidence: z.array(Evidence).describe('The requests behind this status.').exactOptional() })
  .catchall(anyJson)
  .meta({ required: ['evidence'] });

/** Behaviour 4.1. */
export const ProtocolCell = z.object({
  id: protocolId,
  status: z
    .enum(['absent', 'present', 'partial', 'undiscoverable', 'error'])
    .describe('`error`: the protocol could not be checked; this says nothing about the host.'),
  version: z.string().nullable(),
  details,
}) satisfies z.ZodType<DetectedCell>;

/** The ids of the protocols with a status. */
export function idsWith({ protocols }: { readonly protocols: readonly DetectedCell[] }, status: CellStatus) {
  return protocols.filter((cell) => cell.status === status).map(({ id }) => id);
}

/** A cell in one word, for statements: `status@version`, or the reason if nothing could be checked. */
export function shortCell({ status, version, details }: DetectedCell): string {
  if (status === 'error') return `error:${text(details['reason']) ?? 'unknown'}`;
  // The version is text from the host, so only a short and plain one is used here.
  return version !== null && /^[\w.+-]{1,24}$/.test(version) ? `${status}@${version}` : status;
}

/** Behaviour 4.6. */
export const Fix = z.object({
  id: z.string().regex(/^[a-z0-9-]+\.[a-z0-9_]+$/),
  protocol: protocolId,
  priority: z.literal([1, 2, 3]).describe('1: payment, 2: discovery, 3: completeness.'),
  effort: z.enum(EFFORTS).describe('Estimated effort for somebody who knows the host.'),
  why: z.string().describe('What the fix changes for agents.'),
  problem: z.string(),
  fix: z.string().describe('What to publish, and where.'),
  spec: url,
}) satisfies z.ZodType<DetectedFix>;
