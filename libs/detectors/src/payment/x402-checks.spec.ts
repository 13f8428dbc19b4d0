import fc from 'fast-check';
import { acceptV1, acceptV2, BASE_USDC, PAYEE, type Members } from '../../../../test/support/challenges';
import type { JsonObject } from '../formats/json';
import { readAccept } from './x402-accept';
import { checkAccept } from './x402-checks';

const AT = '2026-11-01T12:00:00Z';
const v2 = (more: Members = {}) => checkAccept(readAccept(acceptV2(more) as JsonObject, 2), AT);
const v1 = (more: Members = {}) => checkAccept(readAccept(acceptV1(more) as JsonObject, 1), AT);

const SOLANA = {
  network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  asset: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  payTo: '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM',
  extra: { feePayer: '11111111111111111111111111111112' },
};

describe('an option of the scheme upto', () => {
  const FACILITATOR = `0x${'34'.repeat(20)}`;

  it('needs a facilitator and Permit2, but no token domain', () => {
    const extra = fc.record(
      {
        facilitatorAddress: fc.constantFrom(FACILITATOR, `0x${'0'.repeat(40)}`, 'facilitator.eth', ''),
        assetTransferMethod: fc.constantFrom('permit2', 'eip3009', 'deposit'),
        name: fc.constantFrom('USD Coin', 'Another'),
        version: fc.constantFrom('1', '2'),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(extra, (stated) => {
        const { reasons, warnings, strictClientReadable } = v2({ scheme: 'upto', extra: stated });
        const transfer = stated.assetTransferMethod ?? 'permit2';
        const due =
          transfer !== 'permit2'
            ? ['transfer_method_unsupported']
            : stated.facilitatorAddress === FACILITATOR
              ? []
              : ['facilitator_address_missing'];
        expect(reasons).toEqual(due);
        expect(warnings).toEqual([]);
        expect(strictClientReadable).toBe(true);
      }),
    );
  });
});

describe('checkAccept', () => {
  it('finds no fault in a valid option of either version', () => {
    expect(v2()).toMatchObject({ reasons: [], warnings: [], amountUsd: '0.02', strictClientReadable: true });
    expect(v1()).toMatchObject({ reasons: [], networkId: 'eip155:8453', strictClientReadable: true });
    expect(v2(SOLANA)).toMatchObject({ reasons: [], strictClientReadable: true });
  });

  it.each([
    ['scheme_unsupported', { scheme: 'deferred' }],
    ['network_unparsable', { network: 'base' }],
    ['network_unparsable', { network: 'eip155:8453 ' }],
    ['network_unknown', { network: 'eip155:987654321' }],
    ['network_testnet', { network: 'eip155:84532', asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e' }],
    ['amount_invalid', { amount: '1e6' }],
    ['amount_invalid', { amount: undefined }],
    ['amount_zero', { amount: '0' }],
    ['amount_decimal_not_atomic', { amount: '0.50' }],
    ['asset_unknown', { asset: PAYEE }],
    ['asset_unknown', { asset: 'USDC' }],
    ['asset_unknown', { asset: undefined }],
    ['asset_network_mismatch', { asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e' }],
    ['payto_empty', { payTo: ' ' }],
    ['payto_empty', { payTo: undefined }],
    ['payto_invalid', { payTo: 'shop.eth' }],
    ['payto_invalid', { payTo: `eip155:8453:${PAYEE}` }],
    ['payto_invalid', { ...SOLANA, payTo: PAYEE }],
    ['payto_zero', { payTo: `0x${'0'.repeat(40)}` }],
    ['payto_is_asset', { payTo: BASE_USDC.toLowerCase() }],
    ['timeout_invalid', { maxTimeoutSeconds: 0 }],
    ['timeout_invalid', { maxTimeoutSeconds: '60' }],
    ['eip712_domain_wrong', { extra: { name: 'USDC', version: '2' } }],
    ['eip712_domain_wrong', { extra: { name: 'USD Coin', version: '1' } }],
    ['gateway_contract_missing', { extra: { name: 'GatewayWalletBatched', version: '1' } }],
    ['gateway_contract_wrong', { extra: { name: 'GatewayWalletBatched', version: '1', verifyingContract: PAYEE } }],
    ['eip712_domain_wrong', { extra: { name: 'GatewayWalletBatched', version: '2' } }],
    ['eip712_domain_wrong', { extra: { name: 'USD Coin', version: '2', verifyingContract: PAYEE } }],
    ['svm_feepayer_missing', { ...SOLANA, extra: {} }],
    ['price_implausible', { amount: '20000000000000000' }],
  ])('gives %s for %j', (reason, change) => {
    expect(v2(change).reasons).toContain(reason);
  });

  it('requires Permit2 if the token has no EIP-3009', () => {
    const megaUsd = {
      network: 'eip155:4326',
      asset: '0xFAfDdbb3FC7688494971a79cc65DCa3EF82079E7',
      amount: '50000000000000000',
    };
    expect(v2(megaUsd).reasons).toEqual(['eip3009_unsupported_by_asset']);
    expect(v2({ ...megaUsd, extra: { assetTransferMethod: 'permit2' } })).toMatchObject({
      reasons: [],
      amountUsd: '0.05',
    });
  });

  it.each([
    ['payto_bad_checksum', { payTo: PAYEE.replace('bD', 'Bd') }],
    ['timeout_long', { maxTimeoutSeconds: 86_400 }],
    ['decimals_mismatch', { extra: { name: 'USD Coin', version: '2', decimals: 18 } }],
    ['eip712_domain_missing', { extra: {} }],
    ['transfer_method_unknown', { extra: { name: 'USD Coin', version: '2', assetTransferMethod: 'erc1155' } }],
    ['payment_flow_unknown', { extra: { name: 'USD Coin', version: '2', paymentFlow: 'later' } }],
    ['network_unknown', { network: 'near:mainnet', asset: 'usdc.near', payTo: 'shop.near', extra: {} }],
  ])('only warns about %s', (warning, change) => {
    expect(v2(change)).toMatchObject({ reasons: [], warnings: [warning] });
  });

  it('is payable without a token domain, but not for the reference client', () => {
    expect(v2({ extra: undefined })).toMatchObject({ reasons: [], strictClientReadable: false });
  });

  it('accepts a CAIP-2 network in V1 with a warning', () => {
    expect(v1({ network: 'eip155:8453' })).toMatchObject({
      reasons: [],
      warnings: ['v1_body_with_caip2_network'],
      strictClientReadable: false,
    });
  });

  it('accepts the full genesis hash of Algorand as its network', () => {
    const [id, payTo] = ['algorand:wGHE2Pwdvd7S12BL5FaOP20EGYesN73k', `FQ${'A'.repeat(56)}`];
    const long = v2({ network: `${id}tiC1qzkkit8=`, asset: '31566704', payTo, extra: {} });
    expect(long).toMatchObject({ networkId: id, warnings: ['network_long_form'], reasons: ['payto_invalid'] });
    expect(v2({ network: id, asset: '31566704', payTo, extra: {} }).warnings).toEqual([]);
  });

  it('prices an 18-decimals token by its own decimals', () => {
    const usd1 = {
      network: 'eip155:56',
      asset: '0x8d0D000Ee44948FC98c9B98A4FA4921476f08B0d',
      amount: '50000000000000000',
      extra: { name: 'World Liberty Financial USD', version: '1' },
    };
    expect(v2(usd1)).toMatchObject({ reasons: [], amountUsd: '0.05' });
  });

  it('prices pay per crawl in cents and accepts its role as a recipient', () => {
    const crawl = {
      scheme: 'batch-settlement',
      network: 'cloudflare:402',
      amount: '1',
      asset: 'USD',
      payTo: 'merchant',
      maxTimeoutSeconds: undefined,
    };
    expect(v2(crawl)).toMatchObject({ reasons: ['crawler_account_needed'], amountUsd: '0.01' });
  });

  it('accepts a number as an amount, but not for the reference client', () => {
    expect(v2({ amount: 20_000 })).toMatchObject({
      ...{ reasons: [], warnings: ['option_members_untyped'] },
      ...{ amountUsd: '0.02', strictClientReadable: false },
    });
  });
});
