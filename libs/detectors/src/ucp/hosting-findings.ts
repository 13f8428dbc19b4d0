import { header, headerValues, type Answer } from '../evidence/exchange';
import { findingsWhere, type Finding } from '../judgement/judgement';
import { isSince } from './profile';

/** Shortest freshness a profile may state, in seconds (UCP overview, Hosting, since 2026-04-08). */
const MIN_MAX_AGE_SEC = 60;

/**
 * Rules on how a profile is served. Since 2026-04-08 it must be `public` with `max-age` of at least 60 s and never
 * `private`, `no-store` or `no-cache`; since 2026-08-25 it should carry a validator. Older releases state none.
 */
export function hostingFindings(answer: Answer, version: string | undefined): readonly Finding[] {
  if (!isSince(version, '2026-04-08')) return [];
  const finding = cacheFinding(headerValues(answer, 'cache-control').join(','));
  const validated = (header(answer, 'etag') ?? header(answer, 'last-modified')) !== undefined;
  return [
    ...(finding === undefined ? [] : [{ id: finding, at: 'cache-control' }]),
    ...findingsWhere([[isSince(version, '2026-08-25') && !validated, 'no_validator', 'etag']]),
  ];
}

function cacheFinding(value: string): string | undefined {
  const directives = value
    .toLowerCase()
    .split(',', 50)
    .map((directive) => directive.trim());
  if (directives.every((directive) => directive === '')) return 'cache_control_missing';
  if (directives.some((directive) => /^(?:private|no-store|no-cache)\b/.test(directive)))
    return 'cache_control_forbids';
  if (!directives.includes('public')) return 'cache_control_not_public';
  const seconds = directives.map((directive) => /^max-age="?(\d{1,10})"?$/.exec(directive)?.[1]).find(Boolean);
  return seconds === undefined || Number(seconds) < MIN_MAX_AGE_SEC ? 'cache_max_age_short' : undefined;
}
