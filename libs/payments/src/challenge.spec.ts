import { validateDiscoveryExtension, type DiscoveryExtension } from '@x402/extensions/bazaar';
import {
  decodeSignedOffers,
  extractOffersFromPaymentRequired,
  verifyOfferSignatureEIP712,
  verifyReceiptSignatureEIP712,
  type EIP712SignedOffer,
  type EIP712SignedReceipt,
} from '@x402/extensions/offer-receipt';
import type { PaymentRequired } from '@x402/core/types';
import { privateKeyToAccount } from 'viem/accounts';
import { challengeFor, firstVersionBody, requirementFor } from './challenge';
import { OfferSigner } from './offer-signer';
import { OFFER_VALIDITY_SEC } from './offer';
import { offerOf } from '../../../test/support/offers';

const TERMS = { network: 'eip155:8453', payTo: '0x1111111111111111111111111111111111111111' } as const;
const BASE = 'https://probe.example.com/api/v1/hosts/shop.example.com';
const OFFER = offerOf({
  method: 'GET',
  resource: `${BASE}?refresh=1`,
  route: {
    path: '/api/v1/hosts/:domain',
    params: { domain: { type: 'string' } },
    query: { properties: { refresh: { type: 'string', enum: ['1'] } }, required: ['refresh'] },
    answer: { domain: 'shop.example.com' },
  },
});
const ORDER = offerOf({
  method: 'POST',
  resource: `${BASE}/subscription`,
  route: {
    path: '/api/v1/hosts/:domain/subscription',
    params: { domain: { type: 'string' } },
    body: { schema: { properties: { days: { type: 'integer' } } }, example: { days: 30 } },
    answer: { key: 'shown once' },
  },
});
const SIGNING_KEY = `0x${'12'.repeat(32)}` as const;
const SIGNER = new OfferSigner(SIGNING_KEY, 8453);

describe('challengeFor', () => {
  it('has the same content in header and body, with exact integer amounts', () => {
    const { header, body } = challengeFor(OFFER, TERMS);
    const { error, resource, accepts, extensions } = body;
    const decoded: unknown = JSON.parse(Buffer.from(header, 'base64').toString('utf8'));
    expect(decoded).toEqual({ x402Version: 2, error, resource, accepts, extensions });
    expect(error).toBe('Payment required: 0.02 USDC. Sign one of `accepts` and retry.');
    expect(body).toMatchObject({ sku: 'host_refresh', priceUsd: 0.02, payTo: TERMS.payTo, x402Version: 2 });
    expect(accepts[0]).toMatchObject({
      amount: '20000',
      network: 'eip155:8453',
      extra: { name: 'USD Coin', version: '2' },
    });
  });

  it.each([
    [
      'a GET',
      OFFER,
      { type: 'http', method: 'GET', pathParams: { domain: 'shop.example.com' }, queryParams: { refresh: '1' } },
    ],
    [
      'a POST',
      ORDER,
      { method: 'POST', bodyType: 'json', body: { days: 30 }, pathParams: { domain: 'shop.example.com' } },
    ],
  ])('declares %s in a form that matches its schema', (_, offered, input) => {
    const declared = challengeFor(offered, TERMS).body.extensions['bazaar'] as DiscoveryExtension;
    expect(declared).toMatchObject({ routeTemplate: offered.route.path, info: { input } });
    expect(validateDiscoveryExtension(declared)).toEqual({ valid: true });
  });

  it('returns new objects to every caller', () => {
    const [one, two] = [challengeFor(OFFER, TERMS), challengeFor(OFFER, TERMS)];
    expect(one.body.extensions['bazaar']).not.toBe(two.body.extensions['bazaar']);
    expect(one).toEqual(two);
  });

  it('has a form for version 1 clients, with their name of the network', () => {
    const body = firstVersionBody(challengeFor(OFFER, TERMS).body);
    expect(body).toMatchObject({ x402Version: 1, sku: 'host_refresh', priceUsd: 0.02 });
    expect(body.accepts).toEqual([
      {
        scheme: 'exact',
        network: 'base',
        maxAmountRequired: '20000',
        resource: OFFER.resource,
        description: OFFER.description,
        mimeType: 'application/json',
        payTo: TERMS.payTo,
        maxTimeoutSeconds: 120,
        asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
        extra: { name: 'USD Coin', version: '2' },
      },
    ]);
  });
});

describe('OfferSigner', () => {
  const requirement = requirementFor(OFFER, TERMS);

  it('signs the requirements for their validity', async () => {
    const { body } = challengeFor(OFFER, TERMS, undefined, await SIGNER.offerFor(OFFER.resource, requirement));
    const [signed] = extractOffersFromPaymentRequired(body as unknown as PaymentRequired);
    const { signer } = await verifyOfferSignatureEIP712(signed as EIP712SignedOffer);
    expect(signer).toBe(privateKeyToAccount(SIGNING_KEY).address);
    const [terms] = decodeSignedOffers([signed!]);
    expect(terms).toMatchObject({ amount: '20000', payTo: TERMS.payTo, resourceUrl: OFFER.resource, acceptIndex: 0 });
    const left = terms!.validUntil - Date.now() / 1_000;
    expect(left).toBeGreaterThan(OFFER_VALIDITY_SEC - 60);
    expect(left).toBeLessThanOrEqual(OFFER_VALIDITY_SEC);
  });

  it('reuses a signature in a new object, and signs again for another price', async () => {
    const [one, two] = [
      await SIGNER.offerFor(OFFER.resource, requirement),
      await SIGNER.offerFor(OFFER.resource, requirement),
    ];
    expect(one).toEqual(two);
    expect(one['offer-receipt']).not.toBe(two['offer-receipt']);
    const dearer = await SIGNER.offerFor(OFFER.resource, { ...requirement, amount: '30000' });
    expect(dearer).not.toEqual(one);
  });

  it('signs receipts with payer and transaction', async () => {
    const settlement = { transaction: `0x${'ab'.repeat(32)}`, network: TERMS.network, payer: `0x${'22'.repeat(20)}` };
    const { 'offer-receipt': extension } = await SIGNER.receiptFor(OFFER.resource, settlement);
    const { receipt } = (extension as { info: { receipt: EIP712SignedReceipt } }).info;
    const { signer, payload } = await verifyReceiptSignatureEIP712(receipt);
    expect(signer).toBe(privateKeyToAccount(SIGNING_KEY).address);
    expect(payload).toMatchObject({ ...settlement, resourceUrl: OFFER.resource });
  });
});
