import { PAY_INTENTS } from '@app/reports';

/** What a stable error code means (contract 2), for its page. None of these answers is ever charged. */
export interface ErrorCode {
  readonly status: number;
  /** What happened. */
  readonly what: string;
  /** What to do about it. */
  readonly remedy: string;
}

const wrong = (what: string, remedy: string): ErrorCode => ({ status: 400, what, remedy });
const unpaid = (what: string, remedy: string): ErrorCode => ({ status: 402, what, remedy });
const stranger = (what: string, remedy: string): ErrorCode => ({ status: 401, what, remedy });
const away = (what: string, remedy: string): ErrorCode => ({ status: 503, what, remedy });

const SIGN_AGAIN = 'Sign a new payment from the challenge in this very answer.';
const LATER = 'Try again after the seconds that Retry-After names.';

/** Every code of ours. A facilitator that refuses a payment has words of its own, which come with status 402. */
export const ERROR_CODES = {
  bad_request: wrong('The request could not be read.', 'Send valid JSON and a valid URL.'),
  invalid_domain: wrong(
    'The name is no public host name.',
    'Send a name such as shop.example.com: two labels or more, no address, no reserved or bare public suffix.',
  ),
  invalid_domains: wrong('The list of hosts is missing, empty or too long.', 'Send one to ten names in domains.'),
  invalid_mode: wrong('The mode of the batch is not known.', 'Send "mode": "full".'),
  invalid_url: wrong(
    'The URL is not one that can be checked.',
    'Send an absolute https URL on a public host and port 443, without user and password.',
  ),
  invalid_method: wrong('The HTTP method is not one that a check sends.', 'Send GET or POST.'),
  invalid_address: wrong('The address is no EVM address.', 'Send 0x and 40 hex digits; mixed case must be EIP-55.'),
  invalid_pay_to: wrong(
    'The address in payTo is no EVM address.',
    'Send 0x and 40 hex digits; mixed case must be EIP-55.',
  ),
  invalid_intent: wrong('The intent is not known.', `Send one of ${PAY_INTENTS.join(', ')}, or leave it out.`),
  invalid_network: wrong('The network is not known here.', 'Send one of the ids that the error lists.'),
  invalid_tx: wrong('The transaction hash is malformed.', 'Send 0x and 64 hex digits.'),
  invalid_amount: wrong('The amount is malformed.', 'Send atomic units: digits without leading zeros, more than 0.'),
  invalid_amount_usd: wrong('The amount in dollars is malformed.', 'Send a decimal with at most six places.'),
  invalid_asset: wrong('The asset is not USDC.', 'Send USDC or its address on that network.'),
  invalid_query: wrong('The query is too long.', 'Send a part of a host name or URL.'),
  invalid_protocol: wrong('The payment protocol is not known.', 'Send x402 or mpp, or leave it out.'),
  invalid_max_price_usd: wrong('The highest price is malformed.', 'Send a decimal in dollars.'),
  invalid_limit: wrong('The limit is out of range.', 'Send a whole number within the range of the error.'),
  invalid_cursor: wrong('The cursor is not one of ours.', 'Send the nextCursor of the page before, unchanged.'),
  unknown_protocol: wrong('There is no detector of that name.', 'Send one of the ids in allowed.'),
  unknown_tool: wrong('There is no MCP tool of that name.', 'Ask for tools/list.'),
  invalid_request: wrong('The body is no JSON-RPC request.', 'Send one JSON-RPC 2.0 request or notification.'),
  payment_ambiguous: wrong('Two different payments came with one call.', 'Send one, in the header or in _meta.'),
  subscriber_unknown: stranger('No credential came with the request.', 'Send your key, or sign in with your wallet.'),
  subscription_key_invalid: stranger('This is no key of a subscription.', 'Check the key: it starts with hps_.'),
  subscription_of_another_origin: stranger('The key is for another host.', 'Use the key of this host.'),
  subscription_expired: stranger('The subscription has ended.', 'Buy another one; the history is kept.'),
  subscription_revoked: stranger('The subscription was revoked.', 'Buy another one.'),
  sign_in_invalid: stranger('The signed message does not hold.', 'Sign the message of extensions in this answer.'),
  sign_in_nonce_used: stranger('The signed message was used before.', 'Sign a new one; each is good once.'),
  not_subscribed: stranger('This wallet has no subscription of this host.', 'Buy one, or use the wallet that did.'),
  payment_required: unpaid('This costs money and no payment came.', 'Pay as accepts says; any x402 client can.'),
  payment_malformed: unpaid('The payment header could not be read.', 'Send base64 of the JSON your client signed.'),
  payment_header_too_large: unpaid('The payment header is too large.', 'Send the payment alone.'),
  payment_identifier_invalid: unpaid('The payment identifier is malformed.', 'Send 16 to 128 letters, digits, _ or -.'),
  scheme_unsupported: unpaid('The payment uses another scheme.', SIGN_AGAIN),
  network_unsupported: unpaid('The payment is on another network.', SIGN_AGAIN),
  asset_mismatch: unpaid('The payment is in another asset.', SIGN_AGAIN),
  recipient_mismatch: unpaid('The payment goes to another address.', SIGN_AGAIN),
  amount_mismatch: unpaid('The payment is of another amount.', SIGN_AGAIN),
  resource_mismatch: unpaid('The payment was signed for another request.', SIGN_AGAIN),
  transfer_method_unsupported: unpaid('The payment is no EIP-3009 authorization.', SIGN_AGAIN),
  authorization_expired: unpaid('The authorization has expired.', SIGN_AGAIN),
  authorization_not_yet_valid: unpaid('The authorization is not valid yet.', 'Check your clock, then sign again.'),
  authorization_valid_too_long: unpaid('The authorization is valid for too long.', SIGN_AGAIN),
  authorization_too_short: unpaid('The authorization ends before we could be done.', SIGN_AGAIN),
  authorization_canceled: unpaid('The authorization was canceled on chain.', SIGN_AGAIN),
  settle_failed: unpaid('The payment could not be settled.', 'Check the balance of the wallet, then sign again.'),
  opted_out: { status: 403, what: 'The owner of the host has asked not to be probed.', remedy: 'Read what is known.' },
  forbidden_host: { status: 403, what: 'The Host header is not ours.', remedy: 'Call the public address.' },
  not_found: { status: 404, what: 'There is no such route.', remedy: 'See the API reference.' },
  method_not_found: { status: 404, what: 'The JSON-RPC method is not offered.', remedy: 'Use tools/list, tools/call.' },
  method_not_allowed: { status: 405, what: 'The route has other methods.', remedy: 'Use one that Allow names.' },
  request_timeout: { status: 408, what: 'The request did not arrive in time.', remedy: 'Send it again, at once.' },
  payment_used_for_another_request: {
    status: 409,
    what: 'This payment was already used for another request.',
    remedy: 'Sign a new payment for each request.',
  },
  payment_identifier_used: {
    status: 409,
    what: 'The payment identifier already names another purchase.',
    remedy: 'Use a new identifier for a new payment.',
  },
  body_too_large: { status: 413, what: 'The body is larger than 64 KiB.', remedy: 'Send less.' },
  path_too_long: { status: 414, what: 'The path is too long.', remedy: 'Send a shorter one.' },
  unsupported_media_type: { status: 415, what: 'The body is no JSON.', remedy: 'Send application/json.' },
  headers_too_large: { status: 431, what: 'The request headers are too large.', remedy: 'Send fewer or shorter ones.' },
  rate_limited: { status: 429, what: 'You asked too often.', remedy: LATER },
  subscription_budget: {
    status: 429,
    what: 'The looks that the subscription includes are used up for today.',
    remedy: 'Wait, or pay for a single look.',
  },
  target_busy: {
    status: 429,
    what: 'This host is being asked as often as we allow ourselves, by all callers together.',
    remedy: LATER,
  },
  internal_error: {
    status: 500,
    what: 'A fault of ours.',
    remedy: 'Try again; if it stays, report the requestId of the answer.',
  },
  probe_failed: { status: 502, what: 'The look failed on our side.', remedy: LATER },
  no_worker: away('No worker is there to look.', LATER),
  queue_away: away('The queue is out of reach.', LATER),
  storage_away: away(
    'Our storage is out of reach.',
    'Send the very same request again, with the same payment if it had one.',
  ),
  busy: away('Too many looks are waiting.', LATER),
  batch_failed: away('None of the looks could be made, for reasons of ours.', LATER),
  facilitator_unavailable: away('Payments cannot be verified right now.', LATER),
  payments_not_configured: away('This installation takes no payments.', 'Ask its operator; reading stays free.'),
  payment_in_progress: away('This payment is still being worked on.', 'Send the very same payment again in a moment.'),
  settlement_unknown: away(
    'Whether the payment settled is not known yet. We look on chain.',
    'Send the very same payment again: it gives the answer, or says that nothing was taken. Do not sign another.',
  ),
  probe_timeout: { status: 504, what: 'The look did not finish in time.', remedy: LATER },
} as const satisfies Readonly<Record<string, ErrorCode>>;

export function findErrorCode(code: string): ErrorCode | undefined {
  return Object.hasOwn(ERROR_CODES, code) ? ERROR_CODES[code as keyof typeof ERROR_CODES] : undefined;
}

/** Whether it cost anything: never, and where it is open that is said (contract 5). */
export function chargeOf(code: string): string {
  return code === 'settlement_unknown' || code === 'storage_away'
    ? 'Not yet known. If it was charged, the same payment brings the answer you paid for.'
    : 'No.';
}
