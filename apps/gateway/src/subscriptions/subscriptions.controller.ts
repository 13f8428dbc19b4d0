import { Controller, Delete, Get, Header, HttpCode, Inject, Param, Post, Res } from '@nestjs/common';
import type { ProofReading } from '@app/payments';
import type { HostName } from '@app/reports';
import type { FastifyReply } from 'fastify';
import { HostNamePipe } from '../http/host-name.pipe';
import { Proof } from '../http/proof.decorator';
import { sendSale } from '../http/sale-response';
import { Shop } from '../paywall/shop';
import type { Credential } from './credential';
import { SubscriberCredential } from './credential.decorator';
import { SubscriptionSale } from './subscription-sale';
import type { SubscriptionState } from './subscription-state';
import { SubscriptionsService } from './subscriptions.service';

/** Subscriptions of an origin (contract 5): buy one, see it, end it. */
@Controller('api/v1/hosts/:domain/subscription')
export class SubscriptionsController {
  constructor(
    @Inject(Shop) private readonly shop: Shop,
    @Inject(SubscriptionSale) private readonly sale: SubscriptionSale,
    @Inject(SubscriptionsService) private readonly subscriptions: SubscriptionsService,
  ) {}

  @Post()
  @HttpCode(200)
  async subscribe(
    @Param('domain', HostNamePipe) host: HostName,
    @Proof() proof: ProofReading | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const args = { host, proof };
    sendSale(reply, await this.sale.withKey(await this.shop.buy(this.sale, args, proof), args));
  }

  @Get()
  @Header('cache-control', 'private, no-store')
  show(
    @Param('domain', HostNamePipe) host: HostName,
    @SubscriberCredential() credential: Credential | undefined,
  ): Promise<SubscriptionState> {
    return this.subscriptions.state(host, credential);
  }

  @Delete()
  @Header('cache-control', 'private, no-store')
  revoke(
    @Param('domain', HostNamePipe) host: HostName,
    @SubscriberCredential() credential: Credential | undefined,
  ): Promise<SubscriptionState> {
    return this.subscriptions.revoke(host, credential);
  }
}
