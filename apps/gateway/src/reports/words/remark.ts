import { text, type Fix, type ProtocolCell } from '@app/detectors';
import { isReason, REASONS, tlsWords } from './reasons';

/** What decided the status of a cell, in words: codes are for programs. Undefined where there is nothing to add. */
export function remarkOn({ id, status, details }: ProtocolCell, fixes: readonly Fix[]): string | undefined {
  if (status === 'undiscoverable') return 'This protocol cannot be checked from outside.';
  const reason = text(details['reason']);
  if (reason !== undefined && isReason(reason)) return REASONS[reason].what;
  const code = reason ?? text(details['note']);
  return code === undefined ? undefined : (fixes.find(({ protocol }) => protocol === id)?.problem ?? inWords(code));
}

/** Why a request got no answer. @param detail what was wrong with TLS */
export function failureWords(failure: string, detail: string | undefined): string {
  return tlsWords(detail) ?? (isReason(failure) ? REASONS[failure].what : inWords(failure));
}

/** A code without a sentence of its own, as words. */
export function inWords(code: string): string {
  return code.replaceAll('_', ' ');
}
