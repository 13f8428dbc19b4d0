/**
 * Seconds to wait by a `Retry-After` value (RFC 9110 section 10.2.3), from delay-seconds or an HTTP date; 0 for a date in
 * the past and for anything else. The caller bounds it.
 */
export function retryAfterSec(value: string, now: Date): number {
  const text = value.trim();
  if (/^\d{1,15}$/.test(text)) return Number(text);
  // IMF-fixdate names its zone; Date.parse alone would take many other texts for dates.
  const date = / GMT$/.test(text) && text.length <= 40 ? Date.parse(text) : NaN;
  return Number.isNaN(date) ? 0 : Math.max(0, Math.ceil((date - now.getTime()) / 1_000));
}
