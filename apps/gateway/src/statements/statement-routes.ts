import { KEYS_PATH, readHash } from '@app/signing';
import type { StatementRepository } from '@app/storage';
import { HASH_SCHEMA } from '../http/arguments';
import { Described, HostInput, OneOf, Optional, Text } from '../http/inputs';
import { publishedJson, sendPublished } from '../http/published';
import type { RateLimits } from '../http/rate-limits';
import { RequestError } from '../http/request-error';
import { defineRoute } from '../routes/define-route';
import { anyObject, list, object, open, text } from '../routes/json-schema';
import { json, validatedAnswer } from '../routes/responses';
import type { ReportKeys } from './report-keys';
import { sendStatement } from './send-statement';
import type { Statements } from './statements';

/** The services behind the statement routes. */
export interface StatementDeps {
  readonly statements: Statements;
  readonly stored: StatementRepository;
  readonly keys: ReportKeys;
  readonly rateLimits: RateLimits;
}

class StatementInput extends HostInput {
  @Described('`listing` leaves out the payment options.')
  @Optional()
  @OneOf(['listing'])
  form?: string;
}

class StoredReportParams extends HostInput {
  @Text('SHA-256 of the text, base64url or hex.', HASH_SCHEMA)
  sha256!: string;
}

/** For content that never changes. */
const FOR_EVER = 'public, max-age=31536000, immutable';

const KEY_SET = object({
  keys: list(open({ kty: text, crv: text, x: text, kid: text, use: text })),
  revoked: list(object({ kid: text, at: text, reason: text })),
});

/** Statements, the reports they name and the keys they are signed with (behaviour 15). */
export const STATEMENT_ROUTES = [
  defineRoute({
    route: 'GET /api/v1/hosts/:domain/statement',
    input: StatementInput,
    call: '/api/v1/hosts/example.com/statement',
    operationId: 'host_statement',
    summary: 'The signed statement about a host',
    description:
      'A compact JWS (type hostprobe-report+jwt, Ed25519) with the status of each protocol, the payment options and the hash of the report. Valid for 15 minutes after the probe, or for a day if it has no payment options.',
    tag: 'service',
    answers: validatedAnswer('The statement.', { 'application/jwt': { schema: text } }, ['Vary']),
    errors: [400, 403, 404],
    handle: ({ statements }: StatementDeps, { domain, form }) => statements.about(domain, form !== undefined),
    send: sendStatement,
  }),
  /** Read from storage each time, so it is rate limited like evidence. */
  defineRoute({
    route: 'GET /api/v1/hosts/:domain/reports/:sha256',
    input: StoredReportParams,
    operationId: 'stored_report',
    summary: 'A stored report, byte for byte',
    description: 'The report that a statement refers to by its hash. It never changes.',
    tag: 'service',
    answers: validatedAnswer('The stored report.', json(anyObject), ['Repr-Digest']),
    errors: [400, 404],
    handle: async ({ stored, rateLimits }: StatementDeps, { domain, sha256 }, request, reply) => {
      const hash = readHash(sha256);
      if (hash) await rateLimits.countEvidence(request, reply);
      const text = hash && (await stored.report(domain.ascii, hash.toString('hex')));
      if (hash === undefined || text === undefined) throw new RequestError('report_unknown');
      return {
        body: Buffer.from(text),
        etag: `"${hash.toString('base64url')}"`,
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'cache-control': FOR_EVER,
          'repr-digest': `sha-256=:${hash.toString('base64')}:`,
        },
      };
    },
    send: sendPublished,
  }),
  defineRoute({
    route: `GET ${KEYS_PATH}`,
    operationId: 'report_keys',
    summary: 'Public keys that verify statements',
    description: 'The current signing keys, retired keys, and keys that must no longer be trusted.',
    tag: 'service',
    answers: validatedAnswer('A JWK set.', { 'application/jwk-set+json': { schema: KEY_SET } }),
    handle: async ({ keys }: StatementDeps) => publishedJson(await keys.document(), 'application/jwk-set+json'),
    send: sendPublished,
  }),
];
