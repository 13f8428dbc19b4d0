import type { SpawnedProcess } from './embedded/embedded-process';

/** What the parent tells its guardian over IPC. What was watched last is ended first. */
export type GuardianMessage =
  { readonly kind: 'watch'; readonly ward: SpawnedProcess } | { readonly kind: 'forget'; readonly pid: number };

export function isGuardianMessage(value: unknown): value is GuardianMessage {
  return (
    typeof value === 'object' &&
    value !== null &&
    'kind' in value &&
    (value.kind === 'watch' || value.kind === 'forget')
  );
}
