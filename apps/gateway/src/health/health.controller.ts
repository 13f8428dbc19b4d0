import { Controller, Get, Inject, Res } from '@nestjs/common';
import { Database, PulseRepository } from '@app/persistence';
import type { FastifyReply } from 'fastify';

/** For load balancers and for `npm start`: alive without asking anybody, ready when the parts answer. */
@Controller('health')
export class HealthController {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(PulseRepository) private readonly pulses: PulseRepository,
  ) {}

  @Get('live')
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** 200 while free reports can be served; without a worker only live looks are missing, which is `degraded`. */
  @Get('ready')
  async ready(@Res() reply: FastifyReply): Promise<void> {
    const parts = await this.parts();
    const ready = parts.database === 'up';
    await reply
      .status(ready ? 200 : 503)
      .header('cache-control', 'no-store')
      .send({ status: !ready ? 'down' : parts.worker === 'up' ? 'ok' : 'degraded', parts });
  }

  private async parts(): Promise<{ database: 'up' | 'down'; worker: 'up' | 'down' }> {
    try {
      await this.database.pool.query('SELECT 1');
      return { database: 'up', worker: (await this.pulses.capacity()) > 0 ? 'up' : 'down' };
    } catch {
      return { database: 'down', worker: 'down' };
    }
  }
}
