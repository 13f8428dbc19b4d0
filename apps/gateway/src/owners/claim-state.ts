import {
  CLAIM_STATUSES,
  claimEndsAt,
  ClaimFinding,
  CLAIM_LEVELS,
  claimStatus,
  Published,
  toPublish,
} from '@app/owners';
import type { DeepReadonly } from '@app/platform';
import type { Claim, LastProbe } from '@app/storage';
import { Skipped, time, url } from '@app/reports';
import { z } from 'zod';
import { claimPath } from '../http/paths';

const level = z
  .enum(CLAIM_LEVELS)
  .describe('How ownership was proven; `dns-delegated`: by a DNS record through a CNAME.');

/** A claim as its owner sees it. */
export const ClaimState = z.object({
  id: z.string(),
  domain: z.string(),
  status: z
    .enum([...CLAIM_STATUSES, 'ended'])
    .describe(
      '`pending` until two checks, a few minutes apart, have found the record or file; `ended` after the claim was deleted.',
    ),
  level: level.nullable().describe('Null until a record or file was found.'),
  createdAt: time,
  lastSeenAt: time.nullable().describe('When the record or file was last found.'),
  endsAt: time.nullable().describe('When the claim expires even if the file stays published; null for a claim by DNS.'),
  /** The time of the last check. */
  checkedAt: time.nullable(),
  found: ClaimFinding.extend({
    zone: ClaimFinding.shape.zone
      .unwrap()
      .nullable()
      .describe(
        '`gone`: the registrable domain no longer exists. `moved`: all its name servers have changed since the record or file was last found.',
      ),
  }).nullable(),
  ...Published.shape,
  lastProbe: z
    .object({
      status: z.enum(['queued', 'running', 'done', 'failed', 'expired']),
      createdAt: time,
      skipped: Skipped.extend({ until: Skipped.shape.until.unwrap().nullable() })
        .nullable()
        .describe('Why no probe was made.'),
    })
    .nullable()
    .describe('The last free owner probe of the host; null until a record or file was found.'),
  others: z
    .array(z.object({ id: z.string(), level, status: z.enum(CLAIM_STATUSES), createdAt: time }))
    .describe(
      'Other claims of the host for which a record or file was found. A claim verified by `dns` can end claims by `http`.',
    ),
  manage: url.describe('With the key, `GET` checks again (at most once a minute) and `DELETE` ends the claim.'),
});
export type ClaimState = DeepReadonly<z.infer<typeof ClaimState>>;

/** A claim with its key, which is shown once. */
export const NewClaim = ClaimState.extend({ key: z.string().describe('Shown once.') });
export type NewClaim = DeepReadonly<z.infer<typeof NewClaim>>;

/** Data that is shown with a claim. */
interface ClaimContext {
  /** Other verified claims of the same host. */
  readonly others: readonly Claim[];
  readonly lastProbe: LastProbe | undefined;
}

export function claimState(claim: Claim, { others, lastProbe }: ClaimContext, baseUrl: string, now: Date): ClaimState {
  const { id, domain, challenge, createdAt, lastSeenAt, checkedAt, finding } = claim;
  return {
    id,
    domain,
    status: claimStatus(claim, now),
    level: claim.level,
    createdAt: createdAt.toISOString(),
    lastSeenAt: lastSeenAt?.toISOString() ?? null,
    endsAt: claimEndsAt(claim)?.toISOString() ?? null,
    checkedAt: checkedAt?.toISOString() ?? null,
    found: finding && { ...finding, zone: finding.zone ?? null },
    ...toPublish(domain, challenge),
    lastProbe: claim.level === null || !lastProbe ? null : toLastProbe(lastProbe),
    others: others.flatMap((other) =>
      other.level === null
        ? []
        : [
            {
              id: other.id,
              level: other.level,
              status: claimStatus(other, now),
              createdAt: other.createdAt.toISOString(),
            },
          ],
    ),
    manage: `${baseUrl}${claimPath({ id })}`,
  };
}

function toLastProbe({ status, createdAt, skipped }: LastProbe): ClaimState['lastProbe'] {
  return {
    status,
    createdAt: createdAt.toISOString(),
    skipped: skipped && { ...skipped, until: skipped.until ?? null },
  };
}
