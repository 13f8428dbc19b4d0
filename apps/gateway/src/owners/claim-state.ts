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
import { time, url } from '@app/reports';
import { z } from 'zod';

const level = z.enum(CLAIM_LEVELS).describe('What it rests on; `dns-delegated` when a CNAME leads to the record.');

/** A claim as its owner sees it. */
export const ClaimState = z.object({
  id: z.string(),
  domain: z.string(),
  status: z.enum(CLAIM_STATUSES).describe('`pending` until control was seen twice, some minutes apart.'),
  level: level.nullable().describe('Null until control was seen.'),
  createdAt: time,
  lastSeenAt: time.nullable().describe('When control was last seen.'),
  expiresAt: time.nullable().describe('When it ends whatever is published; null for one by DNS.'),
  /** The last check. */
  checkedAt: time.nullable(),
  found: ClaimFinding.extend({
    zone: ClaimFinding.shape.zone
      .unwrap()
      .nullable()
      .describe(
        '`gone`: the registrable domain is not there any more. `moved`: it has no name server of those it had when control was last seen.',
      ),
  }).nullable(),
  ...Published.shape,
  lastProbe: z
    .object({
      status: z.enum(['queued', 'running', 'done', 'failed', 'expired']),
      begunAt: time,
      skipped: z
        .literal('robots_txt')
        .nullable()
        .describe(
          '`robots_txt`: the host asks us to stay away, so that no free probe is made. Allow hostprobe, or buy one.',
        ),
    })
    .nullable()
    .describe('The last free full probe of the host; null until control was seen.'),
  others: z
    .array(z.object({ id: z.string(), level, status: z.enum(CLAIM_STATUSES), since: time }))
    .describe('Other claims of the host whose control was seen; who is verified by `dns` ends those by `http`.'),
  manage: url.describe('`GET` with the key checks again, at most once a minute; `DELETE` ends the claim.'),
});
export type ClaimState = DeepReadonly<z.infer<typeof ClaimState>>;

/** With the key, which is shown once. */
export const NewClaim = ClaimState.extend({ key: z.string().describe('Shown once.') });
export type NewClaim = DeepReadonly<z.infer<typeof NewClaim>>;

/** What a claim is shown with. */
interface ClaimContext {
  /** Claims of the same host whose control was seen. */
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
    expiresAt: claimEndsAt(claim)?.toISOString() ?? null,
    checkedAt: checkedAt?.toISOString() ?? null,
    found: finding && { ...finding, zone: finding.zone ?? null },
    ...toPublish(domain, challenge),
    lastProbe: claim.level === null || !lastProbe ? null : { ...lastProbe, begunAt: lastProbe.begunAt.toISOString() },
    others: others.flatMap((other) =>
      other.level === null
        ? []
        : [{ id: other.id, level: other.level, status: claimStatus(other, now), since: other.createdAt.toISOString() }],
    ),
    manage: `${baseUrl}/api/v1/claims/${id}`,
  };
}
