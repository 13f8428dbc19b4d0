import { DETECTOR_IDS } from '@app/detectors';
import type { RouteDescription } from '@app/payments';
import { DOMAIN } from '../http/route-parameters';

const ROUTE = '/api/v1/hosts/:domain';

/** A report cut down to its outline: the full schema is in the OpenAPI document. */
const REPORT = {
  domain: 'shop.example.com',
  origin: 'https://shop.example.com',
  reachable: true,
  protocols: [{ id: 'x402', status: 'present', version: '2', details: {} }],
  fixes: [],
  paymentRails: { payable: true, rails: [] },
};

/** How live looks are bought, for directories (extension `bazaar`). */
export const HOST_REFRESH: RouteDescription = { path: `${ROUTE}/refresh`, params: { domain: DOMAIN }, answer: REPORT };

export const REPORT_REFRESH: RouteDescription = {
  path: ROUTE,
  params: { domain: DOMAIN },
  query: {
    properties: { refresh: { type: 'string', enum: ['1'], description: 'Buys a live look, like the route /refresh.' } },
    required: ['refresh'],
  },
  answer: REPORT,
};

export const PROTOCOL_REFRESH: RouteDescription = {
  path: `${ROUTE}/protocols/:protocol/refresh`,
  params: { domain: DOMAIN, protocol: { type: 'string', enum: DETECTOR_IDS } },
  answer: {
    domain: 'shop.example.com',
    protocol: 'llms',
    cell: { id: 'llms', status: 'present', version: null, details: {} },
  },
};

export const BATCH_REFRESH: RouteDescription = {
  path: '/api/v1/hosts/refresh',
  body: {
    schema: {
      properties: {
        domains: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 10 },
        mode: { type: 'string', enum: ['full'] },
      },
      required: ['domains', 'mode'],
    },
    example: { domains: ['shop.example.com', 'api.example.com'], mode: 'full' },
  },
  answer: { mode: 'full', priceUsd: 0.014, results: [{ domain: 'shop.example.com', ok: true, payable: true }] },
};
