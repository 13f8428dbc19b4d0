import { includedLine, rootOf } from '@app/evidence';
import { about, count, list, object, text } from '../routes/json-schema';
import { describe, type Paths } from '../routes/operation';
import { errorResponses, json, validatedAnswer } from '../routes/responses';
import { HASH_SCHEMA } from '../http/arguments';
import { DOMAIN_SCHEMA as domain } from '../http/inputs';

const hash = { type: 'string', pattern: '^[0-9a-f]{64}$' } as const;
const root = { ...HASH_SCHEMA, description: 'Merkle root, as statements name it (base64url), or in hex.' };
const index = { type: 'string', pattern: '^[0-9]{1,4}$', description: 'Number of the line, from 0: the head.' };

const CALL = `/api/v1/hosts/example.com/evidence/${'0f'.repeat(32)}`;
const LINE = object({
  alg: { const: 'rfc9162-sha256' },
  root: hash,
  index: count,
  size: about('Lines under the root.', count),
  line: about('As it was hashed.', text),
  path: about('The hashes that lead to the root, the lowest first.', list(hash)),
});

/** A host that took no connection. */
const EXAMPLE = [
  {
    hostprobe: 'bundle/1',
    domain: 'example.com',
    origin: 'https://example.com',
    prober: 'hostprobe/0.3.0',
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

/** Behaviour 7.15. */
export function evidencePaths(): Paths {
  const path = '/api/v1/hosts/:domain/evidence/:root';
  const bundle = { 'application/x-ndjson': { schema: text, example: `${EXAMPLE.join('\n')}\n` } };
  return describe([
    {
      path,
      params: { domain, root },
      call: CALL,
      operationId: 'read_evidence',
      summary: 'The evidence behind a report',
      description:
        'The exchanges of one probe as JSON lines under a Merkle root, and the bodies by their hash. Without cookies and credentials. What one prober saw, not what the host is.',
      tag: 'hosts',
      responses: {
        ...validatedAnswer('A file to download.', bundle, ['Content-Disposition']),
        ...errorResponses(400, 404),
      },
    },
    {
      path: `${path}/:index`,
      params: { domain, root, index },
      call: `${CALL}/1`,
      operationId: 'read_exchange',
      summary: 'One exchange and the way to the root',
      description: 'Shows that one line is under the root, without the other lines.',
      tag: 'hosts',
      responses: {
        ...validatedAnswer('The line and its path.', json(LINE, includedLine(rootOf(EXAMPLE), EXAMPLE, 1))),
        ...errorResponses(400, 404),
      },
    },
  ]);
}
