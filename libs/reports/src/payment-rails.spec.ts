import {
  acceptV1,
  acceptV2,
  authenticates,
  BASE_USDC,
  challengeV1,
  challengeV2,
  PAYEE,
  paymentAuth,
  paywalled,
  paywalledInBody,
  TEMPO_REQUEST,
} from '../../../test/support/challenges';
import { evidence, json, type Reply } from '../../../test/support/evidence';
import { offeredRails, paymentRails } from './payment-rails';

const at = (reply: Reply) => paymentRails(evidence({ 'POST /api/report {}': reply }));

describe('paymentRails', () => {
  it('derives an option from a live x402 challenge', () => {
    expect(at(paywalled())).toEqual({
      payable: true,
      checkedAt: '2026-11-01T12:00:00.000Z',
      rails: [
        {
          protocol: 'x402',
          version: '2',
          scheme: 'exact',
          network: 'eip155:8453',
          networkName: 'Base',
          testnet: false,
          asset: BASE_USDC,
          assetSymbol: 'USDC',
          amount: '20000',
          maxAmount: '20000',
          amountUsd: '0.02',
          payTo: PAYEE,
          resource: 'https://shop.example.com/api/report',
          resources: 1,
          httpMethod: 'POST',
          strictClientReadable: true,
          clients: [
            { name: '@x402/fetch', versions: ['2.5', '2.11', '2.20', '2.27'], pays: true },
            { name: '@faremeter/fetch', versions: ['0.22'], pays: true },
            { name: 'mppx', versions: ['0.11'], pays: true },
            { name: 'x402-fetch', versions: ['1.2'], pays: false, reason: 'challenge_unread' },
          ],
          reasons: [],
          observedAt: '2026-11-01T12:00:00.000Z',
        },
      ],
    });
  });

  it('derives an option from a live MPP challenge', () => {
    expect(at(authenticates())).toMatchObject({
      payable: true,
      rails: [
        {
          protocol: 'mpp',
          version: null,
          method: 'tempo',
          intent: 'charge',
          network: 'eip155:4217',
          networkName: 'Tempo',
          assetSymbol: 'USDC.e',
          amountUsd: '0.02',
          payTo: PAYEE,
          strictClientReadable: true,
          reasons: [],
        },
      ],
    });
  });

  it('derives an option from every dialect, and keeps each for the history', () => {
    const reply = paywalled(challengeV2([acceptV2(), acceptV2({ amount: '1' }), acceptV2()]), challengeV1());
    expect(
      offeredRails(evidence({ 'POST /api/report {}': reply })).map(({ version, amount }) => [version, amount]),
    ).toEqual([
      ['2', '20000'],
      ['2', '1'],
      ['1', '20000'],
    ]);
    expect(at(reply).rails).toMatchObject([{ version: '1+2', amount: '1', maxAmount: '20000', resources: 1 }]);
  });

  it.each([
    [
      'a testnet',
      paywalled(
        challengeV2([
          acceptV2({
            network: 'eip155:84532',
            asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
            extra: { name: 'USDC', version: '2' },
          }),
        ]),
      ),
      ['network_testnet'],
    ],
    [
      'a wrong EIP-712 domain',
      paywalled(challengeV2([acceptV2({ extra: { name: 'USDC', version: '2' } })])),
      ['eip712_domain_wrong'],
    ],
    ['an empty payee', paywalledInBody(challengeV1([acceptV1({ payTo: '' })])), ['payto_empty']],
    ['the zero address', paywalled(challengeV2([acceptV2({ payTo: `0x${'0'.repeat(40)}` })])), ['payto_zero']],
    [
      '18 decimals for a token of 6',
      paywalled(challengeV2([acceptV2({ amount: '20000000000000000' })])),
      ['price_implausible'],
    ],
    [
      'a Tempo request without chain',
      authenticates(paymentAuth({ ...TEMPO_REQUEST, methodDetails: {} })),
      ['network_testnet', 'asset_unknown'],
    ],
    ['an incomplete challenge', authenticates('Payment amount=0.02'), ['mpp_challenge_malformed']],
  ])('lists %s in the reasons and is not payable', (_, reply, reasons) => {
    expect(at(reply)).toMatchObject({ payable: false, rails: [{ reasons }] });
  });

  it('marks only the price of upto as a maximum', () => {
    const upto = acceptV2({ scheme: 'upto', extra: { facilitatorAddress: `0x${'34'.repeat(20)}` } });
    const { payable, rails } = at(paywalled(challengeV2([acceptV2(), upto])));
    expect([payable, rails.map(({ scheme, ceiling }) => [scheme, ceiling])]).toEqual([
      true,
      [
        ['exact', undefined],
        ['upto', true],
      ],
    ]);
  });

  it('ignores the responses to our own control paths', () => {
    const { rails } = paymentRails(evidence({ 'POST /api/report {}': paywalled() }, paywalled()));
    expect(rails.map(({ resource }) => resource)).toEqual(['https://shop.example.com/api/report']);
  });

  it('marks testnet options', () => {
    const { rails } = at(paywalledInBody(challengeV1([acceptV1({ network: 'base-sepolia' })])));
    expect(rails).toMatchObject([{ network: 'eip155:84532', networkName: 'Base Sepolia', testnet: true }]);
  });

  it('is payable if a client other than the reference one can pay', () => {
    expect(at(paywalled(challengeV2([acceptV2({ extra: undefined })])))).toMatchObject({
      payable: true,
      rails: [{ strictClientReadable: false, reasons: [] }],
    });
  });

  it('is not payable if no released client can read the challenge', () => {
    expect(at(paywalledInBody(challengeV2()))).toMatchObject({
      payable: false,
      rails: [{ strictClientReadable: false, reasons: ['no_client_pays'] }],
    });
  });

  it('can be paid by clients of both versions if it is offered in both', () => {
    const [rail, ...others] = at(paywalled(challengeV2(), challengeV1())).rails;
    expect(others).toEqual([]);
    expect(rail?.clients.map(({ name, pays }) => [name, pays])).toEqual([
      ['@x402/fetch', true],
      ['@faremeter/fetch', true],
      ['mppx', true],
      ['x402-fetch', false],
    ]);
  });

  it('lists no clients for a network that none supports', () => {
    const option = {
      network: 'stellar:pubnet',
      asset: 'CCW67TSZV3SSS2HXMBQ5JFGCKJNXKZM7UQUWUZPUTHXSTZLEO7SJMI75',
      payTo: 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ',
      extra: { areFeesSponsored: true },
    };
    expect(at(paywalled(challengeV2([acceptV2(option)])))).toMatchObject({ payable: true, rails: [{ clients: [] }] });
  });

  it('is payable if one of several options is', () => {
    expect(at(paywalled(challengeV2([acceptV2({ payTo: '' }), acceptV2()]))).payable).toBe(true);
  });

  it('ignores manifests and OpenAPI prices', () => {
    const seen = evidence({
      '/.well-known/x402': json(challengeV2()),
      '/openapi.json': json({
        openapi: '3.1.0',
        paths: { '/a': { get: { 'x-payment-info': { protocols: ['x402'] } } } },
      }),
    });
    expect(paymentRails(seen)).toEqual({ payable: false, checkedAt: null, rails: [] });
  });
});
