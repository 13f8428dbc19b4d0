import { detailOf, type FixAdvice, type Judgement } from '../../judgement/judgement';
import { adviseUnpaid, isUnpaid } from './client-advice';
import { FOREIGN } from './x402-advice';
import { mppClients } from '../clients/mpp-clients';
import type { MppChallenge } from '../mpp-challenge';
import { checkMpp, type MppCheck } from '../mpp-checks';

const EXAMPLE =
  'WWW-Authenticate: Payment id="<unique id>", realm="{host}", method="tempo", intent="charge", ' +
  'request="<base64url, no padding>", expires="2030-01-01T00:00:00Z"\n' +
  'where request encodes {"amount":"10000","currency":"0x20C000000000000000000000b9537d11c60E8b50",' +
  '"methodDetails":{"chainId":4217},"recipient":"0x<your address>"} (10000 is 0.01 USDC.e on Tempo).';

const CURRENCY: FixAdvice = {
  kind: 'partial',
  problem: 'The payment method of the challenge does not define its currency, so the unit of the amount is unclear.',
  fix: 'Write the currency as the method\'s draft does: "sat" for lightning (amount in satoshis), a three-letter ISO 4217 code for stripe and card.',
};

/** Fixes for parameters that the parser of the MPP client rejects. */
const FAULTS: Readonly<Record<string, string>> = {
  mpp_challenge_broken: 'Close every quoted string, and send each parameter once.',
  mpp_method_invalid: 'Write the method in lower case.',
  mpp_expires_invalid: 'Write expires as an RFC 3339 time, such as 2030-01-01T00:00:00Z.',
  mpp_digest_invalid: 'Write digest as sha-256= and the hash, or remove it.',
  mpp_header_invalid: 'Set header to a header name, or remove it.',
  mpp_request_too_long: 'Shorten request to 16384 characters.',
  mpp_status_not_402: 'Send the challenge with a 402: clients read a 401 as a login.',
  mpp_request_undecodable: 'Encode the request JSON as base64url.',
};

/** One sentence per failed check. */
const REASONS: Readonly<Record<string, string>> = {
  ...FAULTS,
  network_missing: 'Set methodDetails.network, for example stellar:pubnet.',
  mpp_currency_invalid: 'Set currency to the full contract address or token id on the network.',
  mpp_currency_unexpected: 'Write the currency as the method defines it.',
  mpp_recipient_unspendable: 'Set recipient to an account you control: money sent to the current one is lost.',
  mpp_recipient_is_asset: 'Set recipient to your own account: a payment to the token contract is lost.',
  mpp_details_invalid: 'Write the fields of methodDetails as the method requires.',
  mpp_invoice_invalid: 'Use an invoice of the network in methodDetails.network.',
  mpp_period_missing: 'Add periodCount and periodUnit of the subscription.',
  mpp_splits_invalid: 'Give an account and an amount for each split, and leave an amount for the recipient.',
  method_unsupported: 'Offer a method that released clients support: tempo, evm, solana, stripe or lightning.',
  intent_unknown: 'Set intent to "charge".',
  amount_invalid: 'Write the amount as a string of digits in the smallest unit of the currency.',
  amount_zero: 'Set an amount above zero.',
  mpp_currency_missing: 'Add the currency to the request.',
  mpp_recipient_invalid: 'Set recipient to an address on that network that you control.',
  mpp_recipient_missing: 'Add the recipient to the request.',
  mpp_chain_missing: 'Add the chain as methodDetails.chainId.',
  mpp_details_missing: 'Add the fields that the method requires to methodDetails.',
  mpp_expired: 'Issue a new challenge for each request, with expires in the future.',
  price_implausible: 'The price is above 10000 dollars: check the decimals of the currency.',
};

/** Fixes for the MPP client where the x402 ones do not fit. */
const STOPS: Readonly<Record<string, string>> = {
  challenge_unread:
    'Send id, realm, method, intent and request as quoted parameters, and request as base64url-encoded JSON.',
  network_unspoken: 'Set methodDetails.chainId to a network that released clients support, for example 4217 (Tempo).',
  transfer_method_unspoken: 'List "authorization" in methodDetails.credentialTypes.',
};

/** The fix for live challenges that no agent can pay; it mentions the networks that the host uses. */
function adviseUnpayable(challenges: readonly MppChallenge[]): readonly FixAdvice[] {
  const judged = challenges.map((challenge) => ({ check: checkMpp(challenge), clients: mppClients(challenge) }));
  if (judged.some(({ check, clients }) => check.reasons.length === 0 && !isUnpaid(clients))) return [];
  const sentences = judged.flatMap(({ check, clients }) =>
    check.reasons.length === 0
      ? [adviseUnpaid(clients, STOPS)]
      : check.reasons.map((reason) => sentenceOf(reason, check)),
  );
  const problem = 'The host asks for payment by MPP, but agents cannot pay any of its challenges on a mainnet.';
  return [{ kind: 'unpayable', problem, fix: [...new Set(sentences)].slice(0, 10).join(' ') }];
}

function sentenceOf(reason: string, { terms }: MppCheck): string {
  const network = terms?.network?.name ?? terms?.networkId ?? 'the network';
  if (reason === 'network_testnet') return `${network} is a test network: offer its mainnet.`;
  if (reason === 'network_unknown') return `No known client pays on ${network}: offer a network that clients support.`;
  if (reason === 'asset_unknown') return `Set currency to the address of a dollar token on ${network}.`;
  return REASONS[reason] ?? `Add the missing parameter (${reason}).`;
}

/** The fixes for a host, depending on what was found. */
export function adviseMpp(judgement: Judgement, challenges: readonly MppChallenge[]): readonly FixAdvice[] {
  const answer = `Answer unpaid requests to the priced route with status 402, Cache-Control: no-store and this header:\n${EXAMPLE}`;
  if (judgement.status === 'absent') {
    return [{ kind: 'missing', problem: 'No WWW-Authenticate: Payment challenge was seen.', fix: answer }];
  }
  if (judgement.status === 'present') return adviseUnpayable(challenges);
  if (judgement.status !== 'partial') return [];
  const foreign = FOREIGN[detailOf(judgement, 'note') ?? ''];
  if (foreign !== undefined) return [{ kind: 'partial', problem: foreign, fix: answer }];
  if (challenges.length === 0) return [];
  const faults = (judgement.findings ?? []).map(({ id }) => id).filter((id) => id.startsWith('mpp_'));
  if (detailOf(judgement, 'note') === 'mpp_currency_unexpected') return [CURRENCY];
  return [
    {
      kind: 'partial',
      problem: `The Payment challenge is incomplete (${[...new Set(faults)].join(', ')}).`,
      fix: [
        ...new Set(challenges.flatMap((challenge) => challenge.faults).flatMap((fault) => FAULTS[fault] ?? [])),
        `Send id, realm, method, intent and request as quoted parameters separated by commas. ${answer}`,
      ].join(' '),
    },
  ];
}
