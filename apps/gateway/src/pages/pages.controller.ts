import { Controller, Get, Inject, Param, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { INSTALLATION, type Installation } from '../discovery/installation';
import { DISCOVERY_LINKS } from '../discovery/links';
import { hostArgument } from '../http/arguments';
import { RequestError } from '../http/request-error';
import { errorCodePage, errorIndexPage } from './errors/error-pages';
import { findAsset } from './layout/assets';
import { cacheable, PAGE_HEADERS, sendCacheable } from './layout/page-response';
import { paidThings } from './pricing/price-table';
import { pricingPage } from './pricing/pricing-page';
import { RecentHosts } from './start/recent-hosts';
import { startPage } from './start/start-page';

const START_SEC = 10;
const STATIC_SEC = 300;

/** The pages that are about no host in particular, and the files all pages load. */
@Controller()
export class PagesController {
  constructor(
    @Inject(INSTALLATION) private readonly site: Installation,
    @Inject(RecentHosts) private readonly recent: RecentHosts,
  ) {}

  @Get()
  async start(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { baseUrl, subscription } = this.site;
    const page = startPage({ recent: await this.recent.list(), prices: paidThings(subscription), baseUrl });
    sendCacheable(request, reply, cacheable(page, START_SEC), { ...PAGE_HEADERS, link: DISCOVERY_LINKS });
  }

  /** The search field, also without a script. */
  @Get('hosts')
  search(@Query('domain') domain: unknown, @Res() reply: FastifyReply): void {
    const path = typeof domain === 'string' && domain.trim() !== '' ? `/hosts/${hostArgument(domain).ascii}` : '/';
    void reply.redirect(path, 303);
  }

  @Get('pricing')
  pricing(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const { baseUrl, subscription } = this.site;
    sendCacheable(request, reply, cacheable(pricingPage(paidThings(subscription), baseUrl), STATIC_SEC));
  }

  @Get('errors')
  errors(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    sendCacheable(request, reply, cacheable(errorIndexPage(this.site.baseUrl), STATIC_SEC));
  }

  @Get('errors/:code')
  errorCode(@Param('code') code: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const page = errorCodePage(code, this.site.baseUrl);
    if (page === undefined) {
      throw new RequestError(
        404,
        'not_found',
        'this is no code of ours; with status 402 it is a word of the facilitator',
      );
    }
    sendCacheable(request, reply, cacheable(page, STATIC_SEC));
  }

  /** Kept for ever: another content has another name. */
  @Get('assets/:name')
  asset(@Param('name') name: string, @Res() reply: FastifyReply): void {
    const asset = findAsset(`/assets/${name}`);
    if (asset === undefined) throw new RequestError(404, 'not_found', 'there is no such file');
    void reply
      .headers({
        'content-type': asset.type,
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
      })
      .send(asset.content);
  }
}
