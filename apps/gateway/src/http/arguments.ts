import { DETECTOR_IDS, type DetectorId } from '@app/detectors';
import { HostName } from '@app/hosts';
import { RequestError } from './request-error';

/** A property of untrusted input of any type. */
export function memberOf(raw: unknown, name: string): unknown {
  return typeof raw === 'object' && raw !== null ? (raw as Readonly<Record<string, unknown>>)[name] : undefined;
}

/** The value, or a sentence that says why it could not be read. */
export type Reading<Value> = { readonly value: Value } | { readonly fault: string };

/** Reads a `domain` argument as a checked host name. A value that is already a host name is returned unchanged. */
export function readHost(raw: unknown): Reading<HostName> {
  if (raw instanceof HostName) return { value: raw };
  if (typeof raw !== 'string') return { fault: 'domain must be a string' };
  const reading = HostName.parse(raw);
  return reading.ok ? { value: reading.host } : { fault: reading.sentence };
}

/** A detector id, trimmed and lower-cased. */
export function readProtocol(raw: unknown): Reading<DetectorId> {
  const id = typeof raw === 'string' ? raw.trim().toLowerCase() : '';
  const known = DETECTOR_IDS.find((candidate) => candidate === id);
  return known ? { value: known } : { fault: `protocol must be one of ${DETECTOR_IDS.join(', ')}` };
}

/** As {@link readHost}. @throws {RequestError} 400 `invalid_domain` (behaviour 1.1) */
export function hostArgument(raw: unknown): HostName {
  const reading = readHost(raw);
  if ('fault' in reading) throw new RequestError('invalid_domain', reading.fault);
  return reading.value;
}

/** JSON Schema of a SHA-256 in a URL, in base64url or hex (`readHash`). */
export const HASH_SCHEMA = { type: 'string', pattern: '^(?:[\\w-]{43}|[0-9a-fA-F]{64})$' } as const;
