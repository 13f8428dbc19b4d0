import type { Installation } from '../products/installation';
import { PATHS } from '../http/paths';

/** RFC 9116 recommends less than a year. */
const VALID_DAYS = 180;
const DAY_MS = 86_400_000;

/** `/.well-known/security.txt` (RFC 9116); undefined without a contact, which it must name. */
export function securityText({ baseUrl, contact }: Installation, now: Date): string | undefined {
  if (contact === null) return undefined;
  const expires = new Date((Math.floor(now.getTime() / DAY_MS) + VALID_DAYS) * DAY_MS);
  return [
    `Contact: ${contact}`,
    `Expires: ${expires.toISOString()}`,
    'Preferred-Languages: en',
    `Canonical: ${baseUrl}${PATHS.security}`,
    '',
  ].join('\n');
}
