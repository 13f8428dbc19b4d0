import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { credentialOf } from '../checkout/credential';
import { hostArgument } from '../http/arguments';
import { MARKDOWN, ReportForms } from '../reports/report-forms';
import { sendPublished } from '../http/published';
import { preferredWaitMs } from '../probing-client/free-presence';
import { ChangeHistory } from '../reports/change-history';
import { HostReportsService } from '../reports/host-reports.service';
import { acceptsStatement, sendReport } from '../reports/plain-reads';
import { prefersMarkdown } from '../reports/report-markdown';
import { RequestError } from '../http/request-error';
import { sendStatement } from '../statements/send-statement';
import { Statements } from '../statements/statements';
import { asksForRefresh, reportRefresh } from './host-refresh';
import { Sales } from './sales';

interface Asked {
  readonly Params: { readonly domain: string };
  readonly Querystring: Readonly<Record<string, unknown>>;
}

/** Endpoints 1 and 3 of behaviour 7.1: the report of a host, which also sells a refresh (`?refresh=1`), and its changes. */
@Controller('api/v1/hosts/:domain')
export class ReportController {
  constructor(
    @Inject(HostReportsService) private readonly reports: HostReportsService,
    @Inject(ChangeHistory) private readonly history: ChangeHistory,
    @Inject(Sales) private readonly sales: Sales,
    @Inject(ReportForms) private readonly forms: ReportForms,
    @Inject(Statements) private readonly statements: Statements,
  ) {}

  @Get()
  async report(@Req() request: FastifyRequest<Asked>, @Res() reply: FastifyReply): Promise<void> {
    const { ip, headers, query, params } = request;
    const host = hostArgument(params.domain);
    if (asksForRefresh(query['refresh'])) {
      await this.sales.serve(reportRefresh, request, reply);
      return;
    }
    if (acceptsStatement(headers.accept)) {
      const statement = await this.statements.about(host);
      if (!statement) throw new RequestError('statement_expired');
      sendStatement(reply, statement);
      return;
    }
    const waitMs = preferredWaitMs(headers.prefer?.toString());
    if (prefersMarkdown(headers.accept)) {
      const lookedUp = await this.reports.lookup(host, ip, waitMs);
      await sendPublished(reply, await this.forms.inForm(MARKDOWN, host, lookedUp));
    } else {
      await sendReport(reply, await this.reports.lookup(host, ip, waitMs));
    }
  }

  @Get('changes')
  async changes(@Req() { params, query, headers }: FastifyRequest<Asked>, @Res() reply: FastifyReply): Promise<void> {
    const credential = credentialOf(headers);
    const changes = await this.history.read(hostArgument(params.domain), credential, query);
    const caching = credential ? 'private, no-store' : 'public, max-age=30';
    void reply.headers({ vary: 'Authorization, SIGN-IN-WITH-X', 'cache-control': caching }).send(changes);
  }
}
