import type { ClientAnswer } from '../clients/client';

/** Why a client cannot pay (docs/payable.md), with the sentence that tells the owner what to change. */
const STOPS: Readonly<Record<string, readonly [what: string, fix: string]>> = {
  challenge_unread: [
    'the challenge is not where this client looks for it',
    'Send the challenge the way released clients read it: version 2 as base64-encoded JSON in one PAYMENT-REQUIRED header, version 1 as JSON in the body without that header.',
  ],
  version_unspoken: ['it does not support this x402Version', 'Write "x402Version": 2 as a number.'],
  schema_unmet: [
    'a required field is missing or has the wrong type',
    'Include every field that the version requires, with the right type: in version 2 resource is an object with url; in version 1 resource, description and mimeType are strings.',
  ],
  network_unspoken: [
    'it does not support the network',
    'Offer an option on a network that released clients support, for example Base: "eip155:8453" in version 2, "base" in version 1.',
  ],
  scheme_unspoken: ['it does not support the scheme', 'Offer an option with scheme "exact".'],
  payment_flow_unknown: ['it does not know extra.paymentFlow', 'Remove extra.paymentFlow.'],
  transfer_method_unspoken: [
    'it does not support the transfer method',
    'Remove extra.assetTransferMethod, or set it to a method that released clients support for the scheme.',
  ],
  asset_unspoken: ['it does not support the token', 'Offer USDC on this network.'],
  asset_unknown: ['the token is unknown', 'Offer USDC on this network.'],
  asset_invalid: [
    'the token address is invalid',
    'Write the token address in lower case or with the correct checksum.',
  ],
  payto_invalid: [
    'the recipient address is invalid',
    'Write payTo as an address of the network, in lower case or with the correct checksum.',
  ],
  recipient_invalid: [
    'the recipient address is invalid',
    'Write recipient as an address of the network, in lower case or with the correct checksum.',
  ],
  amount_invalid: ['the amount is invalid', 'Write the amount as a string of digits in atomic units.'],
  timeout_invalid: [
    'maxTimeoutSeconds is not a whole number',
    'Write maxTimeoutSeconds as a whole number, for example 60.',
  ],
  domain_missing: [
    'the EIP-712 domain of the token is missing',
    'Give the EIP-712 domain of the token as the strings extra.name and extra.version.',
  ],
  domain_invalid: [
    'the EIP-712 domain of the token is invalid',
    'Give the EIP-712 domain of the token as the strings extra.name and extra.version, and remove extra.chainId and extra.verifyingContract.',
  ],
  facilitator_address_missing: [
    'extra.facilitatorAddress is missing',
    'Add the address of the settling facilitator as extra.facilitatorAddress.',
  ],
  fee_payer_missing: ['extra.feePayer is missing', "Add the fee payer's public key as extra.feePayer."],
  memo_too_long: ['extra.memo is too long', 'Shorten extra.memo to 256 bytes.'],
  extra_member_invalid: [
    'a field of extra is missing or invalid',
    'Write each field of extra as the specification of the scheme requires.',
  ],
  escrow_contract_unknown: [
    'it does not know the escrow contract',
    'Remove extra.authCaptureEscrow, or set it to a contract that released clients know.',
  ],
  expired: ['the challenge has expired', 'Issue a new challenge for each request, with expires in the future.'],
  splits_unspoken: ['it does not support splits', 'Remove methodDetails.splits.'],
  splits_invalid: [
    'the splits exceed the amount',
    'Give an address and an amount for each split, and leave an amount for the recipient.',
  ],
  details_missing: ['methodDetails.networkId is missing', 'Add methodDetails.networkId.'],
  details_invalid: [
    'methodDetails.metadata has a field that only the client may set',
    'Remove externalId from methodDetails.metadata: the client sets it.',
  ],
  earlier_option_fails: [
    'it takes an earlier option that it cannot sign',
    'Fix the option before it, or put this one first: clients take the first option they support and do not try the next.',
  ],
};

/** `a required field is missing or has the wrong type (schema_unmet)`. */
export function stopWords(reason: string): string {
  const what = STOPS[reason]?.[0];
  return what === undefined ? reason : `${what} (${reason})`;
}

/** The reasons above; a test compares them with the table in docs/payable.md. */
export const ADVISED_STOPS: readonly string[] = Object.keys(STOPS);

/** Whether released clients support the network and scheme of an option, but none can pay it (behaviour 6.8). */
export function isUnpaid(clients: readonly ClientAnswer[]): boolean {
  return clients.length > 0 && !clients.some(({ pays }) => pays);
}

/**
 * How to make the newest release of the first client work; one working client is enough. `stops` has the sentences of a
 * protocol whose field names differ from x402.
 */
export function adviseUnpaid(clients: readonly ClientAnswer[], stops: Readonly<Record<string, string>> = {}): string {
  const newest = clients.filter(({ name }) => name === clients[0]?.name).at(-1);
  const reason = newest?.reason ?? '';
  return `No released client can pay this. ${newest?.name ?? ''} ${newest?.versions.at(-1) ?? ''} fails: ${stopWords(reason)}. ${stops[reason] ?? STOPS[reason]?.[1] ?? ''}`.trim();
}
