import { codeWords, text, type Fix, type ProtocolCell } from '@app/detectors';
import { isReason, REASONS, tlsWords } from './reasons';

/**
 * The reason for the status of a cell in words, because codes are for programs. Undefined if there is nothing to add.
 */
export function remarkOn({ id, status, details }: ProtocolCell, fixes: readonly Fix[]): string | undefined {
  if (status === 'undiscoverable') return 'This protocol cannot be checked from outside.';
  const reason = text(details['reason']);
  if (reason !== undefined && isReason(reason)) return REASONS[reason].what;
  const code = reason ?? text(details['note']);
  return code === undefined ? undefined : (fixes.find(({ protocol }) => protocol === id)?.problem ?? codeWords(code));
}

/** The sentence of a reason or of any other code. @param detail the TLS fault, if any */
export function failureWords(failure: string, detail?: string): string {
  return tlsWords(detail) ?? (isReason(failure) ? REASONS[failure].what : codeWords(failure));
}
