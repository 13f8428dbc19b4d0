import { generate } from 'selfsigned';

/** A key and a certificate, PEM. */
export interface KeyPair {
  readonly key: string;
  readonly cert: string;
}

/** What a test host shows: only `good` is to be trusted by a prober that knows the test CA. */
export type CertificateKind = 'good' | 'expired' | 'self_signed' | 'other_name';

const YEAR_MS = 365 * 86_400_000;

let authority: Promise<KeyPair> | undefined;
const issued = new Map<CertificateKind, Promise<KeyPair>>();

/** A throw-away certificate authority, made once per test file. */
export function testAuthority(): Promise<KeyPair> {
  authority ??= make('hostprobe test authority', {
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  return authority;
}

/** A certificate for `*.example.com` and `example.com`, sound or with one fault. */
export function testCertificate(kind: CertificateKind): Promise<KeyPair> {
  const known = issued.get(kind) ?? issue(kind);
  issued.set(kind, known);
  return known;
}

async function issue(kind: CertificateKind): Promise<KeyPair> {
  const names = kind === 'other_name' ? ['other.example.net'] : ['example.com', '*.example.com'];
  return make(names[0]!, {
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'subjectAltName', altNames: names.map((value) => ({ type: 2 as const, value })) },
    ],
    ...(kind === 'self_signed' ? {} : { ca: await testAuthority() }),
    ...(kind === 'expired'
      ? { notBeforeDate: new Date(Date.now() - 2 * YEAR_MS), notAfterDate: new Date(Date.now() - YEAR_MS) }
      : {}),
  });
}

async function make(commonName: string, options: NonNullable<Parameters<typeof generate>[1]>): Promise<KeyPair> {
  const made = await generate([{ name: 'commonName', value: commonName }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notAfterDate: new Date(Date.now() + YEAR_MS),
    ...options,
  });
  return { key: made.private, cert: made.cert };
}
