/**
 * The waiting time in a `Retry-After` value (RFC 9110 section 10.2.3), in seconds: delay-seconds or an HTTP date. 0 for
 * a past date and for invalid values. The caller must apply an upper bound.
 */
export function retryAfterSec(value: string, now: Date): number {
  const text = value.trim();
  if (/^\d{1,15}$/.test(text)) return Number(text);
  // An IMF-fixdate contains its time zone; Date.parse alone would accept many other texts.
  const date = / GMT$/.test(text) && text.length <= 40 ? Date.parse(text) : NaN;
  return Number.isNaN(date) ? 0 : Math.max(0, Math.ceil((date - now.getTime()) / 1_000));
}
