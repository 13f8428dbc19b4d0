import { readFileSync } from 'node:fs';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';

/** Parsing the public roots takes milliseconds, so it is done once and not per connection. */
export function secureContextWith(caFile: string | undefined): SecureContext {
  if (caFile === undefined) return createSecureContext();
  let extra: string;
  try {
    extra = readFileSync(caFile, 'utf8');
  } catch {
    // The cause names the file, which is a setting, and settings are not repeated.
    throw new Error('cannot read PROBE_CA_FILE');
  }
  if (!extra.includes('-----BEGIN CERTIFICATE-----')) {
    throw new Error('PROBE_CA_FILE has no PEM certificate');
  }
  return createSecureContext({ ca: [...rootCertificates, extra] });
}
