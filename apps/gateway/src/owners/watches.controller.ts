import { Controller, Delete, Get, Header, HttpCode, Inject, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bearerKey } from '../http/bearer';
import { publishedJson, sendPublished } from '../http/published';
import { RateLimits } from '../http/rate-limits';
import type { RotatedWatch, WatchState } from './watch-state';
import { Watches } from './watches';

/** Where the keys that verify alerts are. */
export const WEBHOOK_KEYS_PATH = '/.well-known/hostprobe-webhook-keys.json';

const PRIVATE = ['cache-control', 'private, no-store'] as const;

/** Behaviour 19.8: watches that there are, each with a key of its own; products/watch.controller.ts begins them. */
@Controller()
export class WatchesController {
  constructor(
    @Inject(Watches) private readonly watches: Watches,
    @Inject(RateLimits) private readonly limits: RateLimits,
  ) {}

  /** @throws as {@link Watches.show} */
  @Get('api/v1/watches/:id')
  @Header(...PRIVATE)
  show(@Param('id') id: string, @Req() request: FastifyRequest): Promise<WatchState> {
    return this.watches.show(id, bearerKey(request));
  }

  /** @throws as {@link Watches.end} */
  @Delete('api/v1/watches/:id')
  @Header(...PRIVATE)
  end(@Param('id') id: string, @Req() request: FastifyRequest): Promise<WatchState> {
    return this.watches.end(id, bearerKey(request));
  }

  /** @throws as {@link Watches.rotate} */
  @Post('api/v1/watches/:id/rotate')
  @HttpCode(200)
  @Header(...PRIVATE)
  rotate(@Param('id') id: string, @Req() request: FastifyRequest): Promise<RotatedWatch> {
    return this.watches.rotate(id, bearerKey(request));
  }

  /** @throws {RequestError} 429 `rate_limited`, and as {@link Watches.replay} */
  @Post('api/v1/watches/:id/deliveries/:delivery/replay')
  @HttpCode(200)
  @Header(...PRIVATE)
  async replay(
    @Param('id') id: string,
    @Param('delivery') delivery: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<WatchState> {
    await this.limits.countWatch(request, reply);
    return this.watches.replay(id, bearerKey(request), delivery);
  }

  @Get(WEBHOOK_KEYS_PATH)
  async keys(@Res() reply: FastifyReply): Promise<void> {
    await sendPublished(reply, publishedJson(await this.watches.keySet(), 'application/jwk-set+json'));
  }
}
