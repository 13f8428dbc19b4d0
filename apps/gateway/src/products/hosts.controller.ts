import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { publishedJson, sendPublished } from '../http/published';
import { RateLimits } from '../http/rate-limits';
import { PayableHostsList } from '../reports/payable-hosts';
import { hostsSearch } from './find-payable';

const CACHED = 'public, max-age=30';

/** Behaviour 7.12: the tool `find_payable` as a route. Free, and counted with the checks of a caller. */
@Controller('api/v1/hosts')
export class HostsController {
  constructor(
    @Inject(PayableHostsList) private readonly payable: PayableHostsList,
    @Inject(RateLimits) private readonly limits: RateLimits,
  ) {}

  @Get()
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const search = hostsSearch(request.query);
    await this.limits.countCheck(request, reply);
    const list = publishedJson(await this.payable.find(...search));
    await sendPublished(reply, { ...list, headers: { ...list.headers, 'cache-control': CACHED } });
  }
}
