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

/** The requests that decided a cell of a report. */
export function evidenceOf({ details }: DetectedCell): readonly Evidence[] {
  return (details['evidence'] ?? []) as unknown as readonly Evidence[];
}

/** What the detectors make of it is any object; that evidence is in it is a promise of `runDetector`. */
const details: z.ZodType<JsonObject> = z
  .object({ evidence: z.array(Evidence).describe('The requests that decided it.').exactOptional() })
  .catchall(anyJson)
  .meta({ required: ['evidence'] });

/** Behaviour 4.1. */
export const ProtocolCell = z.object({
  id: protocolId,
  status: z
    .enum(['absent', 'present', 'partial', 'undiscoverable', 'error'])
    .describe('error: the protocol could not be checked; this says nothing about the host.'),
  version: z.string().nullable(),
  details,
}) satisfies z.ZodType<DetectedCell>;

/** Ids of the protocols with a status. */
export function idsWith({ protocols }: { readonly protocols: readonly DetectedCell[] }, status: CellStatus) {
  return protocols.filter((cell) => cell.status === status).map(({ id }) => id);
}

/** A cell in one word, as statements say it: `status@version`, or the reason where nothing could be seen. */
export function shortCell({ status, version, details }: DetectedCell): string {
  if (status === 'error') return `error:${text(details['reason']) ?? 'unknown'}`;
  // The version is text of the host, so only a short and plain one is used here.
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

/** Fixes shown in full to people and in Markdown; the JSON has all of them in full. */
const LEADING = 5;

/** The fixes that a form for readers shows in full, and those that it folds to a line each (behaviour 4.6). */
export function leadingFixes(fixes: readonly DetectedFix[]): {
  readonly leading: readonly DetectedFix[];
  readonly folded: readonly DetectedFix[];
} {
  return { leading: fixes.slice(0, LEADING), folded: fixes.slice(LEADING) };
}
