import { Controller, Get, Inject, Res } from '@nestjs/common';
import { DIRECTORY_PATH, PROBER_PATH, ProberIdentity } from '@app/identity';
import type { FastifyReply } from 'fastify';
import { PAGE_HEADERS } from '../pages/layout/page-response';
import { proberPage, type ProberFacts } from './prober-page';

/** Injection token of {@link ProberFacts}. */
export const PROBER_FACTS = Symbol('ProberFacts');

const CACHED = 'public, max-age=3600';

/** Who the prober is, for owners of hosts and for verifiers of its signatures. */
@Controller()
export class ProberController {
  constructor(
    @Inject(ProberIdentity) private readonly identity: ProberIdentity,
    @Inject(PROBER_FACTS) private readonly facts: ProberFacts,
  ) {}

  @Get(DIRECTORY_PATH)
  async directory(@Res() reply: FastifyReply): Promise<void> {
    const { body, headers } = await this.identity.directory();
    // A Buffer, because the framework adds a charset to text and this media type has none.
    void reply.headers(headers).send(Buffer.from(body));
  }

  @Get(PROBER_PATH)
  page(@Res() reply: FastifyReply): void {
    void reply.headers({ ...PAGE_HEADERS, 'cache-control': CACHED }).send(proberPage(this.facts));
  }

  @Get(`${PROBER_PATH}/egress.json`)
  egress(@Res() reply: FastifyReply): void {
    void reply.header('cache-control', CACHED).send({ prefixes: this.facts.egress });
  }
}
