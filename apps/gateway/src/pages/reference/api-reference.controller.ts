import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { knowsTag } from '../../http/entity-tag';
import { PAGE_HEADERS, cacheable, sendCacheable } from '../layout/page-response';
import { API_REFERENCE_CSP, apiReferencePage } from './api-reference-page';
import { referenceScript } from './reference-script';

const DAY_SEC = 86_400;

/** The API reference: the OpenAPI document, made readable by a library that is served from here. */
@Controller('docs')
export class ApiReferenceController {
  @Get()
  page(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    sendCacheable(request, reply, cacheable(apiReferencePage(), 300), {
      ...PAGE_HEADERS,
      'content-security-policy': API_REFERENCE_CSP,
    });
  }

  @Get('reference.js')
  async script(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { plain, gzipped, etag } = await referenceScript();
    const zip = (request.headers['accept-encoding'] ?? '').includes('gzip');
    void reply.headers({
      'content-type': 'text/javascript; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': `public, max-age=${DAY_SEC}`,
      vary: 'Accept-Encoding',
      etag,
    });
    if (knowsTag(request.headers['if-none-match'], etag)) void reply.status(304).send();
    else if (zip) void reply.header('content-encoding', 'gzip').send(gzipped);
    else void reply.send(plain);
  }
}
