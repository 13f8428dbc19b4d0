import { tokenAt } from '@app/networks';
import fc from 'fast-check';
import {
  acceptV2,
  authenticates,
  BASE_USDC,
  challengeV2,
  paymentAuth,
  paywalled,
  TEMPO_REQUEST,
} from '../../../../../test/support/challenges';
import { evidence, json, type Reply } from '../../../../../test/support/evidence';
import { ACCOUNTS } from '../../../../../test/support/payment-accounts';
import { mpp } from '../../mpp/mpp.detector';
import { runDetector } from '../../run-detector';
import { x402 } from '../../x402/x402.detector';

/** Behaviour 6.7: a consistent host, and one whose documents contradict it for one route. */
const ORIGIN = 'https://shop.example.com';
const SOLANA = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
const SOLANA_USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const EVM = ACCOUNTS.eip155.filter((account) => !/^0x0{38}/.test(account));

interface Host {
  readonly evm: string;
  readonly solana: string;
  /** Atomic amounts, by route. */
  readonly prices: readonly number[];
}
const host: fc.Arbitrary<Host> = fc.record({
  evm: EVM,
  solana: ACCOUNTS.solana,
  prices: fc.array(fc.integer({ min: 2, max: 900_000 }), { minLength: 1, maxLength: 4 }),
});

const optionsOf = ({ evm, solana }: Host, price: number) => [
  { network: 'eip155:8453', asset: BASE_USDC, payTo: evm, amount: String(price) },
  { network: SOLANA, asset: SOLANA_USDC, payTo: solana, amount: String(price) },
];
const usd = (price: number) => (price / 1_000_000).toFixed(6);

const live = (shop: Host): Readonly<Record<string, Reply>> =>
  Object.fromEntries(
    shop.prices.map((price, i) => [
      `/r${i}`,
      paywalled(challengeV2(optionsOf(shop, price).map((option) => acceptV2(option)))),
    ]),
  );
const manifest = (shop: Host) =>
  json({
    x402Version: 2,
    resources: shop.prices.map((price, i) => ({
      url: `${ORIGIN}/r${i}`,
      price: `$${usd(price)}`,
      accepts: optionsOf(shop, price).map(({ payTo, ...option }) => ({
        scheme: 'exact',
        payTo: payTo.replace('0X', '0x'),
        ...option,
      })),
    })),
  });
const description = (shop: Host) =>
  json({
    openapi: '3.1.0',
    info: { title: 'Shop', version: '1' },
    paths: Object.fromEntries(
      shop.prices.map((price, i) => {
        const bounds = { minAmount: String(price - 1), maxAmount: String(price + 1) };
        const accepts = optionsOf(shop, price).map(({ network, asset }) => ({
          scheme: 'exact',
          network,
          asset,
          ...bounds,
        }));
        const info = { price: { mode: 'fixed', currency: 'USD', amount: usd(price) }, protocols: [{ x402: {} }] };
        return [`/r${i}`, { get: { 'x-x402': { accepts }, 'x-payment-info': info } }];
      }),
    ),
  });
const card = ({ evm, solana }: Host) =>
  json({ name: 'Shop', wallets: { payTo: { base: evm.toLowerCase(), [SOLANA]: solana } } });

/** The source of each document: the same host, or a modified one. */
const documents = (shops: { manifest: Host; description: Host; card: Host }) => ({
  '/.well-known/x402': manifest(shops.manifest),
  '/openapi.json': description(shops.description),
  '/.well-known/agent-card.json': card(shops.card),
});
const found = (seen: ReturnType<typeof evidence>, detector = x402) =>
  ((runDetector(detector, seen).cell.details['findings'] ?? []) as { id: string; at: string; with?: string }[]).filter(
    ({ id }) => id.endsWith('_differs'),
  );

describe('documents and live challenges', () => {
  it('that agree on recipients, prices and assets have no finding', () => {
    fc.assert(
      fc.property(host, (shop) => {
        const seen = evidence({ ...live(shop), ...documents({ manifest: shop, description: shop, card: shop }) });
        expect(found(seen)).toEqual([]);
        expect(runDetector(x402, seen).cell.details).not.toHaveProperty('disagreements');
      }),
      { numRuns: 40 },
    );
  });

  it('that name another recipient have a finding with both sources, in any document', () => {
    fc.assert(
      fc.property(host, EVM, fc.constantFrom('manifest', 'card'), (shop, evm, where) => {
        fc.pre(evm.toLowerCase() !== shop.evm.toLowerCase());
        const shops = { manifest: shop, description: shop, card: shop, [where]: { ...shop, evm } };
        const seen = evidence({ ...live(shop), ...documents(shops) });
        const at = where === 'card' ? `${ORIGIN}/.well-known/agent-card.json` : `${ORIGIN}/.well-known/x402`;
        const routes = new Set(found(seen).map((one) => one.with));
        expect(found(seen).map(({ id, at }) => ({ id, at }))).toEqual(
          [...routes].map(() => ({ id: 'payee_differs', at })),
        );
        expect(routes.size).toBe(shop.prices.length);
        const [first] = runDetector(x402, seen).cell.details['disagreements'] as { network: string; live: unknown }[];
        expect(first).toMatchObject({ network: 'eip155:8453', live: { value: shop.evm } });
      }),
      { numRuns: 40 },
    );
  });

  it('that state another price have a finding with both sources, in atomic units and in dollars', () => {
    const other = fc.tuple(host, fc.nat(3), fc.integer({ min: 2, max: 90_000 })).map(([shop, at, more]) => {
      const route = at % shop.prices.length;
      return { shop, route, changed: { ...shop, prices: shop.prices.map((p, i) => (i === route ? p + more : p)) } };
    });
    fc.assert(
      fc.property(other, fc.constantFrom('manifest', 'description'), ({ shop, route, changed }, where) => {
        const shops = { manifest: shop, description: shop, card: shop, [where]: changed };
        const at = where === 'manifest' ? `${ORIGIN}/.well-known/x402` : `${ORIGIN}/openapi.json`;
        expect(found(evidence({ ...live(shop), ...documents(shops) }))).toEqual([
          { id: 'price_differs', at, with: `${ORIGIN}/r${route}` },
        ]);
      }),
      { numRuns: 40 },
    );
  });

  it('are only compared in the asset of an option and within its route', () => {
    const shop: Host = {
      evm: `0x${'34'.repeat(20)}`,
      solana: '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM',
      prices: [5],
    };
    const elsewhere = { '/.well-known/x402': manifest({ ...shop, prices: [5, 70] }) };
    expect(found(evidence({ ...live(shop), ...elsewhere }))).toEqual([]);
    const row = {
      url: '/r0',
      accepts: [
        {
          network: 'eip155:10',
          asset: tokenAt('eip155:8453', BASE_USDC)?.address,
          amount: '9',
          payTo: PAYEE_ELSEWHERE,
        },
      ],
    };
    expect(found(evidence({ ...live(shop), '/.well-known/x402': json({ x402Version: 2, resources: [row] }) }))).toEqual(
      [],
    );
  });

  it('of MPP challenges are compared by currency', () => {
    const operation = (amount: string | null) => ({
      get: {
        'x-payment-info': {
          offers: [{ intent: 'charge', method: 'tempo', amount, currency: TEMPO_REQUEST['currency'] }],
        },
      },
    });
    const paths = (amount: string | null) => ({
      openapi: '3.1.0',
      info: { title: 'a', version: '1' },
      paths: { '/a': operation(amount) },
    });
    const seen = (amount: string | null) =>
      evidence({ '/a': authenticates(paymentAuth()), '/openapi.json': json(paths(amount)) });
    expect(found(seen('20000'), mpp as never)).toEqual([]);
    expect(found(seen(null), mpp as never)).toEqual([]);
    expect(found(seen('30000'), mpp as never)).toEqual([
      { id: 'price_differs', at: `${ORIGIN}/openapi.json`, with: `${ORIGIN}/a` },
    ]);
  });
});

const PAYEE_ELSEWHERE = `0x${'56'.repeat(20)}`;
