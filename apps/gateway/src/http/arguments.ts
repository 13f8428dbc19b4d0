import { checksumHolds, checksummed, isEvmAddress } from '@app/detectors';
import { HostName } from '@app/reports';
import { RequestError } from './request-error';

/** A `domain` argument as a vetted host name. @throws {RequestError} 400 `invalid_domain` (contract 1) */
export function hostArgument(raw: unknown): HostName {
  const reading = HostName.parse(typeof raw === 'string' ? raw : '');
  if (!reading.ok) throw new RequestError(400, 'invalid_domain', reading.sentence);
  return reading.host;
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
