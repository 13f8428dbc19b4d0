import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { RequestError } from '../http/request-error';
import { openApiDocument } from '../openapi/document';
import { apiCatalog } from './api-catalog';
import { INSTALLATION, type Installation } from './installation';
import { PATHS } from './links';
import { llmsText } from './llms-text';
import { mcpManifest, mcpServerCard } from './mcp-manifest';
import { published, publishedJson, sendPublished, type Published } from './published';
import { ROBOTS_TEXT } from './robots-text';
import { securityText } from './security-text';
import { x402Manifest } from './x402-manifest';

const TEXT = 'text/plain; charset=utf-8';

/** The documents by which software finds this service; made once, when the gateway starts. */
@Controller()
export class DiscoveryController {
  private readonly documents: Readonly<
    Record<'openApi' | 'llms' | 'x402' | 'mcp' | 'serverCard' | 'catalogue' | 'robots', Published>
  >;

  constructor(@Inject(INSTALLATION) private readonly installation: Installation) {
    this.documents = {
      openApi: publishedJson(openApiDocument(installation)),
      llms: published(TEXT, llmsText(installation)),
      x402: publishedJson(x402Manifest(installation)),
      mcp: publishedJson(mcpManifest(installation)),
      serverCard: publishedJson(mcpServerCard(installation)),
      catalogue: publishedJson(
        apiCatalog(installation),
        'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
      ),
      robots: published(TEXT, ROBOTS_TEXT),
    };
  }

  @Get([PATHS.openApi, `/.well-known${PATHS.openApi}`])
  openApi(@Res() reply: FastifyReply): void {
    sendPublished(reply, this.documents.openApi);
  }

  @Get(PATHS.llms)
  llms(@Res() reply: FastifyReply): void {
    sendPublished(reply, this.documents.llms);
  }

  @Get(PATHS.x402)
  x402(@Res() reply: FastifyReply): void {
    sendPublished(reply, this.documents.x402);
  }

  @Get(PATHS.mcp)
  mcp(@Res() reply: FastifyReply): void {
    sendPublished(reply, this.documents.mcp);
  }

  @Get(PATHS.serverCard)
  serverCard(@Res() reply: FastifyReply): void {
    sendPublished(reply, this.documents.serverCard);
  }

  @Get(PATHS.catalogue)
  catalogue(@Res() reply: FastifyReply): void {
    sendPublished(reply, this.documents.catalogue);
  }

  @Get(PATHS.robots)
  robots(@Res() reply: FastifyReply): void {
    sendPublished(reply, this.documents.robots);
  }

  /** Not made once: it must not expire. */
  @Get(PATHS.security)
  security(@Res() reply: FastifyReply): void {
    const text = securityText(this.installation, new Date());
    if (text === undefined) throw new RequestError(404, 'not_found', 'the operator of this service names no contact');
    sendPublished(reply, published(TEXT, text));
  }
}
