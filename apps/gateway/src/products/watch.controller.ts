import { Controller, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bearerKey } from '../http/bearer';
import { RateLimits } from '../http/rate-limits';
import { validated } from '../http/validated';
import { Watches } from '../owners/watches';
import { Sales } from './sales';
import { readWatch, watch, WatchInput } from './watch';

/** Behaviour 19.8 and 19.9: a watch begins with the key of an owner or a subscriber, which is free, or is bought. */
@Controller('api/v1/watches')
export class WatchController {
  constructor(
    @Inject(Watches) private readonly watches: Watches,
    @Inject(RateLimits) private readonly limits: RateLimits,
    @Inject(Sales) private readonly sales: Sales,
  ) {}

  /** A payment beside a key is neither needed nor taken. @throws {RequestError} 400, 429 `rate_limited`, and as {@link Watches.begin} */
  @Post()
  @HttpCode(200)
  async begin(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const key = bearerKey(request);
    if (key === '') {
      await this.sales.serve(watch, request, reply);
      return;
    }
    const wanted = readWatch(validated(WatchInput, request.body));
    await this.limits.countWatch(request, reply);
    const begun = await this.watches.begin(wanted, key);
    await reply.header('cache-control', 'private, no-store').send(begun);
  }
}
