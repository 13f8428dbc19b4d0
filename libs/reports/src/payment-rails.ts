import {
  checkAccept,
  checkMpp,
  mppChallenges,
  x402Challenges,
  type Answer,
  type HostEvidence,
  type MppChallenge,
  type X402Accept,
  type X402Challenge,
} from '@app/detectors';

/** Contract 3: the ways a host can be paid, each as seen in a live challenge. */
export interface PaymentRail {
  readonly protocol: 'x402' | 'mpp';
  readonly version: string | null;
  /** x402 only. */
  readonly scheme?: string;
  /** mpp only: the payment method (`tempo`, `stripe`, ...). */
  readonly method?: string;
  /** mpp only: `charge`, `session`, ... */
  readonly intent?: string;
  /** CAIP-2 where the protocol has one, otherwise as stated; null when not stated. */
  readonly network: string | null;
  readonly networkName: string | null;
  readonly testnet: boolean;
  readonly asset: string | null;
  readonly assetSymbol: string | null;
  /** Atomic units of the asset, as stated. */
  readonly amount: string | null;
  /** Decimal string computed with integers from our own asset table, or null. */
  readonly amountUsd: string | null;
  readonly payTo: string | null;
  /** URL that answered with the challenge. */
  readonly resource: string;
  readonly httpMethod: 'GET' | 'POST';
  /** Whether the reference client would read this challenge as it stands. */
  readonly strictClientReadable: boolean;
  /** Reason codes of failed checks; an empty list with a live challenge is a payable rail. */
  readonly reasons: readonly string[];
  readonly observedAt: string;
}

export interface PaymentRails {
  /** True only when a live challenge was parsed and at least one rail passes every check. */
  readonly payable: boolean;
  /** Time of the callability look that filled this, or null when none was made. */
  readonly checkedAt: string | null;
  readonly rails: readonly PaymentRail[];
}

/** Most rails in a report: five routes with ten options each. */
const MAX_RAILS = 50;

/**
 * The ways a host can be paid: one rail per option of each live challenge in the evidence, in the order observed.
 * Manifests and OpenAPI prices make no rail (spec 1.7, contract 3).
 */
export function paymentRails(seen: HostEvidence): PaymentRails {
  const rails = [
    ...x402Challenges(seen).flatMap((challenge) => challenge.accepts.map((accept) => x402Rail(challenge, accept))),
    ...mppChallenges(seen).map(mppRail),
  ];
  const distinct = [...new Map(rails.map((rail) => [identity(rail), rail])).values()].slice(0, MAX_RAILS);
  return {
    payable: distinct.some(isPayable),
    checkedAt: lastCallability(seen),
    rails: distinct,
  };
}

/** Whether an agent with the right wallet can pay it: every check passed on a live challenge. */
export function isPayable(rail: PaymentRail): boolean {
  return rail.reasons.length === 0;
}

function x402Rail(challenge: X402Challenge, accept: X402Accept): PaymentRail {
  const check = checkAccept(accept);
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
    amountUsd: check.amountUsd,
    payTo: accept.payTo,
    ...seenAt(challenge.answer),
    strictClientReadable: readable && check.strictClientReadable,
    reasons: check.reasons,
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
    amountUsd,
    payTo: recipient,
    ...seenAt(challenge.answer),
    strictClientReadable: challenge.faults.length === 0 && challenge.warnings.length === 0,
    reasons,
  };
}

function seenAt(answer: Answer): Pick<PaymentRail, 'resource' | 'httpMethod' | 'observedAt'> {
  return { resource: answer.finalUrl, httpMethod: answer.method, observedAt: answer.observedAt };
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

/** End of the callability look, or null when the evidence is of a presence look only. */
function lastCallability(seen: HostEvidence): string | null {
  const times = seen.exchanges.filter(({ phase }) => phase === 'callability').map(({ observedAt }) => observedAt);
  return times.sort().at(-1) ?? null;
}
