import { atomicAmount, codeWords, mergeClients, stopWords } from '@app/detectors';
import { explorerUrl } from '@app/networks';
import type { DeepReadonly } from '@app/platform';
import { z } from 'zod';
import { time, url } from './answer-schema';
import { utc } from './names';

/**
 * Behaviour 6.8: releases of a client with the same result, determined by rules; the client itself is never run on data
 * from hosts.
 */
const RailClient = z.object({
  name: z.string().describe('Package name, such as `@x402/fetch`.'),
  versions: z.array(z.string()),
  pays: z.boolean(),
  reason: z.string().exactOptional().describe('Why it cannot pay.'),
});

/**
 * Behaviour 6.2: the payment options of a host, from live challenges. `RAIL_MEMBERS` defines how each field is computed
 * and used.
 */
export const PaymentRail = z.object({
  protocol: z.enum(['x402', 'mpp']),
  version: z.string().nullable(),
  /** x402 only. */
  scheme: z.string().exactOptional(),
  /** mpp only: the payment method (`tempo`, `stripe`, ...). */
  method: z.string().exactOptional(),
  /** mpp only: `charge`, `session`, ... */
  intent: z.string().exactOptional(),
  /** CAIP-2 if the protocol has one, otherwise as stated; null if not stated. */
  network: z.string().nullable(),
  networkName: z.string().nullable(),
  testnet: z.boolean(),
  asset: z.string().nullable(),
  assetSymbol: z.string().nullable(),
  amount: z.string().nullable().describe('Lowest price of its resources, in atomic units, as stated.'),
  maxAmount: z.string().nullable().describe('Highest price of its resources, in atomic units, as stated.'),
  /** Computed with integers from our own table of assets. */
  amountUsd: z
    .string()
    .nullable()
    .describe('Price in dollars as a decimal, or null when the price of the asset is unknown.'),
  payTo: z.string().nullable(),
  /** Set if the amount is a maximum, as with `upto`. */
  ceiling: z.literal(true).exactOptional().describe('The amount is a maximum, not the price.'),
  resource: url.describe('URL of the cheapest resource; it answered with the challenge.'),
  resources: z.int().describe('Number of URLs that offer this way to pay.'),
  httpMethod: z.enum(['GET', 'POST']),
  /** Whether the reference client can read this challenge unchanged. */
  strictClientReadable: z.boolean(),
  clients: z
    .array(RailClient)
    .describe(
      'Which released clients can pay this way, and why the others cannot; empty when no client supports the network and scheme.',
    ),
  reasons: z.array(z.string()).describe('Failed checks; empty when the rail is payable.'),
  observedAt: time,
});
export type PaymentRail = DeepReadonly<z.infer<typeof PaymentRail>>;

/** Whether an agent with the right wallet can pay it: every check passed on a live challenge. */
export function isPayable({ reasons }: PaymentRail): boolean {
  return reasons.length === 0;
}

/** A fact about an option for people. */
export interface RailFact {
  readonly label: string;
  /** How Markdown and the command line introduce it; they omit facts without this. */
  readonly said?: string;
  /** The text to show, null or empty for none; by default the field itself. */
  readonly of?: (rail: PaymentRail) => string | null;
  /** Marks an id that people copy; returns its page at a block explorer, if there is one. */
  readonly link?: (rail: PaymentRail) => string | undefined;
}

/**
 * If two options differ in a field, they are two options of one challenge (`option`), two ways to pay in a report
 * (`way`), or not compared with each other between probes (`history`).
 */
export type Distinction = 'option' | 'way' | 'history';

/** How a field of an option is merged, compared and shown; `LiveOption` defines how it is computed. */
export interface RailMember<Value = unknown> {
  readonly distinct?: readonly Distinction[];
  /**
   * The value for a way to pay that several routes offer, cheapest first. `all` also contains the routes that fail
   * checks which others pass. By default, the cheapest route decides.
   */
  readonly merged?: (routes: readonly PaymentRail[], all: readonly PaymentRail[]) => Value;
  /** A part of the price in the history; the price has changed if a part that `decides` differs. */
  readonly price?: 'decides' | 'beside';
  readonly facts?: readonly RailFact[];
  /** Its column in the census dataset, and the value if that is not the field itself. */
  readonly column?: { readonly means: string; readonly of?: (rail: PaymentRail) => string };
}

const EVERYWHERE = ['option', 'way', 'history'] as const;

/** In the order of the report. */
export const RAIL_MEMBERS: { readonly [Name in keyof PaymentRail]-?: RailMember<PaymentRail[Name]> } = {
  protocol: { distinct: EVERYWHERE, facts: [{ label: 'Protocol', of: kindOf }], column: { means: 'x402 or mpp' } },
  version: { distinct: ['option'], merged: (_, all) => versionsOf(all) },
  scheme: { distinct: EVERYWHERE },
  method: { distinct: EVERYWHERE },
  intent: { distinct: EVERYWHERE },
  network: {
    distinct: EVERYWHERE,
    facts: [{ label: 'Network' }],
    column: { means: 'CAIP-2 id where the protocol has one' },
  },
  networkName: {},
  testnet: { column: { means: 'whether it is a test network' } },
  asset: {
    distinct: EVERYWHERE,
    facts: [{ label: 'Asset', link: ({ network, asset }) => explorerUrl(network ?? '', 'asset', asset ?? '') }],
    column: { means: 'as stated' },
  },
  assetSymbol: {},
  amount: {
    distinct: ['option'],
    price: 'decides',
    facts: [{ label: 'Amount', of: ({ amount }) => amount && `${amount} atomic units` }],
    column: { means: 'lowest price of its resources, in atomic units' },
  },
  maxAmount: { merged: (routes) => routes.reduce(dearer).maxAmount },
  amountUsd: {
    price: 'beside',
    column: { means: 'price in dollars as a decimal, where the price of the asset is known' },
  },
  payTo: {
    distinct: ['option', 'way'],
    facts: [{ label: 'Pay to', link: ({ network, payTo }) => explorerUrl(network ?? '', 'account', payTo ?? '') }],
    column: { means: 'the recipient' },
  },
  ceiling: {},
  resource: {
    distinct: ['option', 'history'],
    facts: [{ label: 'Route', of: ({ httpMethod, resource }) => `${httpMethod} ${resource}` }],
    column: { means: 'URL that answered with the challenge' },
  },
  resources: { merged: (_, all) => resourcesOf(all), facts: [{ label: 'Routes', of: routesOf }] },
  httpMethod: { distinct: ['option'] },
  observedAt: {
    facts: [{ label: 'Seen', of: ({ observedAt }) => utc(observedAt) }],
  },
  strictClientReadable: {},
  clients: {
    merged: (routes) => mergeClients(routes.map(({ clients }) => clients)),
    facts: [
      { label: 'Works with', said: 'works with', of: ({ clients }) => namesOf(clients, true) },
      { label: 'Fails with', said: 'fails with', of: ({ clients }) => namesOf(clients, false) },
    ],
    column: {
      means: 'client releases that can pay it, separated by commas',
      of: ({ clients }) => releasesOf(clients).join(),
    },
  },
  reasons: {
    facts: [{ label: 'Failed checks', of: ({ reasons }) => failedChecks(reasons) }],
    column: { means: 'failed checks, separated by commas', of: ({ reasons }) => reasons.join() },
  },
};

/** The failed checks of a payment option in sentences. */
export function failedChecks(reasons: readonly string[]): string {
  return reasons.map(codeWords).join(' ');
}

/** `0.05 USD` or `at most 0.05 USD`; null if the price is unknown. */
export function usdOfRail({ amountUsd, ceiling }: PaymentRail): string | null {
  return amountUsd === null ? null : `${ceiling ? 'at most ' : ''}${amountUsd} USD`;
}

/** Sorts by price, invalid amounts last. */
export function byPrice(a: PaymentRail, b: PaymentRail): number {
  const [x, y] = [numberOf(a.amount), numberOf(b.amount)];
  if (x !== y) return x < 0n || (y >= 0n && y < x) ? 1 : -1;
  const [m, n] = [a, b].map((rail) => `${rail.resource} ${rail.amount ?? ''} ${rail.payTo ?? ''}`) as [string, string];
  return m < n ? -1 : m > n ? 1 : 0;
}

/** `x402 2 · exact`. */
function kindOf({ protocol, version, scheme, method, intent }: PaymentRail): string {
  return `${protocol} ${[version, scheme, method, intent].filter((part) => part ?? false).join(' · ')}`;
}

function routesOf({ resources, maxAmount }: PaymentRail): string | null {
  return resources > 1 ? `${resources}, up to ${maxAmount ?? '?'} atomic units each` : null;
}

function dearer(a: PaymentRail, b: PaymentRail): PaymentRail {
  return numberOf(b.maxAmount) > numberOf(a.maxAmount) ? b : a;
}

/** The amount as a number, or -1 if it is invalid. */
function numberOf(amount: string | null): bigint {
  return atomicAmount(amount ?? '') ?? -1n;
}

/** `1+2` for an option that is offered in both versions of x402. */
function versionsOf(rails: readonly PaymentRail[]): string | null {
  const versions = new Set(rails.flatMap(({ version }) => version?.split('+') ?? []));
  return [...versions].sort().join('+') || null;
}

function resourcesOf(rails: readonly PaymentRail[]): number {
  const counts = new Map<string, number>();
  for (const { resource, resources } of rails) counts.set(resource, Math.max(counts.get(resource) ?? 0, resources));
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

/** Releases that can pay, such as `@x402/fetch 2.27`. */
function releasesOf(clients: PaymentRail['clients']): readonly string[] {
  return clients
    .filter(({ pays }) => pays)
    .flatMap(({ name, versions }) => versions.map((version) => `${name} ${version}`));
}

/** `@x402/fetch 2.20, 2.27; mppx 0.11`, or why the others fail: `mppx 0.11: the amount is invalid (amount_invalid)`. */
function namesOf(clients: PaymentRail['clients'], paying: boolean): string {
  return clients
    .filter(({ pays }) => pays === paying)
    .map(
      ({ name, versions, reason = 'unknown' }) =>
        `${name} ${versions.join(', ')}${paying ? '' : `: ${stopWords(reason)}`}`,
    )
    .join('; ');
}
