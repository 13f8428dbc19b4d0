import { Controller, Get, Inject, Param, Query, Req, Res } from '@nestjs/common';
import { KEYS_PATH, readHash } from '@app/signing';
import { StatementRepository } from '@app/storage';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hostArgument } from '../http/arguments';
import { publishedJson, sendPublished } from '../http/published';
import { RateLimits } from '../http/rate-limits';
import { RequestError } from '../http/request-error';
import { ReportKeys } from './report-keys';
import { readForm, sendStatement } from './send-statement';
import { Statements } from './statements';

/** What never changes may be kept for ever. */
const FOR_EVER = 'public, max-age=31536000, immutable';

/** Statements, the reports they name and the keys they are signed with (behaviour 15). */
@Controller()
export class StatementsController {
  constructor(
    @Inject(Statements) private readonly statements: Statements,
    @Inject(StatementRepository) private readonly rows: StatementRepository,
    @Inject(ReportKeys) private readonly keys: ReportKeys,
    @Inject(RateLimits) private readonly limits: RateLimits,
  ) {}

  @Get('api/v1/hosts/:domain/statement')
  async statement(
    @Param('domain') domain: string,
    @Query('form') form: unknown,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const statement = await this.statements.about(hostArgument(domain), readForm(form));
    if (!statement) throw new RequestError('statement_expired');
    sendStatement(reply, statement);
  }

  /** The stored text of a report, byte for byte; read from storage each time, so it counts as evidence does. */
  @Get('api/v1/hosts/:domain/reports/:sha256')
  async report(
    @Param('domain') domain: string,
    @Param('sha256') sha256: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const host = hostArgument(domain);
    const hash = readHash(sha256);
    if (hash) await this.limits.countEvidence(request, reply);
    const text = hash && (await this.rows.report(host.ascii, hash.toString('hex')));
    if (hash === undefined || text === undefined) throw new RequestError('report_unknown');
    await sendPublished(reply, {
      body: Buffer.from(text),
      etag: `"${hash.toString('base64url')}"`,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'cache-control': FOR_EVER,
        'repr-digest': `sha-256=:${hash.toString('base64')}:`,
      },
    });
  }

  @Get(KEYS_PATH)
  async keySet(@Res() reply: FastifyReply): Promise<void> {
    await sendPublished(reply, publishedJson(await this.keys.document(), 'application/jwk-set+json'));
  }
}
