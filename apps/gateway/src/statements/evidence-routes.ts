import { VERSION } from '@app/config';
import { includedLine, rootOf } from '@app/evidence';
import { HASH_SCHEMA } from '../http/arguments';
import { HostInput, Text } from '../http/inputs';
import { sendPublished } from '../http/published';
import type { RateLimits } from '../http/rate-limits';
import { defineRoute } from '../routes/define-route';
import { about, count, list, object, text } from '../routes/json-schema';
import { json, validatedAnswer } from '../routes/responses';
import type { EvidenceFiles } from './evidence-files';

const hash = { type: 'string', pattern: '^[0-9a-f]{64}$' } as const;

const CALL = `/api/v1/hosts/example.com/evidence/${'0f'.repeat(32)}`;
const LINE = object({
  alg: { const: 'rfc9162-sha256' },
  root: hash,
  index: count,
  size: about('The number of lines.', count),
  line: about('The line as it was hashed.', text),
  path: about('The sibling hashes up to the root, the lowest first.', list(hash)),
});

/** The evidence of a host that refused the connection. */
const EXAMPLE = [
  {
    hostprobe: 'bundle/1',
    domain: 'example.com',
    origin: 'https://example.com',
    prober: `hostprobe/${VERSION}`,
    rules: '2026-11-22',
    hash: 'rfc9162-sha256',
    from: '2026-11-22T12:00:00.000Z',
    to: '2026-11-22T12:00:00.000Z',
    lines: 2,
    leftOut: 0,
  },
  {
    kind: 'failure',
    method: 'GET',
    url: 'https://example.com/',
    phase: 'presence',
    observedAt: '2026-11-22T12:00:00.000Z',
    redirects: [],
    reason: 'connect_refused',
  },
].map((line) => JSON.stringify(line));

/** The services behind the evidence routes. */
export interface EvidenceDeps {
  readonly evidence: EvidenceFiles;
  readonly rateLimits: RateLimits;
}

class BundleParams extends HostInput {
  @Text('The Merkle root, in base64url as in statements, or in hex.', HASH_SCHEMA)
  root!: string;
}

class LineParams extends BundleParams {
  @Text('The number of the line; 0 is the head.', { pattern: '^[0-9]{1,4}$' })
  index!: string;
}

const BUNDLE = { 'application/x-ndjson': { schema: text, example: `${EXAMPLE.join('\n')}\n` } };

/** Behaviour 7.15: the evidence behind a report. Free, with its own rate limit. */
export const EVIDENCE_ROUTES = [
  defineRoute({
    route: 'GET /api/v1/hosts/:domain/evidence/:root',
    input: BundleParams,
    call: CALL,
    operationId: 'read_evidence',
    summary: 'The evidence behind a report',
    description:
      'The requests and responses of one probe as JSON lines under a Merkle root, with each body stored under its hash. Cookies and credentials are left out. It records what hostprobe saw, and does not vouch for the host.',
    tag: 'hosts',
    answers: validatedAnswer('A file to download.', BUNDLE, ['Content-Disposition']),
    errors: [400, 404],
    handle: async ({ evidence, rateLimits }: EvidenceDeps, { domain, root }, request, reply) => {
      await rateLimits.countEvidence(request, reply);
      return evidence.bundle(domain, root);
    },
    send: sendPublished,
  }),
  defineRoute({
    route: 'GET /api/v1/hosts/:domain/evidence/:root/:index',
    input: LineParams,
    call: `${CALL}/1`,
    operationId: 'read_exchange',
    summary: 'Inclusion proof of one exchange',
    description: 'Proves that a line belongs to the root, without needing the other lines.',
    tag: 'hosts',
    answers: validatedAnswer('The line and its proof.', json(LINE, includedLine(rootOf(EXAMPLE), EXAMPLE, 1))),
    errors: [400, 404],
    handle: async ({ evidence, rateLimits }: EvidenceDeps, { domain, root, index }, request, reply) => {
      await rateLimits.countEvidence(request, reply);
      return evidence.line(domain, root, index);
    },
    send: sendPublished,
  }),
];
