import { PAY_CLIENTS, PAY_INTENTS } from '@app/reports';

/** What is known of an error by its code alone. */
interface ErrorEntry {
  readonly status: number;
  /** What happened: shown where no better sentence is known, and on the page of the code. */
  readonly sentence: string;
  /** What to do about it, on the page of the code. */
  readonly remedy: string;
  /** Seconds after which to try again, where nothing more exact is known. */
  readonly retryAfterSec?: number;
  /** Shown in the body where a caller who sent a payment needs to know. */
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
const away = entry(503, { retryAfterSec: 5 });

const SIGN_AGAIN = 'Sign a new payment with the terms of the 402 response.';
const LATER = 'Wait for the seconds in Retry-After, then send the request again.';

/**
 * Every error code of the service, and what is known by code alone. A facilitator that refuses a payment has codes of its
 * own, which come with status 402. None of these error responses is ever charged.
 */
export const ERROR_CODES = {
  bad_request: wrong('the request could not be read', 'Send valid JSON and a valid URL.'),
  invalid_domain: wrong(
    'the name is not a public host name',
    'Send a name such as shop.example.com: at least two labels, no IP address, no reserved name, no public suffix alone.',
  ),
  invalid_domains: wrong('the list of hosts is missing, empty or too long', 'Send one to ten names in domains.'),
  invalid_mode: wrong('the mode of the batch is not known', 'Send "mode": "full".'),
  invalid_url: wrong(
    'the URL cannot be probed',
    'Send an absolute https URL on a public host and port 443, without user and password.',
  ),
  invalid_types: wrong('there are no such alerts', 'Send a list of types that the error names.'),
  invalid_method: wrong('the HTTP method is not supported', 'Send GET or POST.'),
  invalid_address: wrong(
    'the address is not an EVM address',
    'Send 0x and 40 hex digits; mixed case must match the EIP-55 checksum.',
  ),
  invalid_pay_to: wrong(
    'the address in payTo is not an EVM address',
    'Send 0x and 40 hex digits; mixed case must match the EIP-55 checksum.',
  ),
  invalid_client: wrong('the client is not known', `Send one of ${PAY_CLIENTS.join(', ')}, or leave it out.`),
  invalid_intent: wrong('the intent is not known', `Send one of ${PAY_INTENTS.join(', ')}, or leave it out.`),
  invalid_network: wrong('the network is not supported', 'Send one of the networks that the error names.'),
  unsupported_network: wrong(
    'payments on the network cannot be read by this service',
    'Send one of the networks that the error names; ask a node of any other network.',
  ),
  invalid_tx: wrong('the transaction hash is malformed', 'Send 0x and 64 hex digits.'),
  invalid_amount: wrong('the amount is malformed', 'Send atomic units: digits without leading zeros, more than 0.'),
  invalid_amount_usd: wrong('the amount in dollars is malformed', 'Send a decimal with at most six places.'),
  invalid_asset: wrong('the asset is not USDC', 'Send USDC or its address on that network.'),
  invalid_query: wrong('the query is too long', 'Send at most 253 characters of a host name or URL.'),
  invalid_protocol: wrong('the payment protocol is not known', 'Send x402 or mpp, or leave it out.'),
  invalid_max_price_usd: wrong('the highest price is malformed', 'Send a decimal in dollars.'),
  invalid_payable: wrong(
    'hosts that can be paid are the only ones listed',
    'Send payable=true; read one host at /api/v1/hosts/{domain}.',
  ),
  invalid_limit: wrong('the limit is out of range', 'Send a whole number within the range that the error names.'),
  invalid_cursor: wrong('the cursor does not come from this service', 'Send the nextCursor of the previous page.'),
  unknown_protocol: wrong('the protocol is not known', 'Send one of the ids in the member allowed.'),
  unknown_tool: wrong('there is no MCP tool of that name', 'Call tools/list for the names.'),
  invalid_request: wrong('the body is not a JSON-RPC request', 'Send one JSON-RPC 2.0 request or notification.'),
  invalid_form: wrong('there is no such form of a statement', 'Send form=listing, or leave it out.'),
  payment_malformed: wrong(
    'the payment could not be read',
    'Send the payment payload as base64 of JSON: version 2 in PAYMENT-SIGNATURE, version 1 in X-PAYMENT.',
  ),
  payment_ambiguous: wrong('the call has two different payments', 'Send one payment, in the header or in _meta.'),
  subscriber_unknown: unauthorized('the request has no credential', 'Send your key, or sign in with your wallet.'),
  subscription_key_invalid: unauthorized('the subscription key is not valid', 'Check the key: it starts with hps_.'),
  subscription_of_another_origin: unauthorized('the key is for another host', 'Use the key of this host.'),
  subscription_expired: unauthorized('the subscription has ended', 'Buy another one; the history is kept.'),
  subscription_revoked: unauthorized('the subscription was revoked', 'Buy another one.'),
  sign_in_invalid: unauthorized(
    'the signed message is not valid',
    'Sign the message in extensions of the error response.',
  ),
  sign_in_nonce_used: unauthorized('the signed message was used before', 'Sign a new message; each can be used once.'),
  not_subscribed: unauthorized(
    'this wallet has no subscription to this host',
    'Buy one, or sign in with the wallet that bought one.',
  ),
  claim_key_invalid: unauthorized(
    'the key is not one of this claim',
    'Send the key of the claim as Authorization: Bearer; it starts with hpo_. Begin another claim when it is lost.',
  ),
  claim_lapsed: unauthorized('the claim has ended', 'Begin another one; nothing of the old one passes over.'),
  watch_key_invalid: unauthorized(
    'the key is not one of this watch',
    'Send the key of the watch as Authorization: Bearer; it starts with hpw_. Begin another watch when it is lost.',
  ),
  payment_required: unpaid('this request must be paid for', 'Pay as one of accepts says; any x402 client can do it.'),
  payment_header_too_large: unpaid('the payment header is too large', 'Send nothing but the payment in that header.'),
  payment_identifier_invalid: unpaid('the payment identifier is malformed', 'Send 16 to 128 letters, digits, _ or -.'),
  scheme_unsupported: unpaid('the payment uses a scheme that is not offered', SIGN_AGAIN),
  network_unsupported: unpaid('the payment is on a network that is not offered', SIGN_AGAIN),
  asset_mismatch: unpaid('the payment is in an asset that is not offered', SIGN_AGAIN),
  recipient_mismatch: unpaid('the payment does not go to the address in payTo', SIGN_AGAIN),
  amount_mismatch: unpaid('the payment is not of the amount asked for', SIGN_AGAIN),
  resource_mismatch: unpaid('the payment was signed for another request', SIGN_AGAIN),
  transfer_method_unsupported: unpaid('the payment is not an EIP-3009 authorization', SIGN_AGAIN),
  authorization_expired: unpaid('the authorization has expired', SIGN_AGAIN),
  authorization_not_yet_valid: unpaid('the authorization is not valid yet', 'Check your clock, then sign again.'),
  authorization_valid_too_long: unpaid('the authorization is valid for too long', SIGN_AGAIN),
  authorization_too_short: unpaid('the authorization ends before the answer could be ready', SIGN_AGAIN),
  authorization_canceled: unpaid('the authorization was canceled on chain', SIGN_AGAIN),
  settle_failed: unpaid('the payment could not be settled', 'Check the balance of the wallet, then sign again.'),
  cross_site_form: forbidden(
    'this form was sent by a page of another site',
    'Open the page of the host here and use its button.',
  ),
  opted_out: forbidden(
    'the owner of this host has asked not to be probed; its stored report stays free to read',
    'Read the stored report.',
  ),
  claim_not_verified: forbidden(
    'the claim is not verified',
    'Ask for the claim: it says what was found of the record and the file, and control has to be seen twice, some minutes apart.',
  ),
  forbidden_host: forbidden(
    'this local service takes only local Host and Origin headers',
    'Call it as localhost or 127.0.0.1.',
  ),
  not_found: missing('there is no such route', 'See the API reference.'),
  host_not_probed: missing('this host was never probed', 'Buy a refresh of the host, or ask for its free probe.'),
  statement_expired: missing(
    'no statement about this host holds now',
    'Buy a refresh of the host, or read its report, which says when it was probed.',
  ),
  report_unknown: missing(
    'there is no report with this hash',
    'Use the address that a report or a statement names; it is kept for 30 days after the statement ends.',
  ),
  delivery_unknown: missing('this watch has no such delivery', 'Send an id that the watch shows in deliveries.'),
  run_unknown: missing(
    'there is no such run',
    'Ask for the run of the host that is under way: its address is in the answer.',
  ),
  method_not_found: missing('the JSON-RPC method is not offered', 'Use tools/list or tools/call.'),
  method_not_allowed: entry(405)('the route does not have this method', 'Use a method that the header Allow names.'),
  request_timeout: entry(408)('the request did not arrive in time', 'Send the whole request again, without a pause.'),
  payment_used_for_another_request: conflict(
    'this payment was already used for another request',
    'Sign a new payment for each request.',
  ),
  payment_identifier_used: conflict(
    'this payment identifier was already used with another payment',
    'Use a new identifier for a new payment.',
  ),
  too_many_watches: conflict(
    'the watch limit of this claim, subscription or host is reached',
    'Delete one of your watches first, or try again when others have ended.',
  ),
  body_too_large: entry(413)('the body must not be larger than 64 KiB', 'Send a smaller body.'),
  path_too_long: entry(414)('the path is too long', 'Send a shorter path.'),
  unsupported_media_type: entry(415)(
    'the body must be application/json',
    'Send JSON with the content type application/json.',
  ),
  headers_too_large: entry(431)('the request headers are too large', 'Send fewer or shorter ones.'),
  rate_limited: tooMany('you sent too many requests; nothing was charged', LATER),
  free_probes_used: tooMany(
    'no free probe of this host is left for now: each host gets one a day, and callers, sites and the service have limits',
    'Try again later, or pay for a live probe.',
  ),
  subscription_budget: tooMany(
    'the refreshes that the subscription includes are used up for today',
    'Wait, or pay for a single refresh.',
  ),
  payer_must_wait: tooMany(
    'a payment of this wallet could not be settled for want of funds, so its payments are taken one at a time; nothing was charged',
    'Wait for the seconds in Retry-After, then send the same payment again, or a new one.',
  ),
  target_busy: tooMany(
    'this host gets no more requests from this service for the moment; try again later, nothing was charged',
    LATER,
  ),
  internal_error: entry(500)(
    'internal error',
    'Try again. If it happens again, report the requestId of the error response.',
  ),
  probe_failed: entry(502, { retryAfterSec: 5, charged: false })(
    'the probe failed on our side; nothing was charged',
    LATER,
  ),
  no_worker: away('live probes are not available right now; try again in a moment', LATER),
  queue_away: away('live probes are not available right now; try again in a moment', LATER),
  storage_away: away(
    // The storage may have gone after the money moved. The same payment then gets its answer, and is never charged twice.
    'the storage of this service cannot be reached; send the same request again in a moment',
    'Send the same request again, with the same payment if it had one.',
  ),
  too_many_connections: away(
    'too many connections are open; close those you do not use',
    'Use fewer connections at a time, keep them open between requests, and try again in a moment.',
  ),
  busy: away('too many probes are waiting; try again in a moment', LATER),
  host_too_slow: away(
    'this host answers too slowly to be probed within the time of a request; nothing was charged',
    'Try again after the time in Retry-After, at most 15 minutes. The stored report stays free to read.',
  ),
  batch_failed: away('none of the probes could be made; try again in a moment, nothing was charged', LATER),
  facilitator_unavailable: away('payments cannot be verified right now; nothing was charged', LATER),
  payments_not_configured: away(
    'this service does not take payments at the moment',
    'Ask the operator. Stored reports stay free to read.',
  ),
  payment_in_progress: away(
    'the answer to this payment is not ready yet; send the same payment again',
    'Send the same payment again in a moment: you get the answer, or how the payment ended. It is never charged twice. Do not sign another.',
  ),
  settlement_unknown: away(
    'the settlement is not confirmed yet; send the same payment again to get the answer, it is not charged twice',
    'Send the same payment again: you get the answer, or an error that says nothing was charged. Do not sign another.',
  ),
  probe_timeout: entry(504, { retryAfterSec: 5, charged: false })(
    'the probe did not finish in time; nothing was charged',
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
