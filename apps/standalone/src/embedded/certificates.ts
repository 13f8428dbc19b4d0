import { generate } from 'selfsigned';

const DAY_MS = 86_400_000;

/** A certificate and its private key, both in PEM, the format of `node:tls`. */
export interface KeyAndCertificate {
  readonly cert: string;
  readonly key: string;
}

/** A temporary certificate authority whose key exists only in this process. */
export interface CertificateAuthority {
  /** The certificate of the authority (PEM) that clients have to trust (PROBE_CA_FILE). */
  readonly cert: string;
  /** Issues a server certificate for the given DNS names, valid for 30 days or until `until`. */
  readonly issue: (names: readonly string[], until?: Date) => Promise<KeyAndCertificate>;
}

/** Creates an authority that is valid for 30 days from yesterday; nothing is written to disk. */
export async function createAuthority(commonName: string): Promise<CertificateAuthority> {
  const ca = await make(commonName, [
    { name: 'basicConstraints', cA: true, critical: true },
    { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
  ]);
  return {
    cert: ca.cert,
    issue: (names, until) => make(names[0], ofServer(names), { ca, ...(until && { notAfterDate: until }) }),
  };
}

/** A server certificate that no authority has signed. */
export function selfSigned(names: readonly string[]): Promise<KeyAndCertificate> {
  return make(names[0], ofServer(names));
}

type Options = NonNullable<Parameters<typeof generate>[1]>;
type Extensions = NonNullable<Options['extensions']>;

function ofServer(names: readonly string[]): Extensions {
  return [
    { name: 'basicConstraints', cA: false, critical: true },
    { name: 'subjectAltName', altNames: names.map((value) => ({ type: 2 as const, value })) },
  ];
}

async function make(name = 'unnamed', extensions: Extensions, options: Options = {}): Promise<KeyAndCertificate> {
  const made = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(Date.now() - DAY_MS),
    notAfterDate: new Date(Date.now() + 30 * DAY_MS),
    extensions,
    ...options,
  });
  return { cert: made.cert, key: made.private };
}
