import 'reflect-metadata';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  cryptoProvider,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
  type Extension,
  type X509Certificate,
} from '@peculiar/x509';
import { randomBytes, webcrypto, type webcrypto as WebCrypto } from 'node:crypto';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 86_400_000;

/** A certificate and its private key, both PEM, as `node:tls` takes them. */
export interface KeyAndCertificate {
  readonly cert: string;
  readonly key: string;
}

/** Deviations from a healthy server certificate, for hosts whose fault is their certificate. */
interface CertificateFaults {
  readonly notBefore?: Date;
  readonly notAfter?: Date;
}

/** A throw-away certificate authority whose key lives in this process only. */
export interface CertificateAuthority {
  /** The authority's own certificate, PEM: what a client has to trust (PROBE_CA_FILE). */
  readonly cert: string;
  /** A server certificate for the given DNS names or IP addresses (RFC 5280, RFC 6125). */
  readonly issue: (names: readonly string[], faults?: CertificateFaults) => Promise<KeyAndCertificate>;
}

/** Makes an authority that is valid from yesterday for 30 days; nothing is written to disk. */
export async function createAuthority(commonName: string): Promise<CertificateAuthority> {
  cryptoProvider.set(webcrypto);
  const keys = await generateKeys();
  const authority = await X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name: `CN=${commonName}`,
    ...validity(),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return {
    cert: authority.toString('pem'),
    issue: (names, faults) => issue({ authority, signingKey: keys.privateKey }, names, faults),
  };
}

async function issue(
  issuer: { readonly authority: X509Certificate; readonly signingKey: WebCrypto.CryptoKey },
  names: readonly string[],
  faults: CertificateFaults = {},
): Promise<KeyAndCertificate> {
  const keys = await generateKeys();
  const certificate = await X509CertificateGenerator.create({
    serialNumber: serial(),
    subject: `CN=${names[0] ?? 'unnamed'}`,
    issuer: issuer.authority.subject,
    ...validity(),
    ...faults,
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey,
    signingKey: issuer.signingKey,
    extensions: await serverExtensions(issuer.authority, keys.publicKey, names),
  });
  const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { cert: certificate.toString('pem'), key: PemConverter.encode(key, 'PRIVATE KEY') };
}

async function serverExtensions(
  authority: X509Certificate,
  publicKey: WebCrypto.CryptoKey,
  names: readonly string[],
): Promise<Extension[]> {
  return [
    new BasicConstraintsExtension(false, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
    new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
    new SubjectAlternativeNameExtension(
      names.map((name) => ({ type: /^[\d.]+$|:/.test(name) ? 'ip' : 'dns', value: name })),
    ),
    await SubjectKeyIdentifierExtension.create(publicKey),
    await AuthorityKeyIdentifierExtension.create(authority),
  ];
}

function generateKeys(): Promise<WebCrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

function validity(): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + 30 * DAY_MS) };
}

/** A positive serial number (RFC 5280 4.1.2.2): the first bit is clear, the first byte is not zero. */
function serial(): string {
  return `4${randomBytes(15).toString('hex')}0`;
}
