import type { DriftKind } from '@app/reports';

const KIND_WORDS: Readonly<Record<DriftKind, string>> = {
  appeared: 'appeared',
  vanished: 'vanished',
  degraded: 'degraded',
  recovered: 'recovered',
  version_changed: 'version changed',
  endpoint_changed: 'endpoint changed',
  price_changed: 'price changed',
  pay_to_changed: 'payTo changed',
  details_changed: 'details changed',
};

/** A kind of change in words. */
export function changeWord(kind: string): string {
  return Object.hasOwn(KIND_WORDS, kind) ? KIND_WORDS[kind as DriftKind] : kind;
}
