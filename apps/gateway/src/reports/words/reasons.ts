import type { BlockReason, TlsFault } from '@app/detectors';

/** Why a probe could not see something: `details.reason` of a cell, or the end of a whole probe. */
export type Reason = BlockReason | 'not_reached' | 'not_exercised' | 'detector_failed';

interface ReasonWords {
  /** What happened, as a sentence about the host. */
  readonly what: string;
  /** What the owner does about it. */
  readonly remedy: string;
}

const SLOW = 'Answer documents within 5 seconds: cache them, and serve them without starting an application.';
const ALLOW_PROBER =
  'Allow the prober for these paths: its user agent, its addresses and its signing keys are on the page about the prober.';
const NOTHING_TO_DO = 'Nothing is wrong with the host. Probe it again later.';

/** Every reason in words. */
export const REASONS: Readonly<Record<Reason, ReasonWords>> = {
  dns_nxdomain: {
    what: 'The name does not exist in the DNS.',
    remedy: 'Check the spelling of the name. If it is right, add an A or AAAA record for it, or renew the domain.',
  },
  dns_timeout: {
    what: 'The name servers did not answer in time.',
    remedy: 'Check that every name server that the parent zone lists answers, over UDP and TCP.',
  },
  dns_failure: {
    what: 'The name servers answered with an error, or without an address.',
    remedy: 'Add an A or AAAA record, and check the zone for DNSSEC faults and name servers that refuse it.',
  },
  address_refused: {
    what: 'The name leads to an address that the prober must not connect to, or its owner has opted out.',
    remedy:
      'Publish a public address. Private and reserved addresses, and ports other than 80 and 443, are never probed.',
  },
  connect_refused: {
    what: 'The host refuses connections on port 443.',
    remedy: 'Start the web server, and open port 443 in the firewall.',
  },
  connect_timeout: {
    what: 'The server did not accept a connection in time.',
    remedy: 'Check that a firewall does not drop packets to port 443, and that the DNS names the right address.',
  },
  connection_reset: {
    what: 'The server closed the connection before it answered.',
    remedy: 'Check the logs of the server and of the firewall before it. ' + ALLOW_PROBER,
  },
  tls_error: {
    what: 'The server offers no certificate that clients accept.',
    remedy: 'Install a certificate of a public authority for this name, with its intermediate certificates.',
  },
  timeout: { what: 'The host answered too slowly.', remedy: SLOW },
  headers_too_large: {
    what: 'The answer has more header bytes than clients accept.',
    remedy: 'Send at most 16 KB of response headers.',
  },
  too_large: {
    what: 'The document is larger than clients read.',
    remedy: 'Publish a smaller document, and link to the rest.',
  },
  bad_encoding: {
    what: 'The body is not in the coding that its Content-Encoding names.',
    remedy: 'Send the body as Content-Encoding says, or leave the header out.',
  },
  redirect_refused: {
    what: 'The host redirects too often, or to an address that is never followed.',
    remedy: 'Serve the document at its own path, or redirect once to https on a public name of the same site.',
  },
  redirect_loop: { what: 'The host redirects in a circle.', remedy: 'Serve the document at its own path.' },
  cookie_gate: {
    what: 'The host answers only clients that bring a cookie back.',
    remedy: 'Serve these paths without asking for a cookie: software agents keep none.',
  },
  protocol_error: {
    what: 'The answer is no valid HTTP.',
    remedy: 'Check the server, or what stands before it, for malformed headers and wrong lengths.',
  },
  bot_challenge: {
    what: 'A bot wall challenged the prober.',
    remedy: ALLOW_PROBER,
  },
  budget_spent: { what: 'The probe ended before this was requested.', remedy: NOTHING_TO_DO },
  redirected_to_login: {
    what: 'The host sends visitors to a login.',
    remedy: 'Serve these documents without a login: agents read them before they have an account.',
  },
  redirected_elsewhere: {
    what: 'The host sends visitors to another site.',
    remedy: 'Serve the documents at this name, or probe the site that it redirects to.',
  },
  waiting_room: {
    what: 'The host lets visitors wait in a queue.',
    remedy: 'Take the paths of these documents out of the queue.',
  },
  block_page: { what: 'A firewall answered in place of the host.', remedy: ALLOW_PROBER },
  auth_required: {
    what: 'The host asks for a login.',
    remedy: 'Serve these documents without a login: agents read them before they have an account.',
  },
  rate_limited: {
    what: 'The host answered that there were too many requests.',
    remedy: 'Let some 40 requests of one visitor pass in a minute. Probe again when the time it names is over.',
  },
  forbidden: { what: 'The host refused the prober (403).', remedy: ALLOW_PROBER },
  server_error: {
    what: 'The host answered with a fault of its own.',
    remedy: 'Check the log of the server for the time of the probe.',
  },
  payment_required: {
    what: 'The host wants to be paid for every path, documents too.',
    remedy: 'Serve the documents of discovery free of charge: they tell agents how to pay for the rest.',
  },
  refused: {
    what: 'The host refused the request with a status that says neither yes nor "not found".',
    remedy: 'Answer 200 with the document, or 404 where there is none.',
  },
  not_reached: { what: 'The time or the requests of the probe were used up before this was requested.', remedy: SLOW },
  not_exercised: {
    what: 'The paid routes were not called, so what they answer is not known.',
    remedy: 'A paid probe calls up to five advertised routes. State complete addresses, without templates.',
  },
  detector_failed: { what: 'A fault of this service kept it from judging the answer.', remedy: NOTHING_TO_DO },
};

export function isReason(code: string): code is Reason {
  return Object.hasOwn(REASONS, code);
}

/** What a certificate lacks, for `tls_error` with a detail. */
export const TLS_WORDS: Readonly<Record<TlsFault, string>> = {
  expired: 'The certificate has expired.',
  not_yet_valid: 'The certificate is not valid yet.',
  self_signed: 'The certificate is signed by the host itself.',
  untrusted_issuer:
    'The certificate comes from an authority that clients do not know, or an intermediate one is missing.',
  name_mismatch: 'The certificate is made out to another name.',
  invalid: 'The certificate is not valid.',
  handshake: 'The server did not complete a TLS handshake.',
  handshake_refused:
    'The server refused the TLS handshake: it shares no cipher with clients, or wants a certificate of them.',
  client_certificate: 'The server wants a certificate of its clients, and the prober has none.',
};

interface Wall {
  readonly name: string;
  /** Where its rule is made. */
  readonly rule: string;
}

/** The bot walls that are recognised (`details.wall`), with the rule that lets the prober pass. `%UA%` is its product token. */
export const WALLS: Readonly<Record<string, Wall>> = {
  cloudflare: {
    name: 'Cloudflare',
    rule: 'Security > WAF > Custom rules, action Skip:\n(http.user_agent contains "%UA%" and starts_with(http.request.uri.path, "/.well-known/"))',
  },
  vercel: {
    name: 'Vercel',
    rule: 'Firewall > Custom rules, action Bypass:\nUser Agent contains %UA%',
  },
  aws_waf: {
    name: 'AWS WAF',
    rule: 'Web ACL, a rule before the bot rules, action Allow:\nsingle header user-agent contains "%UA%"',
  },
  siteground: {
    name: 'SiteGround',
    rule: 'Site Tools > Security > Blocked traffic: ask support to allow the user agent %UA%',
  },
  imperva: { name: 'Imperva', rule: 'Client classification > Allow: user agent contains %UA%' },
  datadome: { name: 'DataDome', rule: 'Custom rules, response Allow:\nuser_agent contains %UA%' },
  akamai: { name: 'Akamai', rule: 'Bot Manager > Custom bot category, action Monitor:\nUser-Agent contains %UA%' },
  redshield: { name: 'RedShield', rule: 'Ask RedShield to allow the user agent %UA%' },
  web_bot_auth: {
    name: 'A gate that wants signed requests',
    rule: 'Add the key directory of the prober to the signature agents that the gate knows.',
  },
};
