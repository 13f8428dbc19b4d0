import { isPaymentPayloadV2, isPaymentRequirementsV2 } from '@x402/core/schemas';
import type { FacilitatorClient } from '@x402/core/server';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import fastify from 'fastify';

export interface EmbeddedFacilitator {
  /** Base URL for X402_FACILITATOR_URL. */
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** Even a payment that echoes every extension is smaller than 8 KB. */
const MAX_BODY_BYTES = 65_536;

interface PaymentToJudge {
  readonly paymentPayload: PaymentPayload;
  readonly paymentRequirements: PaymentRequirements;
}

/**
 * Serves a facilitator over HTTP on a free port of 127.0.0.1 with the x402 facilitator interface: GET /supported,
 * POST /verify, POST /settle (https://github.com/x402-foundation/x402, specs/x402-specification-v2.md).
 * @param keep saves a settlement to disk before the response confirms it
 */
export async function startFacilitator(
  facilitator: FacilitatorClient,
  keep: () => Promise<void> = () => Promise.resolve(),
): Promise<EmbeddedFacilitator> {
  const server = fastify({ bodyLimit: MAX_BODY_BYTES, forceCloseConnections: true });
  server.get('/supported', () => facilitator.getSupported());
  server.post('/verify', async ({ body }, reply) => {
    const payment = parsePayment(body);
    if (!payment) return reply.code(400).send({ isValid: false, invalidReason: 'invalid_payload' });
    return facilitator.verify(payment.paymentPayload, payment.paymentRequirements);
  });
  server.post('/settle', async ({ body }, reply) => {
    const payment = parsePayment(body);
    if (payment) {
      const settled = await facilitator.settle(payment.paymentPayload, payment.paymentRequirements);
      await keep();
      return settled;
    }
    const failure = { success: false, errorReason: 'invalid_payload', transaction: '', network: 'eip155:0' };
    return reply.code(400).send(failure);
  });
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  return { url, stop: () => server.close() };
}

function parsePayment(body: unknown): PaymentToJudge | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  if (!('paymentPayload' in body) || !('paymentRequirements' in body)) return undefined;
  const { paymentPayload, paymentRequirements } = body;
  if (!isPaymentPayloadV2(paymentPayload) || !isPaymentRequirementsV2(paymentRequirements)) return undefined;
  return { paymentPayload, paymentRequirements } as PaymentToJudge;
}
