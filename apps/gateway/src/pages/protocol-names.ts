import { findDetector } from '@app/detectors';

/** Short name of a protocol; an id no longer known stands for itself. */
export function shortName(id: string): string {
  return findDetector(id)?.name.short ?? id;
}

export function longName(id: string): string {
  return findDetector(id)?.name.long ?? '';
}
