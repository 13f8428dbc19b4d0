import fc from 'fast-check';
import { guard } from '../src/guard.js';
import type { GuardOptions } from '../src/options.js';
import { isPaymentRefused, type RefusedCode } from '../src/payment-refused.js';
import { partOf } from '../../../test/support/generated.js';
import { BUYERS, countingWallet, type Buyer, type Tamper } from './clients.js';
import { drawnKey, EVIL, openIssuer, openShop, PRICE, type Issuer, type Served, type Shop } from './world.js';

let [shop, elsewhere]: Shop[] = [];
let issuer: Issuer;

beforeAll(async () => {
  [shop, elsewhere, issuer] = await Promise.all([openShop(), openShop(), openIssuer()]);
});
afterAll(() => {
  for (const one of [shop!, elsewhere!, issuer]) one.close();
});

/** An attack on a purchase, and the codes with which the guard may refuse it. */
interface Attack {
  readonly codes: readonly RefusedCode[];
  readonly served?: Served;
  /** The statement about the shop, if the attack replaces the valid one. */
  readonly statement?: () => string | undefined;
  readonly tamper?: Tamper;
  readonly options?: Partial<GuardOptions>;
  readonly path?: string;
}

const address = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`);
const dearer = fc.bigInt({ min: PRICE + 1n, max: 6n * PRICE });
const MIRRORED = 'eip155:137';
const NETWORKS = [MIRRORED, 'eip155:43114', 'eip155:84532'] as const;
const V1_NAMES: Readonly<Record<string, string>> = {
  'eip155:137': 'polygon',
  'eip155:43114': 'avalanche',
  'eip155:84532': 'base-sepolia',
};
const SEPOLIA_USDC = '0x036CbD53842c5426634e7929541eC2318f3dCF7e';

/**
 * A look-alike letter, another case, another Unicode form of the same name: a statement contains the origin byte for
 * byte.
 */
const RESEMBLING = [
  'l\u043ecalhost',
  'loca1host',
  'Localhost',
  'LOCALHOST',
  'localhost.',
  '\uff4cocalhost',
  'localhost@localhost',
];

const now = () => Math.floor(Date.now() / 1_000);
const stated = (codes: readonly RefusedCode[], statement: () => string | undefined): Attack => ({ codes, statement });

const ATTACKS: Readonly<Record<string, fc.Arbitrary<Attack>>> = {
  'another payee': address.map((payTo) => ({ codes: ['pay_to_differs'], served: { requirement: { payTo } } })),
  'a higher amount': dearer.map((amount) => ({
    codes: ['price_increased'],
    served: { requirement: { amount: `${amount}` } },
  })),
  'a higher amount with other decimals': fc.tuple(dearer, fc.nat(24)).map(([amount, decimals]) => ({
    codes: ['price_increased'],
    served: { requirement: { amount: `${amount}`, extra: { name: 'USD Coin', version: '2', decimals } } },
  })),
  'more than the buyer allows, for a resource that no probe requested': fc
    .bigInt({ min: 1_000_001n, max: 10n ** 24n })
    .map((amount) => ({
      codes: ['above_limit'],
      served: { requirement: { amount: `${amount}` } },
      path: '/v1/unseen',
    })),
  'another asset': address.map((asset) => ({ codes: ['asset_unpriced'], served: { requirement: { asset } } })),
  'another network': fc.constantFrom(...NETWORKS).map((network) => ({
    codes: ['asset_unpriced', 'unknown_option'],
    served: { requirement: { network } },
  })),
  'a test network': fc.constant({
    codes: ['unknown_option'],
    served: { requirement: { network: 'eip155:84532', asset: SEPOLIA_USDC, extra: { name: 'USDC', version: '2' } } },
  }),
  'a redirect to another origin': fc.webPath().map(() => ({
    codes: ['statement_refused'],
    served: { redirect: '/elsewhere' },
  })),
  'a resource of another origin': fc.domain().map((domain) => ({
    codes: ['resource_elsewhere'],
    served: { resource: `https://${domain}/v1/quote` },
  })),
  'a payee that a later hook changes': address.map((payTo) => ({
    codes: ['signs_something_else'],
    tamper: (selected) => {
      selected['payTo'] = payTo;
    },
  })),
  'an amount that a later hook changes': dearer.map((amount) => ({
    codes: ['signs_something_else'],
    tamper: (selected) => {
      selected[selected['amount'] === undefined ? 'maxAmountRequired' : 'amount'] = `${amount}`;
    },
  })),
  'an asset that a later hook changes': address.map((asset) => ({
    codes: ['signs_something_else'],
    tamper: (selected) => {
      selected['asset'] = asset;
    },
  })),
  'a payment by Permit2': fc.boolean().map((permit2) => ({
    // The x402 contracts are allowed if the buyer allowed them, but never with another recipient.
    codes: permit2 ? ['pay_to_differs'] : ['signs_something_else', 'pay_to_differs'],
    options: { permit2 },
    served: { requirement: { payTo: EVIL, extra: { name: 'USD Coin', version: '2', assetTransferMethod: 'permit2' } } },
  })),
  'an expired statement': fc
    .integer({ min: 1, max: 100_000 })
    .map((ago) =>
      stated(['report_expired'], () => issuer.states(shop!.origin, { iat: now() - 900 - ago, exp: now() - ago })),
    ),
  'a statement that is too old, whatever its validity says': fc
    .integer({ min: 901, max: 100_000 })
    .map((ago) =>
      stated(['report_expired'], () => issuer.states(shop!.origin, { iat: now() - ago, exp: now() + 900 })),
    ),
  'a statement issued in the future': fc
    .integer({ min: 70, max: 100_000 })
    .map((ahead) =>
      stated(['statement_refused'], () =>
        issuer.states(shop!.origin, { iat: now() + ahead, exp: now() + ahead + 900 }),
      ),
    ),
  'a forged statement': fc.nat().map((at) =>
    stated(['statement_refused'], () => {
      const good = issuer.states(shop!.origin);
      const where = at % good.length;
      return `${good.slice(0, where)}${good[where] === 'A' ? 'B' : 'A'}${good.slice(where + 1)}`;
    }),
  ),
  'a statement signed by somebody else': fc.boolean().map((isNamed) => {
    const stranger = drawnKey(isNamed ? 'key-1' : 'key-2');
    return stated(['statement_refused'], () => issuer.states(shop!.origin, {}, { kid: stranger.listed.kid }, stranger));
  }),
  'a statement about another host': fc
    .domain()
    .map((domain) => stated(['statement_refused'], () => issuer.states(`https://${domain}`))),
  'a statement about a similar host name': fc.constantFrom(...RESEMBLING).map((name) => ({
    codes: ['statement_refused'],
    statement: () => issuer.states(shop!.origin.replace('localhost', name)),
  })),
  'a resource of a similar host name': fc.constantFrom('l\u043ecalhost', 'loca1host', 'localhost.').map((name) => ({
    codes: ['resource_elsewhere'],
    served: { resource: shop!.origin.replace('localhost', name) },
  })),
  'a statement of another issuer': fc
    .domain()
    .map((domain) => stated(['statement_refused'], () => issuer.states(shop!.origin, { iss: `https://${domain}` }))),
  'a host that could not be probed': fc
    .constantFrom('not_probed:budget', 'unreachable:dns_nxdomain', 'unreachable:timeout')
    .map((outcome) =>
      stated([outcome === 'not_probed:budget' ? 'host_not_probed' : 'host_unreachable'], () =>
        issuer.states(shop!.origin, { outcome, rails: [] }),
      ),
    ),
  'a statement for listings': fc.constant(
    stated(['report_expired'], () => issuer.states(shop!.origin, { rails: undefined })),
  ),
  'no statement at all': fc
    .constantFrom(undefined, '', 'not found')
    .map((text) => stated([text === undefined ? 'host_not_probed' : 'statement_refused'], () => text)),
};

/** Makes one purchase in a world. @returns what was signed and paid */
async function purchase(buyer: Buyer, { served = {}, statement, tamper, options, path = '/v1/quote' }: Attack) {
  const redirect = served.redirect && { redirect: `${elsewhere!.origin}${served.redirect}` };
  shop!.served = { ...inVersion(served, buyer.version), ...redirect };
  elsewhere!.served = { version: buyer.version };
  issuer.statement = statement ?? (() => issuer.states(shop!.origin));
  for (const one of [shop!, elsewhere!]) one.paid.length = 0;
  const wallet = countingWallet();
  const guarded = guard({ issuer: issuer.url, maxUsd: 1, ...options });
  const outcome = await buyer.pay(guarded, wallet, `${shop!.origin}${path}`, tamper).catch((error: unknown) => error);
  return { outcome, signed: wallet.signed.length, paid: shop!.paid.length + elsewhere!.paid.length };
}

function inVersion(served: Served, version: 1 | 2): Served {
  const network = served.requirement?.['network'];
  const named = version === 1 && typeof network === 'string' ? { network: V1_NAMES[network] ?? network } : {};
  return { ...served, version, requirement: { ...served.requirement, ...named } };
}

/** Runs every case with each client when all cases run; otherwise draws one client for each case. */
const CASES = partOf(600);

describe('a guarded purchase', () => {
  it.each(BUYERS)('with $name succeeds if the statement confirms it', async (buyer) => {
    expect(await purchase(buyer, { codes: [] })).toEqual({ outcome: 200, signed: 1, paid: 1 });
  });

  it.each(Object.entries(ATTACKS))('is refused with every client for %s', async (_name, attacks) => {
    const runs = Math.ceil(CASES / Object.keys(ATTACKS).length);
    const clients = CASES === 600 ? BUYERS.map((buyer) => [buyer]) : [BUYERS];
    for (const some of clients)
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...some), attacks, async (buyer, attack) => {
          const { outcome, signed, paid } = await purchase(buyer, attack);
          expect({ signed, paid }).toEqual({ signed: 0, paid: 0 });
          expect(attack.codes).toContain(isPaymentRefused(outcome) ? outcome.code : outcome);
        }),
        { numRuns: runs },
      );
  });
});
