import { Body, Controller, Get, Headers, HttpCode, Inject, Ip, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { DetectorId } from '@app/detectors';
import type { ProofReading } from '@app/payments';
import type { HostName } from '@app/reports';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DetectorIdPipe } from '../http/detector-id.pipe';
import { HostNamePipe } from '../http/host-name.pipe';
import { Proof } from '../http/proof.decorator';
import { sendSale } from '../http/sale-response';
import { HostPages } from '../pages/host/host-pages';
import { sendCacheable } from '../pages/layout/page-response';
import { prefersMarkdown } from '../pages/markdown/accepts-markdown';
import { MARKDOWN_HEADERS } from '../pages/markdown/markdown-headers';
import type { PaidOperation } from '../paywall/paid-operation';
import { preferredWaitMs } from '../probes/free-presence';
import type { Credential } from '../subscriptions/credential';
import { SubscriberCredential } from '../subscriptions/credential.decorator';
import { SubscriberShop, type Asker } from '../subscriptions/subscriber-shop';
import { BatchRefresh } from './batch-refresh';
import { ChangeHistory } from './change-history';
import { HostRefresh, ProtocolRefresh } from './host-refresh';
import { HostReportsService, type HistoryQuery } from './host-reports.service';
import { sendReport } from './plain-reads';

/** Endpoints 1 to 5 of spec 4. */
@Controller('api/v1/hosts')
export class HostsController {
  constructor(
    @Inject(HostReportsService) private readonly reports: HostReportsService,
    @Inject(ChangeHistory) private readonly history: ChangeHistory,
    @Inject(SubscriberShop) private readonly shop: SubscriberShop,
    @Inject(HostRefresh) private readonly hostRefresh: HostRefresh,
    @Inject(ProtocolRefresh) private readonly protocolRefresh: ProtocolRefresh,
    @Inject(BatchRefresh) private readonly batch: BatchRefresh,
    @Inject(HostPages) private readonly pages: HostPages,
  ) {}

  @Get(':domain')
  async report(
    @Param('domain', HostNamePipe) host: HostName,
    @Query('refresh') refresh: string | readonly string[] | undefined,
    @Headers('prefer') prefer: string | undefined,
    @Headers('accept') accept: string | undefined,
    @Ip() caller: string,
    @Proof() proof: ProofReading | undefined,
    @SubscriberCredential() credential: Credential | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (refresh === '1' || (Array.isArray(refresh) && refresh.includes('1'))) {
      await this.serve(this.hostRefresh, { host, viaReport: true }, { proof, credential }, reply);
      return;
    }
    if (prefersMarkdown(accept)) {
      sendCacheable(request, reply, await this.pages.markdown(host, caller, preferredWaitMs(prefer)), MARKDOWN_HEADERS);
      return;
    }
    sendReport(request, reply, await this.reports.lookUp(host, caller, preferredWaitMs(prefer)));
  }

  @Get(':domain/refresh')
  async refresh(
    @Param('domain', HostNamePipe) host: HostName,
    @Proof() proof: ProofReading | undefined,
    @SubscriberCredential() credential: Credential | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.serve(this.hostRefresh, { host }, { proof, credential }, reply);
  }

  @Get(':domain/changes')
  async changes(
    @Param('domain', HostNamePipe) host: HostName,
    @Query() query: HistoryQuery,
    @SubscriberCredential() credential: Credential | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const caching = credential ? 'private, no-store' : 'public, max-age=30';
    const changes = await this.history.read(host, credential, query);
    void reply.headers({ vary: 'Authorization, SIGN-IN-WITH-X', 'cache-control': caching }).send(changes);
  }

  @Get(':domain/protocols/:protocol/refresh')
  async refreshProtocol(
    @Param('domain', HostNamePipe) host: HostName,
    @Param('protocol', DetectorIdPipe) protocol: DetectorId,
    @Proof() proof: ProofReading | undefined,
    @SubscriberCredential() credential: Credential | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.serve(this.protocolRefresh, { host, protocol }, { proof, credential }, reply);
  }

  @Post('refresh')
  @HttpCode(200)
  async refreshBatch(
    @Body() body: unknown,
    @Proof() proof: ProofReading | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.serve(this.batch, this.batch.parse(body), { proof, credential: undefined }, reply);
  }

  private async serve<Args>(
    operation: PaidOperation<Args>,
    args: Args,
    asker: Asker,
    reply: FastifyReply,
  ): Promise<void> {
    sendSale(reply, await this.shop.serve(operation, args, asker, reply));
  }
}
