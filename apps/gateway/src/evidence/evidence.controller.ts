import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hostArgument } from '../http/arguments';
import { sendPublished } from '../http/published';
import { RateLimits } from '../http/rate-limits';
import { RequestError } from '../http/request-error';
import { EvidenceFiles, FORMATS, type Format } from './evidence-files';

interface Asked {
  readonly Params: { readonly domain: string; readonly root: string; readonly index: string };
  readonly Querystring: { readonly format?: unknown };
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
    const { params, query } = request;
    const [host, format] = [hostArgument(params.domain), formatArgument(query.format)];
    await this.limits.countEvidence(request, reply);
    await sendPublished(reply, await this.files.bundle(host, params.root, format));
  }

  @Get(':index')
  async line(@Req() request: FastifyRequest<Asked>, @Res() reply: FastifyReply): Promise<void> {
    const { domain, root, index } = request.params;
    const host = hostArgument(domain);
    await this.limits.countEvidence(request, reply);
    await sendPublished(reply, await this.files.line(host, root, index));
  }
}

function formatArgument(raw: unknown): Format {
  const format = raw === undefined || raw === '' ? 'jsonl' : FORMATS.find((known) => known === raw);
  if (!format)
    throw new RequestError('bad_request', `format must be one of ${FORMATS.join(', ')}`, { allowed: FORMATS });
  return format;
}
