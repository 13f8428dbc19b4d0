import { Controller, Delete, Get, Header, HttpCode, Inject, Param, Post, Req, Res } from '@nestjs/common';
import type { HostName } from '@app/hosts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bearerKey } from '../http/bearer';
import { HostNamePipe } from '../http/host-name.pipe';
import { RateLimits } from '../http/rate-limits';
import type { ClaimState, NewClaim } from './claim-state';
import { Claims } from './claims';
import { OwnerProbes, type OwnerProbe } from './owner-probes';

const PRIVATE = ['cache-control', 'private, no-store'] as const;

/** Behaviour 17: claims of hosts, without accounts. The key of a claim is all that shows whose it is. */
@Controller('api/v1')
export class ClaimsController {
  constructor(
    @Inject(Claims) private readonly claims: Claims,
    @Inject(OwnerProbes) private readonly probes: OwnerProbes,
    @Inject(RateLimits) private readonly limits: RateLimits,
  ) {}

  /** @throws {RequestError} 429 `rate_limited`, and as {@link Claims.begin} */
  @Post('hosts/:domain/claims')
  @HttpCode(200)
  @Header(...PRIVATE)
  async begin(
    @Param('domain', HostNamePipe) host: HostName,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<NewClaim> {
    await this.limits.countClaim(request, reply);
    return this.claims.begin(host, request.ip);
  }

  /** @throws as {@link Claims.show} */
  @Get('claims/:id')
  @Header(...PRIVATE)
  show(@Param('id') id: string, @Req() request: FastifyRequest): Promise<ClaimState> {
    return this.claims.show(id, bearerKey(request), request);
  }

  /** @throws as {@link Claims.rotate} */
  @Post('claims/:id/rotate')
  @HttpCode(200)
  @Header(...PRIVATE)
  rotate(@Param('id') id: string, @Req() { headers }: FastifyRequest): Promise<NewClaim> {
    return this.claims.rotate(id, bearerKey({ headers }));
  }

  /** @throws as {@link OwnerProbes.begin} */
  @Post('claims/:id/probe')
  @HttpCode(202)
  @Header(...PRIVATE)
  probe(
    @Param('id') id: string,
    @Req() { headers }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<OwnerProbe> {
    return this.probes.begin(id, bearerKey({ headers }), reply);
  }

  /** @throws as {@link Claims.end} */
  @Delete('claims/:id')
  @Header(...PRIVATE)
  end(@Param('id') id: string, @Req() { headers }: FastifyRequest): Promise<ClaimState> {
    return this.claims.end(id, bearerKey({ headers }));
  }
}
