import { header, headerValues, type Answer } from './exchange';
import { sniff } from '../formats/sniff';
import { parseAuthChallenges } from './auth-challenges';

/** The kind of a 402 without a payment challenge, from a closed list. */
type ForeignNote =
  | 'cloudflare_pay_per_crawl'
  | 'platform_suspended'
  | 'content_licensing_402'
  | 'l402_challenge'
  | 'unpaid_account_402'
  | 'insufficient_credits'
  | 'payment_required_without_challenge';

/** Words used by services with prepaid credit. */
const CREDITS =
  /\b(?:insufficient|not enough|no|out of|exhausted)[ _-](?:[a-z]{1,20}[ _-])?(?:credits?|balance|funds|quota)\b|\btop[ _-]?up\b/i;

/**
 * Identifies 402 answers that no x402 or MPP agent can pay: crawler charges, license gates, Lightning's L402, and
 * unpaid hosting accounts. Status 402 alone proves nothing. The fields become details of a cell; `priceUsd` is the
 * price of one request, if the scheme states it.
 */
export function foreign402(answer: Answer): { readonly note: ForeignNote; readonly priceUsd?: string | undefined } {
  const crawlerPrice = header(answer, 'crawler-price');
  if (crawlerPrice !== undefined) {
    const priceUsd = /^USD ([0-9]{1,9}(?:\.[0-9]{1,9})?)$/i.exec(crawlerPrice.trim())?.[1];
    return { note: 'cloudflare_pay_per_crawl', priceUsd };
  }
  if (header(answer, 'x-vercel-error') !== undefined) return { note: 'platform_suspended' };
  const schemes = parseAuthChallenges(headerValues(answer, 'www-authenticate')).map(({ scheme }) => scheme);
  if (schemes.includes('l402') || schemes.includes('lsat')) return { note: 'l402_challenge' };
  if (schemes.includes('license') || /tollbit/i.test(licenceSignals(answer))) return { note: 'content_licensing_402' };
  if (sniff(answer.body) === 'html') return { note: 'unpaid_account_402' };
  return {
    note: CREDITS.test(answer.body.slice(0, 4_096)) ? 'insufficient_credits' : 'payment_required_without_challenge',
  };
}

/** Gates in front of a whole host: crawlers must pay, or the hosting account is suspended. */
const GATES: ReadonlySet<ForeignNote> = new Set([
  'cloudflare_pay_per_crawl',
  'platform_suspended',
  'content_licensing_402',
]);

/** The gate behind a 402, as fields of a cell's details; empty for any other 402. */
export function gateOf(answer: Answer): Partial<ReturnType<typeof foreign402>> {
  const named = foreign402(answer);
  return GATES.has(named.note) ? named : {};
}

function licenceSignals(answer: Answer): string {
  const names = answer.headers.map(([name]) => name).join(' ');
  return `${names} ${header(answer, 'link') ?? ''} ${answer.body.slice(0, 16_384)}`;
}
