import { Controller, Get, Inject, Res } from '@nestjs/common';
import { Database, PulseRepository } from '@app/persistence';
import type { FastifyReply } from 'fastify';
import { FacilitatorHealth, type PartState } from './facilitator-health';

/** For load balancers and for `npm start`: alive without asking anybody, ready when the parts answer. */
@Controller('health')
export class HealthController {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(PulseRepository) private readonly pulses: PulseRepository,
    @Inject(FacilitatorHealth) private readonly facilitator: FacilitatorHealth,
  ) {}

  @Get('live')
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** 200 while free reports can be served; without a worker or a facilitator only paid answers are missing: `degraded`. */
  @Get('ready')
  async ready(@Res() reply: FastifyReply): Promise<void> {
    const parts = await this.parts();
    const ready = parts.database === 'up';
    await reply
      .status(ready ? 200 : 503)
      .header('cache-control', 'no-store')
      .send({ status: !ready ? 'down' : Object.values(parts).includes('down') ? 'degraded' : 'ok', parts });
  }

  private async parts(): Promise<Readonly<Record<'database' | 'worker' | 'facilitator', PartState>>> {
    const facilitator = this.facilitator.state();
    try {
      await this.database.pool.query('SELECT 1');
      const worker = (await this.pulses.capacity()) > 0 ? 'up' : 'down';
      return { database: 'up', worker, facilitator: await facilitator };
    } catch {
      return { database: 'down', worker: 'down', facilitator: await facilitator };
    }
  }
}
