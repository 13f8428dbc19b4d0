import { defined } from '@app/platform';
import type { Answer } from '../../evidence/exchange';
import type { HostEvidence } from '../../evidence/host-evidence';
import { onceEach } from '../../evidence/once-each';
import type { PaidProtocol } from '../advertisements';
import { isUnpaid } from '../advice/client-advice';
import type { ClientAnswer } from '../clients/client';
import { mppClients } from '../clients/mpp-clients';
import { x402Clients } from '../clients/x402-clients';
import { mppChallenges, readMppChallenges, type MppChallenge } from '../mpp-challenge';
import { checkMpp } from '../mpp-checks';
import { NOTHING, type MppTerms } from '../mpp-terms';
import type { X402Accept } from '../x402-accept';
import { x402Challenges, type X402Challenge } from '../x402-challenge';
import { checkAccept } from '../x402-checks';

/** A payment option of a live challenge, in the terms shared by all protocols. */
export interface LiveOption {
  readonly protocol: PaidProtocol;
  /** For x402. */
  readonly version: string | null;
  readonly scheme?: string;
  /** For MPP. */
  readonly method?: string;
  readonly intent?: string;
  /** CAIP-2 if the protocol has one, otherwise as stated. */
  readonly network: string | null;
  readonly networkName: string | null;
  readonly testnet: boolean;
  readonly asset: string | null;
  readonly assetSymbol: string | null;
  /** Atomic units as stated. */
  readonly amount: string | null;
  readonly amountUsd: string | null;
  readonly payTo: string | null;
  /** The amount is a maximum. */
  readonly ceiling?: true;
  readonly resource: string;
  readonly httpMethod: Answer['method'];
  readonly observedAt: string;
  /** Whether the reference client can read the challenge unchanged. */
  readonly strictClientReadable: boolean;
  readonly clients: readonly ClientAnswer[];
  /** Codes of failed checks. */
  readonly reasons: readonly string[];
}

/** The options of all live challenges, in the order observed. */
export const liveOptions: (seen: HostEvidence) => readonly LiveOption[] = onceEach((seen: HostEvidence) => [
  ...x402Challenges(seen).flatMap((challenge) => challenge.accepts.map((accept) => ofX402(challenge, accept))),
  ...mppChallenges(seen).map(ofMpp),
]);

function ofX402(challenge: X402Challenge, accept: X402Accept): LiveOption {
  const { scheme, asset, amount, payTo } = accept;
  const check = checkAccept(accept, challenge.answer.observedAt);
  const readable = challenge.strictlyReadable[accept.version === 1 ? 'v1' : 'v2'];
  return {
    protocol: 'x402',
    version: String(accept.version),
    ...defined({ scheme: scheme ?? undefined }),
    ...onNetwork(check),
    ...{ asset, assetSymbol: check.token?.symbol ?? null, amount, amountUsd: check.amountUsd, payTo },
    ...seenAt(challenge.answer, scheme),
    strictClientReadable: readable && check.strictClientReadable,
    ...judged(check.reasons, x402Clients(challenge, accept, check.networkId)),
  };
}

function ofMpp(challenge: MppChallenge): LiveOption {
  const { terms, amount, amountUsd, currency, recipient, reasons } = checkMpp(challenge);
  const { method, intent, answer } = challenge;
  return {
    protocol: 'mpp',
    version: null,
    ...defined({ method: method ?? undefined, intent: intent ?? undefined }),
    ...onNetwork(terms),
    ...{ asset: currency, assetSymbol: terms?.symbol ?? null, amount, amountUsd, payTo: recipient },
    ...seenAt(answer, intent),
    // The client reads all challenges of an answer or none.
    strictClientReadable: readMppChallenges(answer).every(
      ({ faults, warnings }) => faults.length + warnings.length === 0,
    ),
    ...judged(reasons, mppClients(challenge)),
  };
}

function onNetwork(terms: Pick<MppTerms, 'networkId' | 'network'> = NOTHING) {
  const { networkId, network } = terms;
  return { network: networkId, networkName: network?.name ?? null, testnet: network?.testnet ?? false };
}

function seenAt({ finalUrl: resource, method: httpMethod, observedAt }: Answer, kind: string | null) {
  return { resource, httpMethod, observedAt, ...(kind === 'upto' ? { ceiling: true as const } : {}) };
}

/** If released clients support the network and scheme, one of them must be able to pay (behaviour 6.8). */
function judged(reasons: readonly string[], clients: readonly ClientAnswer[]): Pick<LiveOption, 'clients' | 'reasons'> {
  return { clients, reasons: reasons.length === 0 && isUnpaid(clients) ? ['no_client_pays'] : reasons };
}
