import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import { RunRepository } from '@app/storage';
import { orderOf } from '@app/queue';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hostArgument } from '../http/arguments';
import { RunEvents } from './run-events';

interface Asked {
  readonly Params: { readonly domain: string; readonly id: string };
}

/** Behaviour 3.14: the full probe of a host that is under way, and its progress. Free. */
@Controller('api/v1')
export class RunController {
  constructor(
    @Inject(RunRepository) private readonly runs: RunRepository,
    @Inject(RunEvents) private readonly events: RunEvents,
  ) {}

  @Get('hosts/:domain/run')
  async underWay(@Req() { params }: FastifyRequest<Asked>, @Res() reply: FastifyReply): Promise<void> {
    const host = hostArgument(params.domain);
    const run = await this.runs.underWay(orderOf({ kind: 'host', host }).subject);
    const shown = run && { id: run.id, status: run.status, events: `/api/v1/runs/${run.id}/events` };
    void reply.header('cache-control', 'no-store').send({ run: shown ?? null });
  }

  @Get('runs/:id/events')
  async progress(@Req() { params, ip }: FastifyRequest<Asked>, @Res() reply: FastifyReply): Promise<void> {
    const events = await this.events.follow(params.id, ip);
    void reply
      .headers({ 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' })
      .send(events);
  }
}
