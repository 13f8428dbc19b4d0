import { Controller, Get, Inject, Res } from '@nestjs/common';
import { within, Failures } from '@app/platform';
import type { FastifyReply } from 'fastify';
import { Drain } from './drain';
import { HEALTH_PARTS, type HealthParts, type PartState } from './health-parts';

/** A part that does not answer in this time is `down`, in milliseconds: load balancers wait for a second (behaviour 13.6). */
const PATIENCE_MS = 800;

type States = Readonly<Record<keyof HealthParts, PartState>>;

/** For load balancers and for `npm start`: alive without a request to any part, ready when the parts answer. */
@Controller('health')
export class HealthController {
  private readonly failed: (error: unknown) => void;

  constructor(
    @Inject(HEALTH_PARTS) private readonly parts: HealthParts,
    private readonly drain: Drain,
    failures: Failures,
  ) {
    this.failed = failures.of('health', 'a health check failed');
  }

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

  private async state(): Promise<{ readonly status: 'ok' | 'degraded' | 'down' | 'stopping'; readonly parts: States }> {
    const asked = Object.entries(this.parts).map(async ([name, ask]) => [name, await this.stateOf(ask)] as const);
    const parts = Object.fromEntries(await Promise.all(asked)) as States;
    if (this.drain.underWay) return { status: 'stopping', parts };
    if (parts.database !== 'up') return { status: 'down', parts };
    return { status: Object.values(parts).includes('down') ? 'degraded' : 'ok', parts };
  }

  private async stateOf(ask: HealthParts[keyof HealthParts]): Promise<PartState> {
    try {
      return await within(PATIENCE_MS, ask(), () => {
        throw new Error('it did not answer in time');
      });
    } catch (error) {
      this.failed(error);
      return 'down';
    }
  }
}
