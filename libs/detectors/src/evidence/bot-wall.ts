import { header, headerValues, type Answer } from './exchange';

/**
 * Recognizes answers of a bot wall in front of the host. Headers decide; markup is only used for providers without a
 * header of their own. A wall means that the host refused the probe, which is never absence. Signals: Cloudflare
 * `cf-mitigated`, Vercel `x-vercel-mitigated` (a 429 that is not rate limiting), AWS WAF `x-amzn-waf-action` (a 202
 * that is not success), SiteGround captcha, Imperva, DataDome, Akamai, Web Bot Auth gates.
 */
export function botWall(answer: Answer): string | undefined {
  if (/challenge|captcha|block/i.test(header(answer, 'cf-mitigated') ?? '')) return 'cloudflare';
  if (header(answer, 'x-vercel-mitigated') === 'challenge' || header(answer, 'x-vercel-challenge-token'))
    return 'vercel';
  if (/challenge|captcha/i.test(header(answer, 'x-amzn-waf-action') ?? '')) return 'aws_waf';
  if (siteGround(answer)) return 'siteground';
  if (answer.status === 403 && header(answer, 'accept-signature')) return 'web_bot_auth';
  if (answer.status < 400 && answer.status !== 202) return isBareIncapsula(answer) ? 'imperva' : undefined;
  return wallByMarkup(answer);
}

function siteGround(answer: Answer): boolean {
  const path = '/.well-known/sgcaptcha/';
  const refreshed = answer.status === 202 && answer.body.includes(path);
  return (
    refreshed ||
    (header(answer, 'location') ?? '').includes(path) ||
    answer.redirects.some((redirect) => redirect.location.includes(path)) ||
    answer.finalUrl.includes(path)
  );
}

/** Imperva's challenge is a 200 page with only its script; regular pages of the host contain the same script. */
function isBareIncapsula({ body }: Answer): boolean {
  return body.length < 2_048 && body.includes('/_Incapsula_Resource?') && !/<(?:title|h1|main|p)\b/i.test(body);
}

/** Only for error responses: on a 200 page, the same marks are tracking scripts rather than challenges. */
function wallByMarkup(answer: Answer): string | undefined {
  const head = answer.body.slice(0, 16_384);
  if (headerValues(answer, 'set-cookie').some((cookie) => /^datadome=/i.test(cookie)) || header(answer, 'x-datadome')) {
    return 'datadome';
  }
  if (/_Incapsula_Resource|Incapsula incident ID/.test(head)) return 'imperva';
  if (/errors\.edgesuite\.net|Reference&#32;&#35;|Reference #[0-9a-f.]{8}/i.test(head)) return 'akamai';
  if (/<title>Just a moment\.\.\.<\/title>|<title>Attention Required! \| Cloudflare<\/title>/i.test(head))
    return 'cloudflare';
  if (/support@redshield\.co|redshield/i.test(head)) return 'redshield';
  return undefined;
}
