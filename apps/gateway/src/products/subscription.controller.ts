import { Controller, Delete, Get, Header, HttpCode, Inject, Param, Post, Req } from '@nestjs/common';
import { SubscriptionRepository } from '@app/storage';
import type { HostName } from '@app/hosts';
import type { FastifyRequest } from 'fastify';
import { credentialOf, walletOf } from '../checkout/credential';
import { Subscribers } from '../checkout/subscribers';
import { keyHash, randomKey } from '@app/owners';
import { HostNamePipe } from '../http/host-name.pipe';
import { RequestError } from '../http/request-error';
import { PRODUCT_DEPS, type ProductDeps } from './product-deps';
import { subscriptionState, type SubscriptionState } from './subscription-state';

/** What a subscriber may do with a subscription (behaviour 9.4), also with one that is over; subscription.ts sells it. */
@Controller('api/v1/hosts/:domain/subscription')
export class SubscriptionController {
  constructor(
    @Inject(Subscribers) private readonly subscribers: Subscribers,
    @Inject(SubscriptionRepository) private readonly subscriptions: SubscriptionRepository,
    @Inject(PRODUCT_DEPS) private readonly deps: ProductDeps,
  ) {}

  /** @throws as {@link Subscribers.find} */
  @Get()
  @Header('cache-control', 'private, no-store')
  async show(
    @Param('domain', HostNamePipe) host: HostName,
    @Req() { headers }: FastifyRequest,
  ): Promise<SubscriptionState> {
    return subscriptionState(await this.subscribers.find(host, credentialOf(headers)), this.deps, new Date());
  }

  /**
   * Draws a new key and ends the one there was, also one that a stranger has. Only for the wallet that paid: a key does not replace itself.
   * @throws as {@link Subscribers.active}
   */
  @Post('key')
  @HttpCode(200)
  @Header('cache-control', 'private, no-store')
  async changeKey(
    @Param('domain', HostNamePipe) host: HostName,
    @Req() { headers }: FastifyRequest,
  ): Promise<SubscriptionState & { readonly key: string }> {
    const credential = walletOf(headers);
    const found = credential
      ? await this.subscribers.active(host, credential)
      : await this.subscribers.find(host, undefined);
    const key = randomKey();
    const changed = await this.subscriptions.changeKey(found.id, keyHash(key) ?? '');
    if (!changed) throw new RequestError('subscription_revoked');
    return { ...subscriptionState(changed, this.deps, new Date()), key };
  }

  /** Ends it for good and for every key and wallet it has; doing so twice changes nothing. @throws as {@link show} */
  @Delete()
  @Header('cache-control', 'private, no-store')
  async revoke(
    @Param('domain', HostNamePipe) host: HostName,
    @Req() { headers }: FastifyRequest,
  ): Promise<SubscriptionState> {
    const found = await this.subscribers.find(host, credentialOf(headers));
    const revoked = await this.subscriptions.revoke(found.id);
    return subscriptionState(revoked ?? found, this.deps, new Date());
  }
}
