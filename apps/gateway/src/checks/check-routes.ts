import type { RouteDescription } from '@app/payments';
import { PAY_INTENTS } from '@app/reports';
import { DOMAIN, EVM_ADDRESS } from '../http/route-parameters';
import { HEALTH_METHODS } from './dto/endpoint-health.dto';
import { PAYTO_NETWORKS } from './dto/payto-check.dto';

/** How the paid checks are called, for directories (extension `bazaar`). */
export const PAY_PREFLIGHT: RouteDescription = {
  path: '/api/v1/hosts/:domain/pay-preflight',
  params: { domain: DOMAIN },
  query: { properties: { intent: { type: 'string', enum: PAY_INTENTS } } },
  answer: { sku: 'pay_preflight', data: { domain: 'shop.example.com', canPay: 'yes', blockers: [], warnings: [] } },
};

export const ENDPOINT_HEALTH: RouteDescription = {
  path: '/api/v1/endpoints/health',
  query: {
    properties: { url: { type: 'string', pattern: '^https://' }, method: { type: 'string', enum: HEALTH_METHODS } },
    required: ['url'],
  },
  answer: { sku: 'endpoint_health', data: { url: 'https://shop.example.com/api', up: true, statusCode: 402 } },
};

export const PAYTO_CHECK: RouteDescription = {
  path: '/api/v1/hosts/:domain/payto-check',
  params: { domain: DOMAIN },
  query: {
    properties: { address: EVM_ADDRESS, network: { type: 'string', enum: PAYTO_NETWORKS } },
    required: ['address'],
  },
  answer: { sku: 'payto_check', data: { domain: 'shop.example.com', verdict: 'observed_live', evidence: [] } },
};
