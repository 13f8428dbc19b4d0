import { authenticates, paymentAuth, paywalled, TEMPO_REQUEST } from '../../../../test/support/challenges';
import { evidence, json, status, type Reply } from '../../../../test/support/evidence';
import { mpp } from './mpp.detector';
import { runDetector } from '../run-detector';
import { x402 } from '../x402/x402.detector';

const run = (replies: Readonly<Record<string, Reply>>) => runDetector(mpp, evidence(replies));

describe('mpp', () => {
  it('finds a Payment challenge and shows its terms', () => {
    const { cell, fixes } = run({ '/api/report': authenticates() });
    expect(cell).toMatchObject({
      status: 'present',
      version: null,
      details: {
        methods: ['tempo'],
        challenges: [{ method: 'tempo', intent: 'charge', network: 'eip155:4217', amountUsd: '0.02', reasons: [] }],
      },
    });
    expect(fixes).toEqual([]);
  });

  it('stays present for an unknown payment method, with a note', () => {
    const { cell } = run({ '/': authenticates(paymentAuth(TEMPO_REQUEST, { method: 'invoice' })) });
    expect(cell).toMatchObject({ status: 'present', details: { challenges: [{ reasons: ['method_unsupported'] }] } });
  });

  it.each([
    ['mpp_challenge_malformed', 'Payment amount=0.02 currency=pathUSD'],
    ['mpp_intent_missing', paymentAuth(TEMPO_REQUEST, { intent: undefined })],
    ['mpp_request_undecodable', paymentAuth(TEMPO_REQUEST, { request: '%%%' })],
    ['mpp_currency_unexpected', paymentAuth({ amount: '100', currency: 'BTC' }, { method: 'lightning' })],
  ])('reports a challenge with %s as partial', (note, line) => {
    const { cell, fixes } = run({ '/': authenticates(line) });
    expect(cell).toMatchObject({ status: 'partial', details: { note } });
    expect(fixes.map(({ id }) => id)).toEqual(['mpp.partial']);
  });

  it('is present if one challenge is complete', () => {
    expect(run({ '/': authenticates('Payment amount=1', paymentAuth()) }).cell.status).toBe('present');
  });

  it('shares a 402 with x402', () => {
    const both = { ...paywalled(), headers: { ...paywalled().headers, 'www-authenticate': paymentAuth() } };
    const seen = evidence({ '/': both });
    expect([runDetector(mpp, seen), runDetector(x402, seen)].map(({ cell }) => cell.status)).toEqual([
      'present',
      'present',
    ]);
  });

  it("is absent with the spec's note if a host sends no challenge", () => {
    const { cell, fixes } = run({});
    expect(cell).toMatchObject({
      status: 'absent',
      details: { note: 'no_public_well_known', evidence: [{ status: 200 }] },
    });
    expect(fixes.map(({ id }) => id)).toEqual(['mpp.missing']);
    expect(run({ '/': status(402) }).cell).toMatchObject({
      status: 'absent',
      details: { note: 'no_public_well_known' },
    });
  });

  it('reports the offers of an OpenAPI document without being present', () => {
    const offer = { intent: 'charge', method: 'tempo', amount: '500', currency: TEMPO_REQUEST['currency'] };
    const operation = (info: unknown) => ({
      'x-payment-info': info,
      responses: { 402: { description: 'Payment Required' } },
    });
    const openapi = {
      openapi: '3.1.0',
      paths: {
        '/v1/chat': { post: operation({ offers: [offer, { ...offer, method: 'stripe' }] }) },
        '/v1/embed': { post: operation({ ...offer, amount: null }) },
        '/v1/other': { get: operation({ protocols: ['x402'], price: { mode: 'fixed', amount: '0.02' } }) },
      },
    };
    const known = run({ '/openapi.json': json(openapi) });
    expect(known).toMatchObject({ cell: { status: 'partial', details: { reason: 'not_exercised' } }, fixes: [] });
    const asked = Object.fromEntries(['chat', 'embed'].map((name) => [`POST /v1/${name} {}`, status(404)]));
    const { cell } = run({ '/openapi.json': json(openapi), ...asked });
    expect(cell).toMatchObject({ status: 'absent', details: { note: 'no_public_well_known' } });
    expect(known.cell.details['offers']).toEqual(cell.details['offers']);
    expect(cell.details['offers']).toMatchObject([
      { url: 'https://shop.example.com/v1/chat', httpMethod: 'POST', method: 'tempo', amount: '500' },
      { method: 'stripe' },
      { url: 'https://shop.example.com/v1/embed', amount: null },
    ]);
  });

  it("does not count Lightning's L402 as MPP", () => {
    const { cell } = run({ '/': authenticates('L402 macaroon="AGIA", invoice="lnbc1"') });
    expect(cell).toMatchObject({ status: 'absent', details: { findings: [{ id: 'l402_is_not_mpp' }] } });
  });
});
