import type { BlockReason, TlsFault } from '@app/detectors';

/** Why a check was inconclusive: `details.reason` of a cell, or the end of a whole probe. */
export type Reason = BlockReason | 'not_reached' | 'not_exercised' | 'detector_failed';

interface ReasonWords {
  /** What happened, as a sentence about the host. */
  readonly what: string;
  /** Advice for the owner. */
  readonly remedy: string;
}

const SLOW = 'Serve these files within 5 seconds: cache them, and serve them without starting an application.';
const ALLOW_PROBER =
  'Allow the prober for these paths. The page about the prober lists its user agent, IP addresses and signing keys.';
const LOGIN_FREE = 'Serve these files without a login: agents read them before they have an account.';
const NOTHING_TO_DO = 'Nothing is wrong with the host. Probe it again later.';

/** Every reason in words. */
export const REASONS: Readonly<Record<Reason, ReasonWords>> = {
  dns_nxdomain: {
    what: 'The name does not exist in the DNS.',
    remedy: 'Check the spelling. If it is correct, add an A or AAAA record for the name, or renew the domain.',
  },
  dns_timeout: {
    what: 'The name servers did not answer in time.',
    remedy: 'Check that every name server listed in the parent zone answers over UDP and TCP.',
  },
  dns_failure: {
    what: 'The name servers answered with an error or without an address.',
    remedy: 'Add an A or AAAA record, and check the zone for DNSSEC errors and name servers that refuse it.',
  },
  address_refused: {
    what: 'The name resolves to a private address, or the owner opted out.',
    remedy: 'Publish a public address. We never probe private or reserved addresses, or ports other than 80 and 443.',
  },
  connect_refused: {
    what: 'The host refuses connections on port 443.',
    remedy: 'Start the web server, and open port 443 in the firewall.',
  },
  connect_timeout: {
    what: 'The server did not accept a connection in time.',
    remedy: 'Check that no firewall drops packets to port 443, and that the DNS has the correct address.',
  },
  connection_reset: {
    what: 'The server closed the connection before it answered.',
    remedy: 'Check the logs of the server and of the firewall in front of it. ' + ALLOW_PROBER,
  },
  tls_error: {
    what: 'The server has no certificate that clients accept.',
    remedy: 'Install a certificate for this name from a public authority, with its intermediate certificates.',
  },
  timeout: { what: 'The host answered too slowly.', remedy: SLOW },
  headers_too_large: {
    what: 'The response headers are larger than clients accept.',
    remedy: 'Send at most 16 KB of response headers.',
  },
  too_large: {
    what: 'The file is larger than clients read.',
    remedy: 'Publish a smaller file, and link to the rest.',
  },
  bad_encoding: {
    what: 'The body does not match its Content-Encoding.',
    remedy: 'Encode the body as Content-Encoding says, or remove the header.',
  },
  redirect_refused: {
    what: 'The host redirects too often, or to an address that the prober does not follow.',
    remedy: 'Serve the file at its own path, or redirect once to https on a public name of the same site.',
  },
  redirect_loop: { what: 'The host redirects in a loop.', remedy: 'Serve the file at its own path.' },
  cookie_gate: {
    what: 'The host answers only clients that return its cookie.',
    remedy: 'Serve these paths without requiring a cookie: agents do not keep cookies.',
  },
  protocol_error: {
    what: 'The response is not valid HTTP.',
    remedy: 'Check the server, or the proxy in front of it, for malformed headers and wrong lengths.',
  },
  bot_challenge: {
    what: 'A bot check challenged the prober.',
    remedy: ALLOW_PROBER,
  },
  budget_spent: { what: 'The probe ran out of time before this request.', remedy: NOTHING_TO_DO },
  redirected_to_login: {
    what: 'The host redirects visitors to a login.',
    remedy: LOGIN_FREE,
  },
  redirected_elsewhere: {
    what: 'The host redirects visitors to another site.',
    remedy: 'Serve the files at this name, or probe the site that it redirects to.',
  },
  waiting_room: {
    what: 'The host puts visitors in a waiting room.',
    remedy: 'Exclude the paths of these files from the waiting room.',
  },
  block_page: { what: 'A firewall blocked the request.', remedy: ALLOW_PROBER },
  auth_required: {
    what: 'The host requires a login.',
    remedy: LOGIN_FREE,
  },
  rate_limited: {
    what: 'The host answered 429, too many requests.',
    remedy: 'Allow about 40 requests per minute from one client, then probe again after Retry-After.',
  },
  forbidden: { what: 'The host refused the request (403).', remedy: ALLOW_PROBER },
  server_error: {
    what: 'The host answered with a server error.',
    remedy: 'Check the server log for the time of the probe.',
  },
  payment_required: {
    what: 'The host asks for payment on every path, even for discovery files.',
    remedy: 'Serve the discovery files for free: they tell agents how to pay for the rest.',
  },
  refused: {
    what: 'The host answered with a status that is neither success nor 404.',
    remedy: 'Answer 200 with the file, or 404 if there is none.',
  },
  not_reached: { what: 'The probe used up its time or requests before this request.', remedy: SLOW },
  not_exercised: {
    what: 'The paid endpoints were not tested.',
    remedy: 'A paid probe tests up to five advertised endpoints. Publish complete URLs without placeholders.',
  },
  detector_failed: { what: 'An error on our side prevented this check.', remedy: NOTHING_TO_DO },
};

export function isReason(code: string): code is Reason {
  return Object.hasOwn(REASONS, code);
}

/** The fault of a certificate or handshake, for `tls_error` with a detail. */
export const TLS_WORDS: Readonly<Record<TlsFault, string>> = {
  expired: 'The certificate has expired.',
  not_yet_valid: 'The certificate is not valid yet.',
  self_signed: 'The certificate is self-signed.',
  untrusted_issuer: 'Clients do not trust the issuer of the certificate, or an intermediate certificate is missing.',
  name_mismatch: 'The certificate is for another name.',
  invalid: 'The certificate is not valid.',
  handshake: 'The TLS handshake failed.',
  handshake_refused:
    'The server refused the TLS handshake: it shares no cipher with clients, or requires a client certificate.',
  client_certificate: 'The server requires a client certificate, and the prober has none.',
};

export function tlsWords(fault: string | undefined): string | undefined {
  return fault !== undefined && Object.hasOwn(TLS_WORDS, fault) ? TLS_WORDS[fault as TlsFault] : undefined;
}

interface Wall {
  readonly name: string;
  /** The place to add the rule, and the rule. */
  readonly rule: string;
}

/** The recognized bot walls (`details.wall`), each with a rule that allows the prober. `hostprobe` is the product token of its user agent. */
export const WALLS: Readonly<Record<string, Wall>> = {
  cloudflare: {
    name: 'Cloudflare',
    rule: 'Security > WAF > Custom rules, action Skip:\n(http.user_agent contains "hostprobe" and starts_with(http.request.uri.path, "/.well-known/"))',
  },
  vercel: {
    name: 'Vercel',
    rule: 'Firewall > Custom rules, action Bypass:\nUser Agent contains hostprobe',
  },
  aws_waf: {
    name: 'AWS WAF',
    rule: 'Web ACL, a rule before the bot rules, action Allow:\nsingle header user-agent contains "hostprobe"',
  },
  siteground: {
    name: 'SiteGround',
    rule: 'Site Tools > Security > Blocked traffic: ask support to allow the user agent hostprobe',
  },
  imperva: { name: 'Imperva', rule: 'Client classification > Allow: user agent contains hostprobe' },
  datadome: { name: 'DataDome', rule: 'Custom rules, response Allow:\nuser_agent contains hostprobe' },
  akamai: { name: 'Akamai', rule: 'Bot Manager > Custom bot category, action Monitor:\nUser-Agent contains hostprobe' },
  redshield: { name: 'RedShield', rule: 'Ask RedShield to allow the user agent hostprobe' },
  web_bot_auth: {
    name: 'A gateway that requires signed requests',
    rule: 'Add the key directory of the prober to the signature agents that the gateway trusts.',
  },
};
