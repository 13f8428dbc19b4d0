import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hostArgument } from '../http/arguments';
import { sendPublished } from '../http/published';
import { RateLimits } from '../http/rate-limits';
import { EvidenceFiles } from './evidence-files';

interface Asked {
  readonly Params: { readonly domain: string; readonly root: string; readonly index: string };
}

/** Behaviour 7.15: the evidence behind a report. Free, and counted apart from everything else a caller asks for. */
@Controller('api/v1/hosts/:domain/evidence/:root')
export class EvidenceController {
  constructor(
    @Inject(EvidenceFiles) private readonly files: EvidenceFiles,
    @Inject(RateLimits) private readonly limits: RateLimits,
  ) {}

  @Get()
  async bundle(@Req() request: FastifyRequest<Asked>, @Res() reply: FastifyReply): Promise<void> {
    const { domain, root } = request.params;
    const host = hostArgument(domain);
    await this.limits.countEvidence(request, reply);
    await sendPublished(reply, await this.files.bundle(host, root));
  }

  @Get(':index')
  async line(@Req() request: FastifyRequest<Asked>, @Res() reply: FastifyReply): Promise<void> {
    const { domain, root, index } = request.params;
    const host = hostArgument(domain);
    await this.limits.countEvidence(request, reply);
    await sendPublished(reply, await this.files.line(host, root, index));
  }
}
