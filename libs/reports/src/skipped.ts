import type { DeepReadonly } from '@app/platform';
import { z } from 'zod';
import { time } from './answer-schema';
import { utc } from './names';

/** Behaviour 3.15: why the last free or scheduled probe of a host was not made. */
export const Skipped = z.object({
  reason: z
    .enum(['robots_txt', 'rate_limited', 'unavailable', 'opted_out'])
    .describe(
      '`robots_txt`: the robots.txt of the host disallows hostprobe. `rate_limited`, `unavailable`: the host answered our first request with 429 or 503 and `Retry-After`. `opted_out`: the owner opted out of probes.',
    ),
  at: time.describe('When we checked.'),
  until: time
    .describe('We send no request before this time, because of the `Retry-After` of the host.')
    .exactOptional(),
});
export type Skipped = DeepReadonly<z.infer<typeof Skipped>>;

/** The cause, and the effect of a paid probe. */
export interface SkippedText {
  readonly what: string;
  readonly paid: string;
}

/** A skipped probe, from a report or from a claim; a claim always has every member. */
type SkippedParts = Omit<Skipped, 'until'> & { readonly until?: string | null };

/** A skipped probe in sentences. */
export function skippedText({ reason, at, until }: SkippedParts): SkippedText {
  const waits = until === undefined || until === null ? '' : ` until ${utc(until)}`;
  switch (reason) {
    case 'robots_txt':
      return {
        what: `Its robots.txt asks us to stay away, checked ${utc(at)}.`,
        paid: 'A paid probe goes ahead: somebody asks for it, so robots.txt does not apply.',
      };
    case 'rate_limited':
      return {
        what: `It limits our requests and asked us to wait${waits}, checked ${utc(at)}.`,
        paid: 'A paid probe can start after that. If the host still answers 429, its checks are inconclusive.',
      };
    case 'unavailable':
      return {
        what: `It is unavailable and asked us to wait${waits}, checked ${utc(at)}.`,
        paid: 'A paid probe can start after that. If the host still answers 503, its checks are inconclusive.',
      };
    case 'opted_out':
      return {
        what: 'Its owner opted out of probes.',
        paid: 'Paid probes are refused before any price is shown.',
      };
  }
}
