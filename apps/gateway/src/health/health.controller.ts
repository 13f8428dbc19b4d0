import { Controller, Get, Inject, Res } from '@nestjs/common';
import { Database, PulseRepository } from '@app/persistence';
import type { ProbeProducer, ProbeQueue } from '@app/queue';
import type { FastifyReply } from 'fastify';
import { Drain } from '../shutdown/drain';
import { FacilitatorHealth, type PartState } from './facilitator-health';

/** Token of the gateway's side of the queues. */
export const PROBE_PRODUCERS = Symbol('PROBE_PRODUCERS');
export type ProbeProducers = Readonly<Record<ProbeQueue, Pick<ProbeProducer, 'counts'>>>;

type Parts = Readonly<Record<'database' | 'queue' | 'worker' | 'facilitator', PartState>>;

/** For load balancers and for `npm start`: alive without asking anybody, ready when the parts answer. */
@Controller('health')
export class HealthController {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(PulseRepository) private readonly pulses: PulseRepository,
    @Inject(FacilitatorHealth) private readonly facilitator: FacilitatorHealth,
    @Inject(PROBE_PRODUCERS) private readonly producers: Pick<ProbeProducers, 'live'>,
    @Inject(Drain) private readonly drain: Drain,
  ) {}

  @Get('live')
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** 200 while free reports can be served; without a worker or a facilitator only paid answers are missing: `degraded`. */
  @Get('ready')
  async ready(@Res() reply: FastifyReply): Promise<void> {
    const { parts, status } = await this.state();
    await reply
      .status(status === 'down' || status === 'stopping' ? 503 : 200)
      .header('cache-control', 'no-store')
      .send({ status, parts });
  }

  /** Whether requests should be sent here. */
  async isReady(): Promise<boolean> {
    return !['down', 'stopping'].includes((await this.state()).status);
  }

  private async state(): Promise<{ readonly status: 'ok' | 'degraded' | 'down' | 'stopping'; readonly parts: Parts }> {
    const parts = await this.parts();
    if (this.drain.underWay) return { status: 'stopping', parts };
    if (parts.database !== 'up') return { status: 'down', parts };
    return { status: Object.values(parts).includes('down') ? 'degraded' : 'ok', parts };
  }

  private async parts(): Promise<Parts> {
    const [facilitator, queue] = [this.facilitator.state(), this.queue()];
    try {
      await this.database.pool.query('SELECT 1');
      const worker = (await this.pulses.capacity()) > 0 ? 'up' : 'down';
      return { database: 'up', queue: await queue, worker, facilitator: await facilitator };
    } catch {
      return { database: 'down', queue: await queue, worker: 'down', facilitator: await facilitator };
    }
  }

  private async queue(): Promise<PartState> {
    try {
      await this.producers.live.counts();
      return 'up';
    } catch {
      return 'down';
    }
  }
}
