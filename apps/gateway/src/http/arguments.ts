import { checksumHolds, checksummed, DETECTOR_IDS, isEvmAddress, type DetectorId } from '@app/detectors';
import { HostName } from '@app/reports';
import { RequestError } from './request-error';

/** A member of what came as arguments or as a message, whatever that is. */
export function memberOf(raw: unknown, name: string): unknown {
  return typeof raw === 'object' && raw !== null ? (raw as Readonly<Record<string, unknown>>)[name] : undefined;
}

/** A `domain` argument as a vetted host name. @throws {RequestError} 400 `invalid_domain` (contract 1) */
export function hostArgument(raw: unknown): HostName {
  const reading = HostName.parse(typeof raw === 'string' ? raw : '');
  if (!reading.ok) throw new RequestError(400, 'invalid_domain', reading.sentence);
  return reading.host;
}

/** A detector id, trimmed and lower-cased. @throws {RequestError} 400 `unknown_protocol`, listing the ids (contract 1) */
export function protocolArgument(raw: unknown): DetectorId {
  const id = typeof raw === 'string' ? raw.trim().toLowerCase() : '';
  const known = DETECTOR_IDS.find((candidate) => candidate === id);
  if (!known) {
    throw new RequestError(400, 'unknown_protocol', `protocol must be one of ${DETECTOR_IDS.join(', ')}`, {
      allowed: DETECTOR_IDS,
    });
  }
  return known;
}

/** An EVM address with its EIP-55 checksum. @throws {RequestError} 400 `invalid_<code>`, naming `field` (contract 1) */
export function addressArgument(raw: unknown, field: string, code: string): string {
  const address = typeof raw === 'string' ? raw.trim() : '';
  if (!isEvmAddress(address)) {
    throw new RequestError(400, code, `${field} must be 0x and 40 hex digits`);
  }
  if (!checksumHolds(address)) {
    throw new RequestError(
      400,
      code,
      `${field} has mixed case and a wrong EIP-55 checksum; check it, or send it in lower case`,
    );
  }
  return checksummed(address);
}
