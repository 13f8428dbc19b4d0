import type { ClientAnswer } from '../clients/client';

/** What an owner does about what stops a client (docs/payable.md), one sentence each. */
const STOPS: Readonly<Record<string, string>> = {
  challenge_unread:
    'Send the challenge as released clients read it: version 2 as the standard base64 of its JSON in one header PAYMENT-REQUIRED, version 1 as JSON in the body without that header.',
  version_unspoken: 'Write "x402Version": 2 as a number.',
  schema_unmet:
    'State every member that the version demands, in its type: in version 2 resource as an object with url, in version 1 resource, description and mimeType as texts.',
  network_unspoken:
    'Offer an option on a network that released clients speak, for example Base: "eip155:8453" in version 2, "base" in version 1.',
  scheme_unspoken: 'Offer an option with scheme "exact".',
  payment_flow_unknown: 'Leave extra.paymentFlow out.',
  transfer_method_unspoken:
    'Leave extra.assetTransferMethod out, or set it to a method that released clients have for the scheme.',
  asset_unspoken: 'Offer the USDC of the network.',
  asset_unknown: 'Offer the USDC of the network.',
  asset_invalid: 'Write the address of the token in lower case or with the right checksum.',
  payto_invalid: 'Write payTo as an address of the network, in lower case or with the right checksum.',
  recipient_invalid: 'Write recipient as an address of the network, in lower case or with the right checksum.',
  amount_invalid: 'Write the amount as a string of digits in atomic units.',
  timeout_invalid: 'Write maxTimeoutSeconds as a whole number, for example 60.',
  domain_missing: 'State the EIP-712 domain of the token as the texts extra.name and extra.version.',
  domain_invalid:
    'State the EIP-712 domain of the token as the texts extra.name and extra.version, and leave extra.chainId and extra.verifyingContract out.',
  facilitator_address_missing: 'Add the address of the facilitator that settles it as extra.facilitatorAddress.',
  fee_payer_missing: "Add the fee payer's public key as extra.feePayer.",
  memo_too_long: 'Shorten extra.memo to 256 bytes.',
  extra_member_invalid: 'State each member of extra in the form of the specification of the scheme.',
  escrow_contract_unknown: 'Leave extra.authCaptureEscrow out, or state a contract that released clients know.',
  expired: 'Issue a new challenge for each request, with expires in the future.',
  splits_unspoken: 'Leave methodDetails.splits out.',
  splits_invalid: 'State an address and an amount for each split, and leave something for the recipient.',
  details_missing: 'State methodDetails.networkId.',
  details_invalid: 'Leave externalId out of methodDetails.metadata: the client writes it.',
  earlier_option_fails:
    'Repair the option before it, or put this one first: clients take the first option that they speak and do not try the next.',
};

/** The reasons above, for the table of the documents. */
export const ADVISED_STOPS: readonly string[] = Object.keys(STOPS);

/** Whether released clients speak the network and the scheme of an option and none of them pays it (behaviour 6.8). */
export function isUnpaid(clients: readonly ClientAnswer[]): boolean {
  return clients.length > 0 && !clients.some(({ pays }) => pays);
}

/**
 * How the newest release of the first client can be made to pay: one that pays is enough. `stops` are the sentences of a
 * protocol whose members have other names than those of x402.
 */
export function adviseUnpaid(clients: readonly ClientAnswer[], stops: Readonly<Record<string, string>> = {}): string {
  const newest = clients.filter(({ name }) => name === clients[0]?.name).at(-1);
  const reason = newest?.reason ?? '';
  return `No released client pays this: ${newest?.name ?? ''} ${newest?.versions.at(-1) ?? ''} stops at ${reason}. ${stops[reason] ?? STOPS[reason] ?? ''}`.trim();
}
