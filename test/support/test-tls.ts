import {
  createAuthority,
  selfSigned,
  type CertificateAuthority,
  type KeyAndCertificate,
} from '../../apps/standalone/src/embedded/certificates';

/** What a test host shows: only `good` is to be trusted by a prober that knows the test CA. */
export type CertificateKind = 'good' | 'expired' | 'self_signed' | 'other_name';

let authority: Promise<CertificateAuthority> | undefined;
const issued = new Map<CertificateKind, Promise<KeyAndCertificate>>();

/** A throw-away certificate authority, made once per test file. */
export function testAuthority(): Promise<CertificateAuthority> {
  authority ??= createAuthority('hostprobe test authority');
  return authority;
}

/** A certificate for `*.example.com` and `example.com`, sound or with one fault. */
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
