import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RequestError } from '../http/request-error';
import { INSTALLATION, type Installation } from '../products/installation';
import { PATHS } from '../http/paths';
import { published, publishedJson, sendPublished, type Published } from '../http/published';
import { API_DOCUMENT, type OpenApiDocument } from '../routes/openapi-document';
import { DOCUMENTS, TEXT } from './documents';
import { DOCUMENT_PATHS } from './openapi/document';

/** The documents by which software finds this service; made once, when the gateway starts. */
@Controller()
export class DiscoveryController {
  private readonly documents: ReadonlyMap<string | undefined, Published>;

  constructor(
    @Inject(INSTALLATION) private readonly installation: Installation,
    @Inject(API_DOCUMENT) document: OpenApiDocument,
  ) {
    const openApi = publishedJson(document);
    this.documents = new Map([
      ...Object.entries(DOCUMENTS).map(([path, make]) => [path, make(installation)] as const),
      ...DOCUMENT_PATHS.map((path) => [path, openApi] as const),
    ]);
  }

  @Get([...Object.keys(DOCUMENTS), ...DOCUMENT_PATHS])
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

/** RFC 9116 recommends less than a year. */
const VALID_DAYS = 180;
const DAY_MS = 86_400_000;

/** `/.well-known/security.txt` (RFC 9116); undefined without a contact, which it must name. */
function securityText({ baseUrl, contact }: Installation, now: Date): string | undefined {
  if (contact === null) return undefined;
  const expires = new Date((Math.floor(now.getTime() / DAY_MS) + VALID_DAYS) * DAY_MS);
  return [
    `Contact: ${contact}`,
    `Expires: ${expires.toISOString()}`,
    'Preferred-Languages: en',
    `Canonical: ${baseUrl}${PATHS.security}`,
    '',
  ].join('\n');
}
