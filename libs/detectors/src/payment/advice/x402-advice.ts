import { GATEWAY_WALLETS, mainNetworkOf } from '@app/networks';
import { text } from '../../formats/json';
import type { FixAdvice } from '../../judgement/judgement';
import { adviseUnpaid } from './client-advice';
import type { ClientAnswer } from '../clients/client';
import type { X402Accept } from '../x402-accept';
import type { AcceptCheck } from '../x402-checks';

/** The smallest challenge that an agent can pay, as the JSON in the header. */
const CHALLENGE = JSON.stringify({
  x402Version: 2,
  resource: { url: 'https://{host}/api/report' },
  accepts: [
    {
      scheme: 'exact',
      network: 'eip155:8453',
      amount: '10000',
      asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      payTo: '0x<your address>',
      maxTimeoutSeconds: 60,
      extra: { name: 'USD Coin', version: '2' },
    },
  ],
});

const MANIFEST = JSON.stringify({ x402Version: 2, resources: ['https://{host}/api/report'] });

const ANSWER = `Answer unpaid requests to the priced route with status 402 and the header PAYMENT-REQUIRED, whose value is this JSON in base64 (amount is in atomic units: 10000 is 0.01 USDC):\n${CHALLENGE}`;
const PUBLISH = `List the priced routes at /.well-known/x402 as application/json:\n${MANIFEST}`;

/** Directories read this first: the price of an operation in an API description. */
const DESCRIPTION = JSON.stringify({
  openapi: '3.1.0',
  info: { title: '<name of the API>', version: '1.0.0' },
  servers: [{ url: 'https://{host}' }],
  paths: {
    '/api/report': {
      get: {
        'x-payment-info': { price: { mode: 'fixed', currency: 'USD', amount: '0.01' }, protocols: [{ x402: {} }] },
        responses: { 200: { description: 'The report' }, 402: { description: 'Payment required' } },
      },
    },
  },
});

const DESCRIBE = `State the price of each route in an OpenAPI description at /openapi.json. Most agents find routes with @agentcash/discovery, which reads only this file and treats the x402 manifest as legacy:\n${DESCRIPTION}`;

/** The meaning of a 402 without an x402 or MPP challenge, in words. */
export const FOREIGN: Readonly<Record<string, string>> = {
  cloudflare_pay_per_crawl: 'The host answers 402 because its CDN charges crawlers.',
  platform_suspended: 'The host answers 402 because its platform has suspended the account.',
  content_licensing_402: 'The host answers 402 with a content license.',
  l402_challenge: 'The host answers 402 with an L402 challenge, which x402 and MPP clients do not pay.',
  unpaid_account_402: 'The host answers 402 with a web page that does not tell a client how to pay.',
  insufficient_credits:
    'The host answers 402 because its credits are used up, and does not say how an agent can pay for the request.',
  payment_required_without_challenge: 'The host answers 402 but does not say how to pay.',
};

/** The fix for a host without x402; `note` is the meaning of its 402, if any. */
export function adviseMissing(note: string | undefined): FixAdvice {
  const problem = (note !== undefined && FOREIGN[note]) || 'No x402 payment challenge or manifest was found.';
  return {
    kind: 'missing',
    problem,
    fix: `${ANSWER}\n${DESCRIBE}\nAlso publish a manifest for crawlers. ${PUBLISH}`,
  };
}

export const HTML: FixAdvice = {
  kind: 'html',
  problem: 'The well-known x402 path answered with an HTML page.',
  fix: `${PUBLISH}\nIf nothing is for sale, answer 404 there: a web page is not a manifest.`,
};

/** The problem and the fix for each note that makes a status `partial`. */
const PARTIAL: Readonly<Record<string, readonly [problem: string, fix: string]>> = {
  manifest_without_x402version: [
    'The x402 manifest has no x402Version, and no advertised route answered with a challenge.',
    `Add the field "x402Version" (the number 2) to the manifest, for example:\n${MANIFEST}\n${ANSWER}`,
  ],
  manifest_placeholder: [
    'The x402 manifest still contains a placeholder address.',
    `Replace the placeholder with your own address, or remove the file until you have something to sell. A valid manifest:\n${MANIFEST}`,
  ],
  manifest_unrecognised: ['The JSON at the well-known x402 path has none of the fields of an x402 manifest.', PUBLISH],
  not_json: ['The document at the well-known x402 path is not valid JSON.', PUBLISH],
  x402_version_unrecognised: [
    'x402Version is neither the number 1 nor the number 2.',
    `Write "x402Version": 2 as a number. ${ANSWER}`,
  ],
  v2_in_body_only: [
    'The V2 challenge is only in the body of the 402, but V2 clients read it from the response header.',
    `Send the same JSON in the response header as well. ${ANSWER}`,
  ],
  accepts_empty: ['The challenge offers no way to pay: `accepts` is empty.', ANSWER],
  accepts_incomplete: ['No option in `accepts` names scheme, network, amount, asset and payTo.', ANSWER],
  payto_empty: [
    'payTo is empty, so the payment has no recipient.',
    `Set payTo to the address that receives the payment. ${ANSWER}`,
  ],
  payment_gate_behind_validation: [
    'A priced route validates its arguments before it asks for payment, so an agent that does not know them never sees the price.',
    `Check the payment first, and answer every unpaid request with 402, whatever its arguments are. ${ANSWER}`,
  ],
  siwx_login_wall: [
    'The 402 asks only for a wallet sign-in and offers no way to pay.',
    `Answer 401 for a sign-in, or add a payment option to \`accepts\`. ${ANSWER}`,
  ],
};

export function advisePartial(note: string | undefined): FixAdvice {
  const foreign = note === undefined ? undefined : FOREIGN[note];
  const [problem, fix] = (note === undefined ? undefined : PARTIAL[note]) ?? [
    foreign ?? `The payment challenge cannot be decoded${note === undefined ? '' : ` (${note})`}.`,
    ANSWER,
  ];
  return { kind: 'partial', problem, fix };
}

/** One sentence per failed check. */
const REASONS: Readonly<Record<string, string>> = {
  scheme_unsupported: 'Offer an option with scheme "exact".',
  scheme_needs_version_2: 'Offer the scheme in a version 2 challenge: version 1 has only the scheme "exact".',
  scheme_not_on_network: 'x402 does not define this scheme on this network: offer an option with scheme "exact".',
  crawler_account_needed:
    'Only crawlers with a Cloudflare account can pay this way: also offer an option that a wallet can pay.',
  network_unparsable: 'Write network as CAIP-2, for example eip155:8453.',
  network_unknown: 'Offer an option on a network where agents hold funds, for example eip155:8453 (Base).',
  network_testnet: 'Offer a mainnet, for example eip155:8453 instead of eip155:84532.',
  amount_invalid: 'Write the amount as a string of digits in atomic units.',
  amount_decimal_not_atomic: 'Write the amount in atomic units, not in dollars: 0.50 USDC is "500000".',
  amount_zero: 'Set an amount above zero.',
  asset_unknown:
    'Use the contract address of a dollar token, for example USDC on Base 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913.',
  asset_network_mismatch: 'The asset is a token address of another network: use its address on this network.',
  payto_empty: 'Set payTo to the address that receives the payment.',
  payto_invalid: 'Set payTo to a plain address of the network, not a name or a CAIP-10 id.',
  payto_zero: 'Set payTo to an address you control: money sent to the current one is lost.',
  payto_is_asset: 'Set payTo to your own address: a payment to the token contract is lost.',
  timeout_invalid: 'Set maxTimeoutSeconds to a number above zero, for example 60.',
  svm_feepayer_missing: "Add the fee payer's public key as extra.feePayer.",
  fee_payer_missing: 'Add the account that pays the network fee as extra.feePayer, for example 0.0.12345.',
  fees_not_sponsored:
    'Set extra.areFeesSponsored to true: clients do not sign payments whose fees they would have to pay.',
  memo_too_long: 'Shorten extra.memo to 256 bytes.',
  eip3009_unsupported_by_asset: 'The token does not support EIP-3009: add "assetTransferMethod": "permit2" to extra.',
  facilitator_address_missing: 'Add the address of the settling facilitator as extra.facilitatorAddress.',
  transfer_method_unsupported:
    'Set extra.assetTransferMethod to a method of the scheme, for example "permit2" for upto, or remove it.',
  capture_deadline_past: 'Set extra.captureDeadline to a time in the future, in seconds since 1970.',
  gateway_contract_missing: `Set extra.verifyingContract to the wallet contract of Circle Gateway: ${GATEWAY_WALLETS.main} on mainnets.`,
  gateway_contract_wrong: `Set extra.verifyingContract to the wallet contract of Circle Gateway: ${GATEWAY_WALLETS.main} on mainnets.`,
  gateway_network_unsupported:
    'Circle Gateway does not support this network: offer USDC on one that it supports, for example Base.',
  price_implausible: 'The price is above 10000 dollars: check the decimals of the token.',
};

/** A live option with the results of its checks. */
export interface JudgedOption {
  readonly accept: X402Accept;
  readonly check: AcceptCheck;
  readonly clients: readonly ClientAnswer[];
}

/** The fix for live options that no agent can pay. */
export function adviseUnpayable(options: readonly JudgedOption[]): FixAdvice {
  const sentences = options.flatMap(({ accept, check, clients }) =>
    check.reasons.length === 0
      ? [adviseUnpaid(clients)]
      : check.reasons.map((reason) => sentenceOf(reason, accept, check)),
  );
  return {
    kind: 'unpayable',
    problem: 'The host asks for payment, but agents cannot pay any of its options on a mainnet.',
    fix: [...new Set(sentences)].slice(0, 10).join(' '),
  };
}

/** The fix for options that only clients with their own token table can pay. */
export function adviseDomain({ token, networkId }: AcceptCheck): FixAdvice {
  const domain = token?.domain ?? { name: "<the token's name()>", version: '<its version()>' };
  return {
    kind: 'domain',
    problem: 'A payment option lacks the EIP-712 domain of its token, so the reference client cannot sign it.',
    fix: `Add to the option for ${token?.symbol ?? 'the token'} on ${networkId ?? 'its network'}: "extra": ${JSON.stringify({ name: domain.name, version: domain.version })}`,
  };
}

/** Names of the scheme `auth-capture` in its drafts. */
const FORMER_NAMES: ReadonlySet<string | null> = new Set(['escrow', 'authCapture', 'commerce']);

function sentenceOf(reason: string, accept: X402Accept, { token, networkId, network, members }: AcceptCheck): string {
  if (reason === 'scheme_unsupported' && FORMER_NAMES.has(accept.scheme)) {
    return `The scheme "${accept.scheme ?? ''}" is now called "auth-capture": use that name and its fields.`;
  }
  if (reason === 'extra_member_missing' || reason === 'extra_member_invalid') {
    return `The scheme "${accept.scheme ?? ''}" requires these fields of extra, as its specification defines them: ${members.join(', ')}.`;
  }
  const main = network && mainNetworkOf(network);
  if (reason === 'network_testnet' && network && main) {
    return `Offer ${main.name} (${main.caip2}) instead of ${network.name} (${network.caip2}).`;
  }
  const dollar = network?.assets?.[0];
  if (reason === 'asset_unknown' && network && dollar) {
    return `Use the contract address of a dollar token on ${network.name}, for example ${dollar.symbol} ${dollar.address}.`;
  }
  if (reason !== 'eip712_domain_wrong') return REASONS[reason] ?? reason;
  const stated = [accept.extra['name'], accept.extra['version']].map((value) => text(value) ?? '').join('" version "');
  const due = token?.domain
    ? `the ${token.symbol} contract on ${networkId ?? ''} expects extra.name "${token.domain.name}" and extra.version "${token.domain.version}"`
    : 'leave extra.verifyingContract out';
  return `The token contract rejects signatures under the stated EIP-712 domain (name "${stated}"): ${due}.`;
}
