import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { guard } from '../src/guard.js';
import { caip2Of } from '../src/networks.js';
import { isObject, type JsonObject } from '../src/payment.js';
import { openIssuer, railOf, type Issuer } from './world.js';
import { partOf } from '../../../test/support/generated.js';

/** Folders with recorded responses: those of the tests, plus one that an environment variable names. */
const FOLDERS = [
  'test/fixtures',
  'test/oracle/reports',
  ...(process.env['HONEST_CHALLENGES'] ? [process.env['HONEST_CHALLENGES']] : []),
];

function filesIn(folder: string): readonly string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  return paths.filter((path) => statSync(path).isFile());
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Finds every payment option in a value: in lists named `accepts`, also inside JSON or base64 strings. */
function optionsIn(value: unknown): readonly JsonObject[] {
  if (typeof value === 'string') {
    const texts = value.length > 100 ? [value, Buffer.from(value, 'base64').toString()] : [];
    return texts.flatMap((text) => (text.startsWith('{') ? optionsIn(jsonIn(text)) : []));
  }
  if (Array.isArray(value)) return value.flatMap(optionsIn);
  if (!isObject(value)) return [];
  const { accepts } = value;
  const own = Array.isArray(accepts) ? accepts.filter(isObject) : [];
  return [...own, ...Object.values(value).flatMap(optionsIn)];
}

function optionsOf(path: string): readonly JsonObject[] {
  const text = readFileSync(path, 'utf8');
  const headers = [...text.matchAll(/^payment-required:\s*([\w+/=]+)\s*$/gim)].map(([, base64]) => base64);
  return [jsonIn(text), text.trim(), ...headers].flatMap(optionsIn);
}

/**
 * Options that a client could pay: all terms are strings, the amount is whole, and the token is given by address, not
 * by symbol.
 */
const HONEST = [
  ...new Map(
    FOLDERS.flatMap(filesIn)
      .flatMap(optionsOf)
      .filter(({ network, asset, payTo, amount, maxAmountRequired }) => {
        const terms = [network, asset, payTo, amount ?? maxAmountRequired];
        return (
          terms.every((term) => typeof term === 'string') &&
          /^\d+$/.test(terms[3] as string) &&
          !/^[A-Z]{3,6}$/.test(asset as string)
        );
      })
      .map((option) => [JSON.stringify(option), option]),
  ).values(),
];

let issuer: Issuer;
beforeAll(async () => {
  issuer = await openIssuer();
});
afterAll(() => {
  issuer.close();
});

const ORIGIN = 'https://shop.example.com';
const PURCHASES = partOf(1_000);

/**
 * Differences that an honest host may have from its statement: a lower price, another path, addresses in another case.
 */
const variants = fc.record({
  option: fc.constantFrom(...HONEST),
  path: fc.constantFrom('/v1/quote', '/v1/quote?n=1', '/v2/report'),
  isCheaper: fc.boolean(),
  isLower: fc.boolean(),
});

async function outcomeOf({
  option,
  path,
  isCheaper,
  isLower,
}: typeof variants extends fc.Arbitrary<infer V> ? V : never) {
  const { network, asset, payTo } = option as Readonly<Record<'network' | 'asset' | 'payTo', string>>;
  const stated = (option['amount'] ?? option['maxAmountRequired']) as string;
  const rails = [railOf(ORIGIN, { n: caip2Of(network), a: asset, to: payTo, amt: stated })];
  const inCase = (text: string) => (isLower && /^0x/.test(text) ? text.toLowerCase() : text);
  const amount = isCheaper ? `${BigInt(stated) / 2n}` : stated;
  const guarded = guard({ issuer: issuer.url, maxUsd: 1e6, statement: () => issuer.states(ORIGIN, { rails }) });
  const { resource, ...others } = option;
  const selectedRequirements = {
    ...others,
    ...(resource === undefined ? {} : { resource: `${ORIGIN}${path}` }),
    asset: network.includes(':') || /^0x/.test(asset) ? inCase(asset) : asset,
    payTo: inCase(payTo),
    ...(option['amount'] === undefined ? { maxAmountRequired: amount } : { amount }),
  };
  const context = { paymentRequired: { resource: { url: `${ORIGIN}${path}` } }, selectedRequirements };
  const answer = await guarded.within(`${ORIGIN}${path}`, () => guarded.hook(context));
  return answer?.reason ?? 'allowed';
}

describe('an honest purchase', () => {
  it('is taken from recorded challenges', () => {
    expect(HONEST.length).toBeGreaterThan(10);
  });

  it('is allowed', async () => {
    const refused: string[] = [];
    const tried = fc.asyncProperty(variants, async (variant) => {
      const outcome = await outcomeOf(variant);
      if (outcome !== 'allowed') refused.push(outcome);
    });
    await fc.assert(tried, { numRuns: PURCHASES });
    if (process.env['HONEST_CHALLENGES'])
      process.stdout.write(`${HONEST.length} options ${JSON.stringify(tally(refused))}\n`);
    expect(refused).toEqual([]);
  });
});

function tally(reasons: readonly string[]): Readonly<Record<string, number>> {
  return reasons.reduce<Record<string, number>>((all, reason) => ({ ...all, [reason]: (all[reason] ?? 0) + 1 }), {});
}
