import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RequestError } from '../http/request-error';
import { apiCatalog } from './api-catalog';
import { ardManifest } from './ard-manifest';
import { INSTALLATION, type Installation } from '../products/installation';
import { PATHS } from '../http/paths';
import { llmsText } from './llms-text';
import { mcpManifest, mcpServerCard } from './mcp-manifest';
import { published, publishedJson, sendPublished, type Published } from '../http/published';
import { securityText } from './security-text';
import { x402Manifest } from './x402-manifest';

const TEXT = 'text/plain; charset=utf-8';

/** `/robots.txt` (RFC 9309): everything may be read; what costs money asks for it. */
const ROBOTS_TEXT = 'User-agent: *\nAllow: /\n';

/** What is served where. */
const DOCUMENTS: Readonly<Record<string, (site: Installation) => Published>> = {
  [PATHS.llms]: (site) => published(TEXT, llmsText(site)),
  [PATHS.x402]: (site) => publishedJson(x402Manifest(site)),
  [PATHS.mcp]: (site) => publishedJson(mcpManifest(site)),
  [PATHS.serverCard]: (site) => publishedJson(mcpServerCard(site)),
  [PATHS.catalogue]: (site) =>
    publishedJson(apiCatalog(site), 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'),
  [PATHS.ard]: (site) => publishedJson(ardManifest(site)),
  [PATHS.robots]: () => published(TEXT, ROBOTS_TEXT),
};

/** The documents by which software finds this service; made once, when the gateway starts. */
@Controller()
export class DiscoveryController {
  private readonly documents: ReadonlyMap<string | undefined, Published>;

  constructor(@Inject(INSTALLATION) private readonly installation: Installation) {
    this.documents = new Map(Object.entries(DOCUMENTS).map(([path, make]) => [path, make(installation)]));
  }

  @Get(Object.keys(DOCUMENTS))
  document(@Req() { routeOptions }: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const document = this.documents.get(routeOptions.url);
    if (document === undefined) throw new Error('every route of this handler has a document');
    return sendPublished(reply, document);
  }

  /** Not made once: it must not expire. */
  @Get(PATHS.security)
  security(@Res() reply: FastifyReply): Promise<void> {
    const text = securityText(this.installation, new Date());
    if (text === undefined) throw new RequestError('not_found', 'the operator of this service names no contact');
    return sendPublished(reply, published(TEXT, text));
  }
}
