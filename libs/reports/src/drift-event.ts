import { findDetector, visible } from '@app/detectors';
import type { DeepReadonly } from '@app/platform';
import { z } from 'zod';
import { anyJson, protocolId, time } from './answer-schema';

/** A change of a host, completely determined by its probes; the database adds the id. */
export const DriftEvent = z.object({
  /** The time of the probe that found the change. */
  at: time,
  protocol: protocolId,
  /** Behaviour 8.1. */
  kind: z.enum([
    'appeared',
    'vanished',
    'degraded',
    'recovered',
    'version_changed',
    'endpoint_changed',
    'price_changed',
    'asset_changed',
    'pay_to_changed',
    'details_changed',
    'rules_changed',
  ]),
  /** A sentence about the new state; only `before` has the old one. */
  summary: z.string(),
  /** Normalized values: a status, a version, an endpoint, or an object of the changed fields. */
  before: anyJson,
  after: anyJson,
});
export type DriftEvent = DeepReadonly<z.infer<typeof DriftEvent>>;
export type DriftKind = DriftEvent['kind'];

/**
 * `MCP is now available.`: the protocol's name followed by the change, without control characters and limited in
 * length.
 */
export function driftSummary(id: string, words: string): string {
  return `${visible(`${findDetector(id)?.name.short ?? id} ${words}`, 300)}.`;
}
