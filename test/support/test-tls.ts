import {
  createAuthority,
  selfSigned,
  type CertificateAuthority,
  type KeyAndCertificate,
} from '../../apps/standalone/src/embedded/certificates';

/** The certificate of a test host: a prober that knows the test CA should only trust `good`. */
export type CertificateKind = 'good' | 'expired' | 'self_signed' | 'other_name';

let authority: Promise<CertificateAuthority> | undefined;
const issued = new Map<CertificateKind, Promise<KeyAndCertificate>>();

/** A temporary certificate authority, created once per test file. */
export function testAuthority(): Promise<CertificateAuthority> {
  authority ??= createAuthority('hostprobe test authority');
  return authority;
}

/** A certificate for `*.example.com` and `example.com`, valid or with one fault. */
export function testCertificate(kind: CertificateKind): Promise<KeyAndCertificate> {
  const known = issued.get(kind) ?? issue(kind);
  issued.set(kind, known);
  return known;
}

async function issue(kind: CertificateKind): Promise<KeyAndCertificate> {
  const names = kind === 'other_name' ? ['other.example.net'] : ['example.com', '*.example.com'];
  if (kind === 'self_signed') return selfSigned(names);
  return (await testAuthority()).issue(names, kind === 'expired' ? new Date(Date.now() - 1_000) : undefined);
}
