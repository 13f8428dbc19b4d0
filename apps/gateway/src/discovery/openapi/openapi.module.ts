import { Controller, Get, Inject, Module, Res, type DynamicModule } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { API_DOCUMENT, type OpenApiDocument } from '../../routes/openapi-document';
import { publishedJson, sendPublished, type Published } from '../../http/published';
import { INSTALLATION, type Installation } from '../../products/installation';
import { DOCUMENT_PATHS } from './document';

@Controller()
class OpenApiController {
  private readonly published: Published;

  constructor(@Inject(API_DOCUMENT) document: OpenApiDocument) {
    this.published = publishedJson(document);
  }

  @Get([...DOCUMENT_PATHS])
  document(@Res() reply: FastifyReply): Promise<void> {
    return sendPublished(reply, this.published);
  }
}

/** Serves the OpenAPI document; made once, when the gateway starts. */
@Module({ controllers: [OpenApiController] })
export class OpenApiModule {
  /** @param documentOf puts it together: no feature knows all the others */
  static serving(documentOf: (installation: Installation) => OpenApiDocument): DynamicModule {
    return {
      module: OpenApiModule,
      global: true, // a page shows it
      providers: [{ provide: API_DOCUMENT, useFactory: documentOf, inject: [INSTALLATION] }],
      exports: [API_DOCUMENT],
    };
  }
}
