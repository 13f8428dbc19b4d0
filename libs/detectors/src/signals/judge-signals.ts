import type { HostEvidence } from '../evidence/host-evidence';
import { visible } from '../quoting/tidy';
import { SIGNALS } from './signal-registry';
import type { SignalState } from './signal';

/** A signal in a report (behaviour 4.11). */
export interface Signal extends SignalState {
  readonly id: string;
}

/** Every signal that could be checked. Signals that were not requested or are behind a bot wall are left out. */
export function judgeSignals(seen: HostEvidence): readonly Signal[] {
  return SIGNALS.flatMap(({ id, draft, judge }) => {
    const state = judge(seen);
    if (!state) return [];
    const note = [draft && state.status !== 'absent' ? 'draft' : undefined, state.note].filter(Boolean).join(', ');
    return [
      {
        id,
        status: state.status,
        ...(state.at === undefined ? {} : { at: visible(state.at) }),
        ...(note === '' ? {} : { note }),
      },
    ];
  });
}

/** Merges the signals of a new judgement: those that were not checked this time stay unchanged. */
export function signalsAfter(before: readonly Signal[] | undefined, now: readonly Signal[]): readonly Signal[] {
  return SIGNALS.flatMap(({ id }) => now.find((one) => one.id === id) ?? before?.find((one) => one.id === id) ?? []);
}
