import { findDetector, visible } from '@app/detectors';
import type { DeepReadonly } from '@app/platform';
import { z } from 'zod';
import { anyJson, protocolId, time } from './answer-schema';

/** One change of a host, fully determined by the probes that showed it; the database adds the id. */
export const DriftEvent = z.object({
  /** Time of the probe that showed the change. */
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
  /** One sentence about the new state; only `before` has the old one. */
  summary: z.string(),
  /** Normalised values: a status, a version, an endpoint, or an object of the changed members. */
  before: anyJson,
  after: anyJson,
});
export type DriftEvent = DeepReadonly<z.infer<typeof DriftEvent>>;
export type DriftKind = DriftEvent['kind'];

/** `MCP is now available.`: the protocol's name and what a change says of it, without control characters and bounded. */
export function summaryOf(id: string, words: string): string {
  return `${visible(`${findDetector(id)?.name.short ?? id} ${words}`, 300)}.`;
}
