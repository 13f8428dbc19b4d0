import { parseUrl } from '../formats/parse-url';
import { sniff } from '../formats/sniff';
import { header, type Answer } from './exchange';
import { onceEach } from './once-each';

/** The target of a redirect that is not a document of the host. */
export interface RedirectGate {
  readonly reason: 'redirected_to_login' | 'redirected_elsewhere' | 'waiting_room';
  /** Host name of the target. */
  readonly redirectedTo: string;
}

/** The real kind of a page with a success status. */
export type GatePage = 'block_page' | 'waiting_room' | 'auth_required';

/** Words in URLs of logins. */
const LOGIN =
  /^(?:login|logon|signin|signon|sso|auth|authn|authenticate|authentication|authorize|authorise|oauth|oauth2|oidc|saml|saml2|idp|adfs|cas|password|unlock|accounts|identity|keycloak|okta|auth0|onelogin|microsoftonline|cloudflareaccess|anmelden|connexion|acceder)$/;
const LOGIN_PAIR = /(?:^|-)(?:log-in|sign-in|log-on|sign-on|access-login)(?:-|$)/;

/** Words in URLs of waiting rooms. */
const QUEUE = /^(?:queue|queueit|queueing|waitingroom|waitroom|lobby)$/;
const QUEUE_PAIR = /(?:^|-)(?:waiting-room|wait-room|queue-it|virtual-queue)(?:-|$)/;

/** Query parameters for returning the visitor: the target is a stop on the way rather than a new address. */
const RETURN =
  /^(?:next|continue|return|returnurl|return_url|return_to|returnto|redirect|redirect_uri|redirect_url|redirecturl|rd|goto|dest|destination|target|back|service|relaystate|t|u)$/i;

/**
 * The kind of target if a redirect does not lead to a document: a login, a waiting room, or another site. `target` is
 * absolute.
 */
export function gateAt(target: string, from: string, leavesSite: boolean): RedirectGate | undefined {
  const url = parseUrl(target);
  if (!url) return undefined;
  // The site's own name, such as login.gov, says nothing about its pages.
  const own = new Set(wordsOfAddress(new URL(new URL(from).origin)));
  const words = wordsOfAddress(url).filter((word) => !own.has(word));
  const joined = words.join('-');
  const redirectedTo = url.hostname;
  if (words.some((word) => QUEUE.test(word)) || QUEUE_PAIR.test(joined))
    return { reason: 'waiting_room', redirectedTo };
  const login = words.some((word) => LOGIN.test(word)) || LOGIN_PAIR.test(joined);
  if (login || (leavesSite && bringsBack(url, from))) return { reason: 'redirected_to_login', redirectedTo };
  return leavesSite ? { reason: 'redirected_elsewhere', redirectedTo } : undefined;
}

function wordsOfAddress({ hostname, pathname }: URL): readonly string[] {
  return `${hostname}${pathname}`
    .slice(0, 512)
    .toLowerCase()
    .split(/[^a-z0-9]+/);
}

/** Whether a query parameter contains the requested URL. */
function bringsBack({ searchParams }: URL, from: string): boolean {
  const path = parseUrl(from)?.pathname ?? '';
  return [...searchParams].some(([name, value]) => RETURN.test(name) && path.length > 1 && value.includes(path));
}

/** The longest page that may be a gate, in characters, and the longest visible text. */
const MAX_PAGE = 65_536;
const MAX_TEXT = 3_000;

/** A refusal as plain text is at most this long, in characters. */
const MAX_PLAIN = 600;

/** Patterns of what the visitor cannot access, followed by a word for refusal within a few words. */
const SUBJECT =
  /^(?:request|requests|requested|access|page|visit|visitor|traffic|connection|session|ip|you|client|url)$/;
const VERB =
  /^(?:rejected|denied|blocked|refused|restricted|forbidden|banned|verweigert|gesperrt|refus[eé]|denegado|negato|negado|bloqueado)$/;
const REACH = 6;

/** Headlines of challenge pages; each is matched in the title, the headings and the first line. */
const TRIAL =
  /just a moment|one moment,? please|attention required|security (?:check|verification|checkpoint)|(?:checking|verifying|validating) (?:your|the) (?:browser|connection)|(?:not|are you) a (?:ro)?bot|robot or human|robot check|you are (?:a )?human|(?:human|bot) verification|client challenge|pardon our interruption|unusual traffic|ddos protection|captcha/;
const QUEUED = /waiting room|you are (?:now )?in (?:line|the queue)|virtual queue|place in (?:line|the queue)/;
const SIGN_IN =
  /^(?:please )?(?:sign|log) ?in\b|\b(?:sign|log) ?in(?: required| to continue)?$|authentication required|login required|password protected|enter (?:the )?password/m;

/** Only refusal pages show incident numbers. */
const INCIDENT = /(?:incident|support|attack|block|ray|event) ?id\b|reference ?(?:id|number|#)/;

/**
 * Recognizes a page that a firewall, bot wall, waiting room or login serves with a success status. `catchAll` means
 * that a random path gets it too; only then do a login form or plain text count.
 */
export function gatePage(answer: Answer, catchAll: boolean): GatePage | undefined {
  const { block, queue, login } = marksOf(answer);
  if (queue) return 'waiting_room';
  if (block && (catchAll || sniff(answer.body) === 'html')) return 'block_page';
  return login && catchAll ? 'auth_required' : undefined;
}

const marksOf = onceEach((answer: Answer) => {
  const { body } = answer;
  const kind = sniff(body);
  const none = { block: false, queue: false, login: false };
  if (header(answer, 'cf-waiting-room') !== undefined) return { ...none, queue: true };
  if (kind === 'empty' || body.length > (kind === 'html' ? MAX_PAGE : MAX_PLAIN)) return none;
  const { headline, text } =
    kind === 'html' ? readPage(body) : { headline: body.toLowerCase(), text: body.toLowerCase() };
  if (text.length > MAX_TEXT) return none;
  const refused = headline.split('\n').some(refuses) || (refuses(text) && INCIDENT.test(text));
  return {
    block: refused || (kind === 'html' && (TRIAL.test(headline) || setsCookieAndReloads(body, text))),
    queue: kind === 'html' && QUEUED.test(headline),
    login:
      kind === 'html'
        ? SIGN_IN.test(headline) || asksForPassword(body)
        : /\bunauthori[sz]ed\b|\blog ?in required\b/.test(text),
  };
});

function refuses(text: string): boolean {
  const words = text.split(/[^\p{L}\p{N}]+/u);
  return words.some(
    (word, at) =>
      VERB.test(word) &&
      (words.length <= REACH || words.slice(Math.max(0, at - REACH), at + REACH).some((near) => SUBJECT.test(near))),
  );
}

/** A page that only sets a cookie by script and reloads. */
function setsCookieAndReloads(body: string, text: string): boolean {
  return (
    text.length < 300 &&
    body.includes('document.cookie') &&
    /location\.(?:href|reload|replace|assign)|location=/.test(body)
  );
}

function asksForPassword(body: string): boolean {
  return /type=["']?password/i.test(body);
}

interface Page {
  /** Title and headings, one per line, in lower case; the first text of a page without any. */
  readonly headline: string;
  /** Visible text including the title, in lower case. */
  readonly text: string;
}

/** The visible text of a page, in one pass over its tags, so in linear time even for broken pages. */
function readPage(html: string): Page {
  const lower = html.toLowerCase();
  const [texts, heads]: [string[], string[]] = [[], []];
  let inside = '';
  for (let at = 0; at < lower.length;) {
    const open = lower.indexOf('<', at);
    const text = lower
      .slice(at, open < 0 ? lower.length : open)
      .replace(/\s+/g, ' ')
      .trim();
    if (text !== '' && inside !== 'script' && inside !== 'style') {
      texts.push(text);
      if (/^(?:title|h[1-3])$/.test(inside)) heads.push(text);
    }
    if (open < 0) break;
    const close = lower.indexOf('>', open);
    if (close < 0) break;
    const [, end = '', name = ''] = /^<(\/?)([a-z][a-z0-9]{0,20})/.exec(lower.slice(open, open + 24)) ?? [];
    const raw = /^(?:script|style)$/.test(inside);
    if (raw ? end !== '' && name === inside : /^(?:title|h[1-3]|script|style)$/.test(name))
      inside = end === '' ? name : '';
    at = close + 1;
  }
  return {
    headline: entities((heads.length > 0 ? heads : texts.slice(0, 1)).join('\n')),
    text: entities(texts.join(' ')),
  };
}

function entities(text: string): string {
  return text.replaceAll('&#39;', "'").replaceAll('&#x27;', "'").replaceAll('&nbsp;', ' ').replaceAll('&amp;', '&');
}
