import { Controller, Get, Headers, Inject, Ip, Param, Query, Req, Res } from '@nestjs/common';
import type { HostName } from '@app/reports';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hostArgument, protocolArgument } from '../../http/arguments';
import { HostNamePipe } from '../../http/host-name.pipe';
import { RequestError } from '../../http/request-error';
import { badge } from '../badge/badge';
import { cacheable, PAGE_HEADERS, sendCacheable } from '../layout/page-response';
import { prefersMarkdown } from '../markdown/accepts-markdown';
import { MARKDOWN_HEADERS } from '../markdown/markdown-headers';
import { HostPages } from './host-pages';

const BADGE_SEC = 300;

/** A host in the forms that people and their programs read: page, Markdown, badge, feeds. */
@Controller()
export class HostPagesController {
  constructor(@Inject(HostPages) private readonly hosts: HostPages) {}

  /** One page has one address: `WWW.Shop.example.com` is sent on to `shop.example.com`. */
  @Get('hosts/:domain')
  async page(
    @Param('domain') asked: string,
    @Headers('accept') accept: string | undefined,
    @Ip() caller: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const host = hostArgument(asked);
    if (host.ascii !== asked) {
      void reply.redirect(`/hosts/${host.ascii}`, 301);
      return;
    }
    if (prefersMarkdown(accept)) {
      sendCacheable(request, reply, await this.hosts.markdown(host, caller), MARKDOWN_HEADERS);
      return;
    }
    sendCacheable(request, reply, await this.hosts.page(host, caller), { ...PAGE_HEADERS, vary: 'Accept' });
  }

  @Get('hosts/:domain/changes.atom')
  async atom(
    @Param('domain', HostNamePipe) host: HostName,
    @Ip() caller: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const feed = await this.hosts.atom(host, caller);
    sendCacheable(request, reply, feed, { 'content-type': 'application/atom+xml; charset=utf-8' });
  }

  @Get('hosts/:domain/changes.json')
  async jsonFeed(
    @Param('domain', HostNamePipe) host: HostName,
    @Ip() caller: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const feed = await this.hosts.jsonFeed(host, caller);
    sendCacheable(request, reply, feed, { 'content-type': 'application/feed+json; charset=utf-8' });
  }

  @Get('badge/:file')
  async badge(
    @Param('file') file: string,
    @Query('protocol') protocol: string | undefined,
    @Ip() caller: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (!file.endsWith('.svg')) throw new RequestError(404, 'not_found', 'badges end with .svg');
    const host = hostArgument(file.slice(0, -'.svg'.length));
    const one = protocol === undefined || protocol === '' ? undefined : protocolArgument(protocol);
    const image = badge(await this.hosts.report(host, caller), one, new Date());
    sendCacheable(request, reply, cacheable(image, BADGE_SEC), BADGE_HEADERS);
  }
}

/** An image from elsewhere may be opened by itself: then it loads and runs nothing. */
const BADGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'image/svg+xml; charset=utf-8',
  'content-security-policy': "default-src 'none'",
  'cross-origin-resource-policy': 'cross-origin',
  'x-content-type-options': 'nosniff',
};
