import {
  checkAccept,
  checkMpp,
  isUnpaid,
  mergeClients,
  mppChallenges,
  mppClients,
  readMppChallenges,
  visible,
  x402Challenges,
  x402Clients,
  type Answer,
  type ClientAnswer,
  type HostEvidence,
  type MppChallenge,
  type X402Accept,
  type X402Challenge,
} from '@app/detectors';
import type { DeepReadonly } from '@app/platform';
import { z } from 'zod';
import { time, url } from './answer-schema';
import { mergeRails } from './merge-rails';

/**
 * Who can pay a rail, and what stops the others, in a sentence each: `@x402/fetch 2.27`, `mppx 0.11 (domain_missing)`. Empty
 * where no released client speaks its network and scheme.
 */
export function whoPays({ clients }: Pick<PaymentRail, 'clients'>): {
  readonly paidBy: string;
  readonly stopped: string;
} {
  const named = ({ name, versions }: PaymentRail['clients'][number]): string => `${name} ${versions.join(', ')}`;
  return {
    paidBy: clients
      .filter(({ pays }) => pays)
      .map(named)
      .join('; '),
    stopped: clients
      .filter(({ pays }) => !pays)
      .map((client) => `${named(client)} (${client.reason ?? 'unknown'})`)
      .join('; '),
  };
}

/** Behaviour 6.8: releases of a client that answer the same, as its rules say; it is never run on what a host sends. */
const RailClient = z.object({
  name: z.string().describe('The package, such as `@x402/fetch`.'),
  versions: z.array(z.string()),
  pays: z.boolean(),
  reason: z.string().exactOptional().describe('What stops it.'),
});

/** Behaviour 6.2: the ways a host can be paid, each as seen in a live challenge. */
export const PaymentRail = z.object({
  protocol: z.enum(['x402', 'mpp']),
  version: z.string().nullable(),
  /** x402 only. */
  scheme: z.string().exactOptional(),
  /** mpp only: the payment method (`tempo`, `stripe`, ...). */
  method: z.string().exactOptional(),
  /** mpp only: `charge`, `session`, ... */
  intent: z.string().exactOptional(),
  /** CAIP-2 where the protocol has one, otherwise as stated; null when not stated. */
  network: z.string().nullable(),
  networkName: z.string().nullable(),
  testnet: z.boolean(),
  asset: z.string().nullable(),
  assetSymbol: z.string().nullable(),
  amount: z.string().nullable().describe('Atomic units, as stated: the cheapest of its resources.'),
  maxAmount: z.string().nullable().describe('Atomic units, as stated: the dearest of its resources.'),
  /** Computed with integers from the service's own table of assets. */
  amountUsd: z.string().nullable().describe('Decimal dollars, or null when the asset has no known price.'),
  payTo: z.string().nullable(),
  /** Only where the amount is the most that is taken, as with `upto`. */
  ceiling: z.literal(true).exactOptional().describe('The amount is the most that is taken, not the price.'),
  resource: url.describe('URL that answered with the challenge: the cheapest one.'),
  resources: z.int().describe('How many URLs answered with this way to pay.'),
  httpMethod: z.enum(['GET', 'POST']),
  /** Whether the reference client would read this challenge as it stands. */
  strictClientReadable: z.boolean(),
  clients: z
    .array(RailClient)
    .describe(
      'Which released clients pay it, and what stops the others; empty where none of them speaks the network and scheme.',
    ),
  reasons: z.array(z.string()).describe('Failed checks; empty when the rail is payable.'),
  observedAt: time,
});
export type PaymentRail = DeepReadonly<z.infer<typeof PaymentRail>>;

export const PaymentRails = z.object({
  payable: z.boolean().describe('A live challenge was read and a rail of it passes every check.'),
  /** Time of the callability probe that filled this, or null when none was made. */
  checkedAt: time.nullable(),
  rails: z.array(PaymentRail),
});
export type PaymentRails = DeepReadonly<z.infer<typeof PaymentRails>>;

/** Most rails in a report. */
const MAX_RAILS = 50;

/**
 * The ways a host can be paid, one rail for each (behaviour 6.2). Manifests and OpenAPI prices make no rail (behaviour 6.1).
 */
export function paymentRails(seen: HostEvidence): PaymentRails {
  const rails = mergeRails(offeredRails(seen)).slice(0, MAX_RAILS);
  return { payable: rails.some(isPayable), checkedAt: lastCallability(seen), rails };
}

/**
 * One rail per option of each live challenge in the evidence, in the order observed: what the history compares, since
 * which routes answer a probe varies.
 */
export function offeredRails(seen: HostEvidence): readonly PaymentRail[] {
  const rails = [
    ...x402Challenges(seen).flatMap((challenge) => challenge.accepts.map((accept) => x402Rail(challenge, accept))),
    ...mppChallenges(seen).map(mppRail),
  ].map(quoted);
  const offered = new Map<string, PaymentRail>();
  for (const rail of rails) {
    const same = offered.get(identity(rail)) ?? rail;
    const [kept = same, ...others] =
      isPayable(rail) === isPayable(same) ? [same, rail] : [same, rail].filter(isPayable);
    offered.set(identity(rail), { ...kept, clients: mergeClients([kept, ...others].map(({ clients }) => clients)) });
  }
  return [...offered.values()];
}

/** A rail as a report may show it: each text of the host bounded and visible. */
function quoted(rail: PaymentRail): PaymentRail {
  const members = Object.entries(rail).map(([name, value]: [string, unknown]) => [
    name,
    typeof value === 'string' ? visible(value, 2_048) : value,
  ]);
  return Object.fromEntries(members) as PaymentRail;
}

/** Whether an agent with the right wallet can pay it: every check passed on a live challenge. */
export function isPayable(rail: PaymentRail): boolean {
  return rail.reasons.length === 0;
}

function x402Rail(challenge: X402Challenge, accept: X402Accept): PaymentRail {
  const check = checkAccept(accept, challenge.answer.observedAt);
  const readable = accept.version === 1 ? challenge.strictlyReadable.v1 : challenge.strictlyReadable.v2;
  return {
    protocol: 'x402',
    version: String(accept.version),
    ...(accept.scheme === null ? {} : { scheme: accept.scheme }),
    network: check.networkId,
    networkName: check.network?.name ?? null,
    testnet: check.network?.testnet ?? false,
    asset: accept.asset,
    assetSymbol: check.token?.symbol ?? null,
    amount: accept.amount,
    maxAmount: accept.amount,
    amountUsd: check.amountUsd,
    payTo: accept.payTo,
    ...(accept.scheme === 'upto' ? { ceiling: true as const } : {}),
    ...seenAt(challenge.answer),
    strictClientReadable: readable && check.strictClientReadable,
    ...judged(check.reasons, x402Clients(challenge, accept, check.networkId)),
  };
}

function mppRail(challenge: MppChallenge): PaymentRail {
  const { terms, amount, amountUsd, currency, recipient, reasons } = checkMpp(challenge);
  return {
    protocol: 'mpp',
    version: null,
    ...(challenge.method === null ? {} : { method: challenge.method }),
    ...(challenge.intent === null ? {} : { intent: challenge.intent }),
    network: terms?.networkId ?? null,
    networkName: terms?.network?.name ?? null,
    testnet: terms?.network?.testnet ?? false,
    asset: currency,
    assetSymbol: terms?.symbol ?? null,
    amount,
    maxAmount: amount,
    amountUsd,
    payTo: recipient,
    ...(challenge.intent === 'upto' ? { ceiling: true as const } : {}),
    ...seenAt(challenge.answer),
    // The client reads all challenges of an answer or none.
    strictClientReadable: readMppChallenges(challenge.answer).every(isStrict),
    ...judged(reasons, mppClients(challenge)),
  };
}

function isStrict({ faults, warnings }: MppChallenge): boolean {
  return faults.length === 0 && warnings.length === 0;
}

/** Where released clients speak the network and scheme, one of them must pay (behaviour 6.8). */
function judged(
  reasons: readonly string[],
  clients: readonly ClientAnswer[],
): Pick<PaymentRail, 'clients' | 'reasons'> {
  return { clients, reasons: reasons.length === 0 && isUnpaid(clients) ? ['no_client_pays'] : reasons };
}

function seenAt(answer: Answer): Pick<PaymentRail, 'resource' | 'resources' | 'httpMethod' | 'observedAt'> {
  return { resource: answer.finalUrl, resources: 1, httpMethod: answer.method, observedAt: answer.observedAt };
}

/** Two rails with the same terms at the same place are one, also when a page quotes them twice. */
function identity(rail: PaymentRail): string {
  const { protocol, version, scheme, method, intent, network, asset, amount, payTo, resource, httpMethod } = rail;
  return JSON.stringify([
    protocol,
    version,
    scheme ?? method,
    intent,
    network,
    asset,
    amount,
    payTo,
    resource,
    httpMethod,
  ]);
}

/** End of the callability probe, or null when the evidence is of a presence probe only. */
function lastCallability(seen: HostEvidence): string | null {
  const times = seen.exchanges.filter(({ phase }) => phase === 'callability').map(({ observedAt }) => observedAt);
  return times.sort().at(-1) ?? null;
}
