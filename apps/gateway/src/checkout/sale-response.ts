import { encodePaymentResponseHeader } from '@x402/core/http';
import type { SettleResponse } from '@x402/core/types';
import { firstVersionBody, firstVersionNetwork, type PaymentRequired, type Settlement } from '@app/payments';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorFilter } from '../http/error.filter';
import type { ErrorResponse } from '../http/error-response';
import { PRIVATE } from '../http/published';
import { isSale, type Answer, type Sale } from './release';

/** Sends the paid answer, or the 402 challenge. */
export function sendAnswer(
  answer: Answer,
  request: FastifyRequest,
  reply: FastifyReply,
  errors: Pick<ErrorFilter, 'send'>,
): void {
  if (!isSale(answer)) errors.send(challengeResponse(answer, request), request, reply);
  else void reply.type('application/json; charset=utf-8').headers(saleHeaders(answer)).send(answer.body);
}

/** The headers of a paid answer: its receipt, and a ban on caching. */
export function saleHeaders(sale: Sale): Readonly<Record<string, string>> {
  return {
    ...PRIVATE,
    ...(sale.settlement ? receiptHeaders({ success: true, ...sale.settlement }, sale.x402Version) : {}),
    ...(sale.statement === undefined ? {} : { 'hostprobe-statement': sale.statement }),
    ...(sale.location === undefined ? {} : { location: sale.location }),
    ...(sale.replayed ? { 'idempotent-replayed': 'true' } : {}),
  };
}

/** The 402 in the x402 version of the request. */
export function challengeResponse(
  { challenge, failed }: PaymentRequired,
  request: Pick<FastifyRequest, 'headers' | 'query'>,
): ErrorResponse {
  const { body, header, text } = challenge;
  const version = wantsFirstVersion(request) ? 1 : 2;
  const receipt = failed && receiptHeaders({ success: false, errorReason: failed.reason, ...failed }, version);
  return {
    status: 402,
    ...(version === 1 ? { body: { ...firstVersionBody(body) } } : { body: { ...body }, text }),
    headers: { 'payment-required': header, ...receipt },
  };
}

/**
 * Version 1 clients read the body and reject one of version 2. A client counts as version 1 if it asks for that version
 * or sent a version 1 payment. The header always has version 2: clients that know it read it first.
 */
function wantsFirstVersion({ headers, query }: Pick<FastifyRequest, 'headers' | 'query'>): boolean {
  if (headers['x-402-version'] === '1' || (query as { x402Version?: unknown }).x402Version === '1') return true;
  return headers['x-payment'] !== undefined && headers['payment-signature'] === undefined;
}

/** What the payer learns about the outcome of a payment. */
type Receipt =
  | ({ readonly success: true } & Settlement)
  | { readonly success: false; readonly errorReason: string; readonly network: string; readonly payer: string };

/** `PAYMENT-RESPONSE` and, for version 1, also `X-PAYMENT-RESPONSE` with the network name of that version. */
function receiptHeaders(receipt: Receipt, version: 1 | 2): Readonly<Record<string, string>> {
  const current = { 'payment-response': encodePaymentResponseHeader(receiptOf(receipt)) };
  if (version === 2) return current;
  const first = receiptOf({ ...receipt, network: firstVersionNetwork(receipt.network) });
  return { ...current, 'x-payment-response': encodePaymentResponseHeader(first) };
}

/**
 * The receipt as x402 defines it. It has known fields only, because a facilitator's own messages may contain internals.
 */
export function receiptOf(receipt: Receipt): SettleResponse {
  const known = { network: receipt.network as `${string}:${string}`, payer: receipt.payer };
  if (!receipt.success) return { ...known, success: false, transaction: '', errorReason: receipt.errorReason };
  const { transaction, extensions } = receipt;
  return { ...known, success: true, transaction, ...(extensions ? { extensions: { ...extensions } } : {}) };
}
