import { toPublish } from '@app/owners';
import { bearerKey } from '../http/bearer';
import { HostInput, Text } from '../http/inputs';
import { claimPath } from '../http/paths';
import { PRIVATE } from '../http/published';
import type { RateLimits } from '../http/rate-limits';
import { RUN } from '../probing-client/run-routes';
import { defineRoute } from '../routes/define-route';
import { object } from '../routes/json-schema';
import { begun, ENDED, json, keyRefused, response } from '../routes/responses';
import { componentRef } from '../routes/schema';
import { ClaimState, NewClaim } from './claim-state';
import type { Claims } from './claims';
import type { OwnerProbes } from './owner-probes';

const ID = '0f0e0d0c-0b0a-4009-8807-060504030201';
const CLAIM = claimPath({ id: ID });
const EVENTS = `/api/v1/runs/${ID}/events`;
const CHALLENGE = '5f1c0b7a93de48265f1c0b7a93de48265f1c0b7a93de48265f1c0b7a93de4826';
const EXAMPLE: ClaimState = {
  id: ID,
  domain: 'example.com',
  status: 'pending',
  level: null,
  createdAt: '2026-11-23T06:00:00.000Z',
  lastSeenAt: null,
  endsAt: '2026-11-30T06:00:00.000Z',
  checkedAt: null,
  found: null,
  ...toPublish('example.com', CHALLENGE),
  lastProbe: null,
  others: [],
  manage: `https://probe.example.com${CLAIM}`,
};
const NEW_EXAMPLE: NewClaim = { ...EXAMPLE, key: `hpo_${'EXAMPLE'.repeat(6)}X` };

const REFUSED = { 401: keyRefused('Wrong key for this claim, or the claim has ended.') };

/** The services behind the claim routes. */
export interface ClaimDeps {
  readonly claims: Claims;
  readonly ownerProbes: OwnerProbes;
  readonly rateLimits: RateLimits;
}

class ClaimParams {
  @Text('The id of the claim.', { format: 'uuid' })
  id!: string;
}

const COMMON = { tag: 'hosts', components: { Claim: ClaimState, NewClaim }, headers: PRIVATE } as const;
const OF_CLAIM = { ...COMMON, input: ClaimParams, security: [{ claimKey: [] }] };
const SHOWN = { 200: response('The claim.', [], json(componentRef('schemas', 'Claim'), EXAMPLE)), ...REFUSED };
const WITH_KEY = json(componentRef('schemas', 'NewClaim'), NEW_EXAMPLE);
const RUN_EXAMPLE = { run: { id: ID, status: 'queued', events: EVENTS } };

/** Behaviour 17: claims of hosts, without accounts. Whoever has the claim key controls the claim. */
export const CLAIM_ROUTES = [
  defineRoute({
    ...COMMON,
    route: 'POST /api/v1/hosts/:domain/claims',
    input: HostInput,
    status: 201,
    call: '/api/v1/hosts/example.com/claims',
    operationId: 'begin_claim',
    summary: 'Claim a host',
    description:
      'Returns the TXT record or file to publish to prove ownership, and a key (shown once). Free; does not change the report.',
    answers: begun('The claim and its key.', WITH_KEY),
    errors: [400, 403],
    handle: async ({ claims, rateLimits }: ClaimDeps, { domain }, request, reply) => {
      await rateLimits.countClaim(request, reply);
      const claim = await claims.begin(domain, request.ip);
      void reply.header('location', claimPath(claim));
      return claim;
    },
  }),
  defineRoute({
    ...OF_CLAIM,
    route: 'GET /api/v1/claims/:id',
    call: CLAIM,
    operationId: 'show_claim',
    summary: 'Show and check a claim',
    description:
      'Returns the claim and starts a new check, at most once a minute. Get it again to see the result. Free.',
    answers: SHOWN,
    handle: ({ claims }: ClaimDeps, { id }, request) => claims.show(id, bearerKey(request), request),
  }),
  defineRoute({
    ...OF_CLAIM,
    route: 'DELETE /api/v1/claims/:id',
    status: 204,
    call: CLAIM,
    operationId: 'end_claim',
    summary: 'End a claim',
    description:
      'Ends the claim immediately and deletes its data. The key of a claim verified by `dns` can also end `http` claims of the same host. Free.',
    answers: { ...ENDED, ...REFUSED },
    handle: async ({ claims }: ClaimDeps, { id }, request) => {
      await claims.end(id, bearerKey(request));
    },
  }),
  defineRoute({
    ...OF_CLAIM,
    route: 'POST /api/v1/claims/:id/rotate',
    call: `${CLAIM}/rotate`,
    operationId: 'rotate_claim_key',
    summary: 'Rotate the key of a claim',
    description: 'Revokes the key and returns a new one. The published record or file stays valid. Free.',
    answers: { 200: response('The claim and its new key.', [], WITH_KEY), ...REFUSED },
    handle: ({ claims }: ClaimDeps, { id }, request) => claims.rotate(id, bearerKey(request)),
  }),
  defineRoute({
    ...OF_CLAIM,
    route: 'POST /api/v1/claims/:id/probe',
    status: 202,
    call: `${CLAIM}/probe`,
    operationId: 'probe_claimed_host',
    summary: 'Probe the host of a claim',
    description:
      'Starts a full probe of the host, or joins the running one. Free for a verified claim; all owners of a host share 20 probes in 24 hours.',
    answers: { 202: response('The run.', [], json(object({ run: RUN }), RUN_EXAMPLE)), ...REFUSED },
    errors: [403],
    handle: ({ ownerProbes }: ClaimDeps, { id }, request, reply) => ownerProbes.begin(id, bearerKey(request), reply),
  }),
];
