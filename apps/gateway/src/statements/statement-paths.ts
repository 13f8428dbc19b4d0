import { KEYS_PATH } from '@app/signing';
import { anyObject, list, object, open, text } from '../routes/json-schema';
import { describe, type Paths } from '../routes/operation';
import { errorResponses, json, validatedAnswer } from '../routes/responses';
import { HASH_SCHEMA as HASH } from '../http/arguments';
import { DOMAIN_SCHEMA as domain } from '../http/inputs';

const STATEMENT = { 'application/jwt': { schema: text } };

const KEY_SET = object({
  keys: list(open({ kty: text, crv: text, x: text, kid: text, use: text })),
  revoked: list(object({ kid: text, at: text, reason: text })),
});

/** What the service says under its own signature (behaviour 15). */
export function statementPaths(): Paths {
  return describe([
    {
      path: '/api/v1/hosts/:domain/statement',
      params: { domain },
      query: { properties: { form: { type: 'string', enum: ['listing'], description: 'Without payment options.' } } },
      call: '/api/v1/hosts/example.com/statement',
      operationId: 'host_statement',
      summary: 'The signed statement about a host',
      description:
        'A compact JWS (type hostprobe-report+jwt, Ed25519) over what one prober saw: status of each protocol, payment options, hash of the report. With payment options it holds for 15 minutes after the probe, without for a day.',
      tag: 'service',
      responses: { ...validatedAnswer('The statement.', STATEMENT, ['Vary']), ...errorResponses(400, 403, 404) },
    },
    {
      path: '/api/v1/hosts/:domain/reports/:sha256',
      params: { domain, sha256: { ...HASH, description: 'SHA-256 of the text, base64url or hex.' } },
      operationId: 'stored_report',
      summary: 'A stored report, byte for byte',
      description: 'The text that a statement names by its hash. It never changes.',
      tag: 'service',
      responses: {
        ...validatedAnswer('The text that was stored; it never changes.', json(anyObject), ['Repr-Digest']),
        ...errorResponses(400, 404),
      },
    },
    {
      path: KEYS_PATH,
      operationId: 'report_keys',
      summary: 'The keys of statements',
      description: 'The keys that sign, those that signed before, and those that must not be believed any more.',
      tag: 'service',
      responses: {
        ...validatedAnswer('A JWK set.', { 'application/jwk-set+json': { schema: KEY_SET } }),
        ...errorResponses(),
      },
    },
  ]);
}
