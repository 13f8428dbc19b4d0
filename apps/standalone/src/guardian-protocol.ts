import type { ProcessMark } from './embedded/process-mark';

/** A process the guardian has to end when its parent disappears. */
export interface Ward {
  readonly mark: ProcessMark;
  readonly stopSignal: NodeJS.Signals;
}

/** What the parent tells its guardian over IPC. Later wards are ended first. */
export type GuardianMessage =
  { readonly kind: 'watch'; readonly ward: Ward } | { readonly kind: 'forget'; readonly pid: number };

export function isGuardianMessage(value: unknown): value is GuardianMessage {
  return (
    typeof value === 'object' &&
    value !== null &&
    'kind' in value &&
    (value.kind === 'watch' || value.kind === 'forget')
  );
}
