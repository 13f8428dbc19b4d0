import { findDetector, type CellStatus } from '@app/detectors';
import type { DriftKind } from './drift-event';

/** Short name of a protocol; an id that is no longer known is returned as it is. */
export function shortName(id: string): string {
  return findDetector(id)?.name.short ?? id;
}

export function longName(id: string): string {
  return findDetector(id)?.name.long ?? '';
}

/** The word for a status on a page. `error` is not an error of the host: the check was inconclusive (behaviour 4.4). */
export const STATUS_WORDS: Readonly<Record<CellStatus, string>> = {
  present: 'present',
  partial: 'partial',
  absent: 'absent',
  undiscoverable: 'undiscoverable',
  error: 'unknown',
};

const KIND_WORDS: Readonly<Record<DriftKind, string>> = {
  appeared: 'now available',
  vanished: 'gone',
  degraded: 'degraded',
  recovered: 'recovered',
  version_changed: 'version changed',
  endpoint_changed: 'endpoint changed',
  price_changed: 'price changed',
  asset_changed: 'asset changed',
  pay_to_changed: 'recipient changed',
  details_changed: 'details changed',
  rules_changed: 'checked by newer rules',
};

/** A kind of change in words. */
export function changeWord(kind: string): string {
  return Object.hasOwn(KIND_WORDS, kind) ? KIND_WORDS[kind as DriftKind] : kind;
}

/** `2026-11-22 01:45 UTC`; text that is not a time is returned as it is. */
export function utc(iso: string): string {
  return Number.isNaN(Date.parse(iso)) ? iso : `${new Date(iso).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** `2026-11-22`. */
export function utcDate(iso: string): string {
  return utc(iso).slice(0, 10);
}
