import { Controller, Get, Inject, Param, Query, Req, Res } from '@nestjs/common';
import type { ProofReading } from '@app/payments';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Proof } from '../http/proof.decorator';
import { sendSale } from '../http/sale-response';
import { RateLimits } from '../limits/rate-limits';
import type { PaidOperation } from '../paywall/paid-operation';
import { Shop } from '../paywall/shop';
import { ReceiptVerification } from '../receipts/receipt-verification';
import { EndpointHealthCheck } from './endpoint-health';
import { PayPreflightCheck } from './pay-preflight';
import { PayToOwnershipCheck } from './payto-check';

type Members = Readonly<Record<string, unknown>>;

/** Endpoints 7 to 10 of spec 4: the paid utility checks. 400, then 429, then 503, then 402 (contract 1). */
@Controller('api/v1')
export class ChecksController {
  constructor(
    @Inject(Shop) private readonly shop: Shop,
    @Inject(RateLimits) private readonly limits: RateLimits,
    @Inject(PayPreflightCheck) private readonly preflight: PayPreflightCheck,
    @Inject(EndpointHealthCheck) private readonly health: EndpointHealthCheck,
    @Inject(PayToOwnershipCheck) private readonly payTo: PayToOwnershipCheck,
    @Inject(ReceiptVerification) private readonly receipts: ReceiptVerification,
  ) {}

  @Get('hosts/:domain/pay-preflight')
  payPreflight(
    @Param('domain') domain: string,
    @Query() query: Members,
    @Proof() proof: ProofReading | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.serve(this.preflight, { ...query, domain }, proof, request, reply);
  }

  @Get('endpoints/health')
  endpointHealth(
    @Query() query: Members,
    @Proof() proof: ProofReading | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.serve(this.health, query, proof, request, reply);
  }

  @Get('hosts/:domain/payto-check')
  payToCheck(
    @Param('domain') domain: string,
    @Query() query: Members,
    @Proof() proof: ProofReading | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.serve(this.payTo, { ...query, domain }, proof, request, reply);
  }

  @Get('receipts/:tx/verify')
  verifyReceipt(
    @Param('tx') tx: string,
    @Query() query: Members,
    @Proof() proof: ProofReading | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.serve(this.receipts, { ...query, tx }, proof, request, reply);
  }

  private async serve<Args>(
    operation: PaidOperation<Args>,
    raw: Members,
    proof: ProofReading | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const args = operation.parse(raw);
    await this.limits.countCheck(request, reply);
    sendSale(reply, await this.shop.buy(operation, args, proof));
  }
}
