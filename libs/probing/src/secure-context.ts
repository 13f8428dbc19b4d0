import { readFileSync } from 'node:fs';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';

/** Parsing the public root certificates takes milliseconds, so it is done once rather than per connection. */
export function secureContextWith(caFile: string | undefined): SecureContext {
  if (caFile === undefined) return createSecureContext();
  let extra: string;
  try {
    extra = readFileSync(caFile, 'utf8');
  } catch {
    // The cause would contain the file name, which is a setting that must not leak.
    throw new Error('cannot read PROBE_CA_FILE');
  }
  if (!extra.includes('-----BEGIN CERTIFICATE-----')) {
    throw new Error('PROBE_CA_FILE has no PEM certificate');
  }
  return createSecureContext({ ca: [...rootCertificates, extra] });
}
