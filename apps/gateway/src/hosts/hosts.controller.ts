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
import { Shop } from '../paywall/shop';
import { preferredWaitMs } from '../probes/free-presence';
import type { Credential } from '../subscriptions/credential';
import { SubscriberCredential } from '../subscriptions/credential.decorator';
import { SubscriberLooks } from '../subscriptions/subscriber-looks';
import { Subscribers } from '../subscriptions/subscribers';
import { BatchRefresh } from './batch-refresh';
import { HostRefresh, ProtocolRefresh } from './host-refresh';
import { HostReportsService, type HistoryQuery } from './host-reports.service';
import { sendReport } from './plain-reads';

/** What came with a request for a live look. */
interface Asker {
  readonly proof: ProofReading | undefined;
  readonly credential: Credential | undefined;
}

/** Endpoints 1 to 5 of spec 4. */
@Controller('api/v1/hosts')
export class HostsController {
  constructor(
    @Inject(HostReportsService) private readonly reports: HostReportsService,
    @Inject(Shop) private readonly shop: Shop,
    @Inject(HostRefresh) private readonly hostRefresh: HostRefresh,
    @Inject(ProtocolRefresh) private readonly protocolRefresh: ProtocolRefresh,
    @Inject(BatchRefresh) private readonly batch: BatchRefresh,
    @Inject(Subscribers) private readonly subscribers: Subscribers,
    @Inject(SubscriberLooks) private readonly looks: SubscriberLooks,
    @Inject(HostPages) private readonly pages: HostPages,
  ) {}

  @Get(':domain')
  async report(
    @Param('domain', HostNamePipe) host: HostName,
    @Query('refresh') refresh: string | undefined,
    @Headers('prefer') prefer: string | undefined,
    @Headers('accept') accept: string | undefined,
    @Ip() caller: string,
    @Proof() proof: ProofReading | undefined,
    @SubscriberCredential() credential: Credential | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (refresh === '1') {
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
    void reply.header('vary', 'Authorization, SIGN-IN-WITH-X');
    if (!credential) {
      void reply.header('cache-control', 'public, max-age=30').send(await this.reports.changes(host));
      return;
    }
    await this.subscribers.active(host, credential);
    void reply.header('cache-control', 'private, no-store').send(await this.reports.history(host, query));
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
    sendSale(reply, await this.shop.buy(this.batch, this.batch.parse(body), proof));
  }

  /** A subscriber's look is included; everybody else buys it. */
  private async serve<Args extends { readonly host: HostName }>(
    operation: PaidOperation<Args>,
    args: Args,
    { proof, credential }: Asker,
    reply: FastifyReply,
  ): Promise<void> {
    const sale = credential
      ? await this.looks.take(args.host, credential, reply, operation.job(args))
      : await this.shop.buy(operation, args, proof);
    sendSale(reply, sale);
  }
}
