import { PAY_CLIENTS, PAY_INTENTS } from '@app/reports';

/** What is known about an error from its code alone. */
interface ErrorEntry {
  readonly status: number;
  /** What happened: the default message, also shown on the page of the code. */
  readonly sentence: string;
  /** What to do about it: shown on error pages and on the page of the code. */
  readonly remedy: string;
  /** Seconds until a retry makes sense, unless the error itself has a better value. */
  readonly retryAfterSec?: number;
  /** Added to the body if the caller may have sent a payment. */
  readonly charged?: false;
}

const entry =
  (status: number, fixed: Pick<ErrorEntry, 'retryAfterSec' | 'charged'> = {}) =>
  (sentence: string, remedy: string): ErrorEntry => ({ status, sentence, remedy, ...fixed });
const wrong = entry(400);
const unauthorized = entry(401);
const unpaid = entry(402);
const forbidden = entry(403);
const missing = entry(404);
const conflict = entry(409);
const tooMany = entry(429);
const unavailable = entry(503, { retryAfterSec: 5 });

const SIGN_AGAIN = 'Sign a new payment with the terms of the 402 response.';
const LATER = 'Wait as many seconds as Retry-After says, then retry.';

/**
 * Every error code of the service. A facilitator has its own codes for refused payments; they come with status 402.
 * None of these errors leads to a charge.
 */
export const ERROR_CODES = {
  bad_request: wrong('The request could not be read.', 'Send valid JSON and a valid URL.'),
  unknown_member: wrong('Unknown field in the request.', 'Remove the field that the error names.'),
  invalid_domain: wrong(
    'This is not a public host name.',
    'Send a name such as shop.example.com: no IP address, no single label, no reserved name, no bare public suffix.',
  ),
  invalid_domains: wrong('The list of hosts is missing, empty or too long.', 'Send 1 to 10 host names in `domains`.'),
  invalid_mode: wrong('Unknown batch mode.', 'Send "mode": "full".'),
  invalid_url: wrong(
    'This URL cannot be probed.',
    'Send an absolute https URL on a public host and port 443, without a user name or password.',
  ),
  invalid_types: wrong('Unknown alert type.', 'Send a list with one or more of the types that the error names.'),
  invalid_method: wrong('Unsupported HTTP method.', 'Send GET or POST.'),
  invalid_address: wrong(
    'Invalid EVM address.',
    'Send 0x and 40 hex digits; mixed case must match the EIP-55 checksum.',
  ),
  invalid_pay_to: wrong(
    'The address in `payTo` is not a valid EVM address.',
    'Send 0x and 40 hex digits; mixed case must match the EIP-55 checksum.',
  ),
  invalid_client: wrong('Unknown client.', `Send one of ${PAY_CLIENTS.join(', ')}, or omit it.`),
  invalid_intent: wrong('Unknown intent.', `Send one of ${PAY_INTENTS.join(', ')}, or omit it.`),
  invalid_network: wrong('Unsupported network.', 'Send one of the networks that the error names.'),
  unsupported_network: wrong(
    'This service cannot check payments on this network.',
    'Send one of the networks that the error names. For any other network, query a node of that network yourself.',
  ),
  invalid_tx: wrong('Invalid transaction hash.', 'Send 0x and 64 hex digits.'),
  invalid_amount: wrong('Invalid amount.', 'Send atomic units: digits without leading zeros, greater than 0.'),
  invalid_amount_usd: wrong('Invalid amount in dollars.', 'Send a decimal number with at most six decimal places.'),
  invalid_asset: wrong('The asset is not USDC.', 'Send USDC or its contract address on that network.'),
  invalid_query: wrong('The query is too long.', 'Send at most 253 characters of a host name or URL.'),
  invalid_protocol: wrong('Unknown payment protocol.', 'Send x402 or mpp, or omit it.'),
  invalid_max_price_usd: wrong('Invalid maximum price.', 'Send a decimal number in dollars.'),
  invalid_payable: wrong(
    'This list contains only payable hosts.',
    'Send `payable=true`. To read one host, use /api/v1/hosts/{domain}.',
  ),
  invalid_limit: wrong('The limit is out of range.', 'Send a whole number in the range that the error names.'),
  invalid_cursor: wrong('Invalid cursor.', 'Send the `nextCursor` of the previous page.'),
  unknown_protocol: wrong('Unknown protocol.', 'Send one of the ids listed in `allowed`.'),
  unknown_tool: wrong('Unknown MCP tool.', 'Call tools/list to get the names.'),
  invalid_request: wrong('The body is not a JSON-RPC request.', 'Send one JSON-RPC 2.0 request or notification.'),
  invalid_form: wrong('Unknown statement form.', 'Send `form=listing`, or omit it.'),
  payment_malformed: wrong(
    'The payment could not be read.',
    'Send the payment payload as base64 of JSON: version 2 in PAYMENT-SIGNATURE, version 1 in X-PAYMENT.',
  ),
  payment_ambiguous: wrong(
    'The call contains two different payments.',
    'Send one payment, in the header or in `_meta`.',
  ),
  subscriber_unknown: unauthorized('The request has no credential.', 'Send your key, or sign in with your wallet.'),
  subscription_key_invalid: unauthorized('Invalid subscription key.', 'Check the key: it starts with hps_.'),
  subscription_of_another_origin: unauthorized(
    'This subscription key is for another host.',
    'Use the key for this host.',
  ),
  subscription_expired: unauthorized('The subscription has expired.', 'Buy a new one; the history is kept.'),
  subscription_revoked: unauthorized('The subscription was revoked.', 'Buy a new one.'),
  sign_in_invalid: unauthorized(
    'The signed message is not valid.',
    'Sign the message in the field `extensions` of the error response.',
  ),
  sign_in_nonce_used: unauthorized(
    'This signed message was already used.',
    'Sign a new message; each can be used once.',
  ),
  not_subscribed: unauthorized(
    'This wallet has no subscription to this host.',
    'Buy one, or sign in with the wallet that bought one.',
  ),
  claim_key_invalid: unauthorized(
    'Wrong key for this claim.',
    'Check the key: it starts with hpo_. Programs send it as Authorization: Bearer. If you lost it, start a new claim.',
  ),
  claim_lapsed: unauthorized('The claim has ended.', 'Start a new claim; nothing carries over.'),
  watch_key_invalid: unauthorized(
    'Wrong key for this watch.',
    'Send the watch key as Authorization: Bearer; it starts with hpw_. If you lost it, create a new watch.',
  ),
  login_required: unauthorized(
    'Operator login required.',
    'Send the user name and the password of the operator (HTTP Basic).',
  ),
  payment_required: unpaid('Payment required.', 'Pay one of the options in `accepts`, with any x402 client.'),
  payment_invalid: unpaid(
    'This kind of payment is not supported.',
    'Send an x402 `exact` payment on an EVM network: an EIP-3009 authorization signed with the terms of the 402 response.',
  ),
  payment_header_too_large: unpaid('The payment header is too large.', 'Send only the payment in that header.'),
  payment_identifier_invalid: unpaid('Invalid payment identifier.', 'Send 16 to 128 letters, digits, _ or -.'),
  scheme_unsupported: unpaid('The payment uses a scheme that is not offered.', SIGN_AGAIN),
  network_unsupported: unpaid('The payment is on a network that is not offered.', SIGN_AGAIN),
  asset_mismatch: unpaid('The payment is in an asset that is not offered.', SIGN_AGAIN),
  recipient_mismatch: unpaid('The payment does not go to the address in `payTo`.', SIGN_AGAIN),
  amount_mismatch: unpaid('The payment is for the wrong amount.', SIGN_AGAIN),
  resource_mismatch: unpaid('The payment was signed for another request.', SIGN_AGAIN),
  transfer_method_unsupported: unpaid('The payment is not an EIP-3009 authorization.', SIGN_AGAIN),
  authorization_expired: unpaid('The authorization has expired.', SIGN_AGAIN),
  authorization_not_yet_valid: unpaid('The authorization is not valid yet.', 'Check your clock, then sign again.'),
  authorization_valid_too_long: unpaid('The authorization is valid for too long.', SIGN_AGAIN),
  authorization_too_short: unpaid('The authorization expires before the answer could be ready.', SIGN_AGAIN),
  authorization_canceled: unpaid('The authorization was canceled on the blockchain.', SIGN_AGAIN),
  settle_failed: unpaid('The payment could not be settled.', 'Check the balance of the wallet, then sign again.'),
  cross_site_form: forbidden('This form was sent from another site.', 'Open the page on this site and use its form.'),
  opted_out: forbidden(
    'The owner of this host opted out of probes. Its stored report stays free to read.',
    'Read the stored report.',
  ),
  claim_not_verified: forbidden(
    'The claim is not verified.',
    'Get the claim to see whether we found your record or file. We check twice, a few minutes apart.',
  ),
  forbidden_host: forbidden(
    'This local service accepts only local Host and Origin headers.',
    'Call it as localhost or 127.0.0.1.',
  ),
  not_found: missing('Page not found.', 'Check the address, or see the API reference.'),
  host_not_probed: missing(
    'This host has not been probed yet.',
    'Buy a refresh of the host, or request its free probe.',
  ),
  statement_expired: missing('No valid statement for this host.', 'Refresh the host to get one, or read its report.'),
  report_unknown: missing(
    'No report with this hash.',
    'Use the URL in a report or a statement. Reports are kept for 30 days after their statement expires.',
  ),
  delivery_unknown: missing('This watch has no such delivery.', 'Use the id of one of its deliveries.'),
  run_unknown: missing('Unknown run.', 'Get the running probe of the host: the answer contains its URL.'),
  method_not_found: missing('Unsupported JSON-RPC method.', 'Use tools/list or tools/call.'),
  method_not_allowed: entry(405)('Method not allowed.', 'Use a method in the Allow header.'),
  request_timeout: entry(408)('The request did not arrive in time.', 'Send the whole request again without pausing.'),
  payment_used_for_another_request: conflict(
    'This payment was already used for another request.',
    'Sign a new payment for each request.',
  ),
  payment_identifier_used: conflict(
    'This payment identifier was already used with another payment.',
    'Use a new identifier for a new payment.',
  ),
  too_many_watches: conflict(
    'Watch limit of this claim, subscription or host reached.',
    'Delete one of your watches first, or retry when others have ended.',
  ),
  watch_ended: conflict('The watch has ended.', 'Create a new watch.'),
  body_too_large: entry(413)('The body is larger than 64 KiB.', 'Send a smaller body.'),
  path_too_long: entry(414)('The path is too long.', 'Send a shorter path.'),
  unsupported_media_type: entry(415)(
    'The body must be application/json.',
    'Send JSON with Content-Type: application/json.',
  ),
  headers_too_large: entry(431)('The request headers are too large.', 'Send fewer or shorter headers.'),
  rate_limited: tooMany('Too many requests. Nothing was charged.', LATER),
  free_probes_used: tooMany(
    'The free probe for this host was used today, or a limit on free probes was reached.',
    'Wait as many seconds as Retry-After says and retry, or pay for a live probe.',
  ),
  subscription_budget: tooMany(
    'Daily refresh limit of this subscription reached.',
    'Wait, or pay for a single refresh.',
  ),
  too_many_logins: entry(429, { retryAfterSec: 900 })('Too many wrong passwords.', LATER),
  payer_must_wait: tooMany(
    'An earlier payment from this wallet failed for lack of funds, so we take its payments one at a time. Nothing was charged.',
    'Wait as many seconds as Retry-After says, then send the same payment again, or a new one.',
  ),
  target_busy: tooMany('Too many probes of this host. Nothing was charged.', LATER),
  internal_error: entry(500)(
    'Internal error.',
    'Retry. If it happens again, report the `requestId` of the error response.',
  ),
  probe_failed: entry(502, { retryAfterSec: 5, charged: false })(
    'The probe failed on our side. Nothing was charged.',
    LATER,
  ),
  no_worker: unavailable('Live probes are unavailable right now.', LATER),
  queue_unavailable: unavailable('Live probes are unavailable right now.', LATER),
  storage_unavailable: unavailable(
    // The database may fail after a payment settled. Sending the same payment again returns its answer without a second
    // charge.
    'The database of this service is unavailable. Send the same request again in a moment.',
    'Send the same request again, with the same payment if it had one.',
  ),
  too_many_connections: unavailable(
    'Too many open connections.',
    'Use fewer connections at a time, keep them open between requests, and retry in a moment.',
  ),
  busy: unavailable('Too many probes are waiting. Retry in a moment.', LATER),
  host_too_slow: unavailable(
    'This host is too slow to be probed within one request. Nothing was charged.',
    'Wait as many seconds as Retry-After says (at most 15 minutes), then retry. The stored report stays free to read.',
  ),
  batch_failed: unavailable('All probes of the batch failed. Nothing was charged.', LATER),
  facilitator_unavailable: unavailable('Payments cannot be verified right now. Nothing was charged.', LATER),
  payments_not_configured: unavailable(
    'Payments are not configured on this service.',
    'Ask the operator. Stored reports stay free to read.',
  ),
  payment_in_progress: unavailable(
    'The answer to this payment is not ready yet. Send the same payment again.',
    'Send the same payment again in a moment: you get the answer, or the outcome of the payment. You are never charged twice. Do not sign another payment.',
  ),
  settlement_unknown: unavailable(
    'The settlement is not confirmed yet. Send the same payment again to get the answer; you are not charged twice.',
    'Send the same payment again: you get the answer, or an error that confirms that you were not charged. Do not sign another payment.',
  ),
  probe_timeout: entry(504, { retryAfterSec: 5, charged: false })(
    'The probe did not finish in time. Nothing was charged.',
    LATER,
  ),
} as const satisfies Readonly<Record<string, ErrorEntry>>;

export type ErrorCode = keyof typeof ERROR_CODES;

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_CODES, code);
}

/** The entry of a code. */
export function errorEntry(code: ErrorCode): ErrorEntry {
  return ERROR_CODES[code];
}
