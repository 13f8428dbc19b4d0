import { object, text } from '../routes/json-schema';
import { describe, type Paths } from '../routes/operation';
import { errorResponses, json, response } from '../routes/responses';
import { componentRef } from '../routes/schema';
import { DOMAIN_SCHEMA as domain } from '../http/inputs';
import { RUN } from '../probing-client/run-paths';
import type { ClaimState, NewClaim } from './claim-state';

const ID = '0f0e0d0c-0b0a-4009-8807-060504030201';
const CLAIM = `/api/v1/claims/${ID}`;
const EVENTS = `/api/v1/runs/${ID}/events`;
const CHALLENGE = '5f1c0b7a93de48265f1c0b7a93de48265f1c0b7a93de48265f1c0b7a93de4826';
const id = { ...text, format: 'uuid', description: 'Of the claim.' };
const EXAMPLE: ClaimState = {
  id: ID,
  domain: 'example.com',
  status: 'pending',
  level: null,
  createdAt: '2026-11-23T06:00:00.000Z',
  lastSeenAt: null,
  expiresAt: '2026-11-30T06:00:00.000Z',
  checkedAt: null,
  found: null,
  record: { name: '_hostprobe-challenge.example.com', type: 'TXT', value: `token=${CHALLENGE} expiry=never` },
  file: { url: 'https://example.com/.well-known/hostprobe-claim.txt', content: CHALLENGE },
  lastProbe: null,
  others: [],
  manage: `https://probe.example.com${CLAIM}`,
};
const WITH_KEY: NewClaim = { ...EXAMPLE, key: `hpo_${'EXAMPLE'.repeat(6)}X` };

const REFUSED = {
  401: response(
    'The key is not one of this claim, or the claim has ended.',
    ['WWW-Authenticate'],
    json(componentRef('schemas', 'Error')),
  ),
  ...errorResponses(),
};

/** Behaviour 17. */
export function claimPaths(): Paths {
  const ofClaim = { params: { id }, tag: 'hosts', security: [{ claimKey: [] }] } as const;
  const claim = response('The claim.', [], json(componentRef('schemas', 'Claim'), EXAMPLE));
  const withKey = json(componentRef('schemas', 'NewClaim'), WITH_KEY);
  const run = json(object({ run: RUN }), { run: { id: ID, status: 'queued', events: EVENTS } });
  return describe([
    {
      path: '/api/v1/hosts/:domain/claims',
      params: { domain },
      call: '/api/v1/hosts/example.com/claims',
      method: 'post',
      operationId: 'begin_claim',
      summary: 'Claim a host',
      description:
        'Answers what to publish, as a TXT record or a file, to show that a host is yours, and a key that is shown once. Free; changes no report.',
      tag: 'hosts',
      responses: { 200: response('The claim and its key.', [], withKey), ...errorResponses(400) },
    },
    {
      ...ofClaim,
      path: '/api/v1/claims/:id',
      call: CLAIM,
      operationId: 'show_claim',
      summary: 'Show and check a claim',
      description:
        'How far the claim is. Has it checked again, at most once a minute; ask again to see the result. Free.',
      responses: { 200: claim, ...REFUSED },
    },
    {
      ...ofClaim,
      path: '/api/v1/claims/:id',
      call: CLAIM,
      method: 'delete',
      operationId: 'end_claim',
      summary: 'End a claim',
      description:
        'Ends it at once; nothing of it is kept. The key of a claim that is verified by `dns` ends claims by `http` of the same host, too. Free.',
      responses: { 200: claim, ...REFUSED },
    },
    {
      ...ofClaim,
      path: '/api/v1/claims/:id/rotate',
      call: `${CLAIM}/rotate`,
      method: 'post',
      operationId: 'change_claim_key',
      summary: 'Change the key of a claim',
      description: 'Ends the key and answers another one. What is published stays valid. Free.',
      responses: { 200: response('The claim and its new key.', [], withKey), ...REFUSED },
    },
    {
      ...ofClaim,
      path: '/api/v1/claims/:id/probe',
      call: `${CLAIM}/probe`,
      method: 'post',
      operationId: 'probe_claimed_host',
      summary: 'Probe the host of a claim',
      description:
        'Begins a full probe of the host, or joins the one under way. Free for a verified claim, 20 in 24 hours for all owners of a host.',
      responses: { 202: response('The run.', [], run), ...REFUSED, ...errorResponses(403) },
    },
  ]);
}
