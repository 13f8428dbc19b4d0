import type { Socket } from 'node:net';
import { TLSSocket, type DetailedPeerCertificate } from 'node:tls';
import { faultIn, ProbeFault } from './failure';

export interface TlsFacts {
  /** For example `TLSv1.3`. */
  readonly protocol: string | null;
  /** Organisation, or else common name, of the issuer. */
  readonly issuer: string | null;
  /** ISO 8601. */
  readonly validTo: string | null;
}

type Certificate = Partial<ReturnType<TLSSocket['getPeerCertificate']>>;

/**
 * What the host shows, to be asked for once it was refused: by then the connection is gone. `secure` comes before the
 * check; without it the fault has no dates. The X509 form of it would make the check of the name fail (Node 20).
 */
export function shownCertificate(socket: Socket): () => Certificate | undefined {
  let certificate: Certificate | undefined;
  socket.prependOnceListener('secure', () => {
    if (!(socket instanceof TLSSocket)) return;
    const leaf = socket.getPeerCertificate() as DetailedPeerCertificate;
    certificate = leaf;
    // Node.js would read the whole chain again to check the name, which the host's own certificate decides alone.
    socket.getPeerCertificate = () => leaf;
  });
  return () => certificate;
}

/** The fault of a connection, with the certificate it is about. */
export function withCertificate(error: unknown, shown: Certificate | undefined): unknown {
  const fault = faultIn(error);
  if (!shown || fault?.detail === undefined || fault.detail === 'handshake') return error;
  const [validFrom, validTo] = [Date.parse(shown.valid_from ?? ''), Date.parse(shown.valid_to ?? '')];
  if (Number.isNaN(validFrom) || Number.isNaN(validTo)) return error;
  const names = (shown.subjectaltname ?? '')
    .split(', ')
    .flatMap((name) => /^DNS:([a-z0-9.*-]+)$/i.exec(name)?.[1] ?? []);
  return new ProbeFault(fault.reason, fault.detail, {
    validFrom: new Date(validFrom).toISOString(),
    validTo: new Date(validTo).toISOString(),
    names: names.slice(0, 3).join(', ').slice(0, 200),
  });
}

/** The certificate of an open connection. */
export function tlsFacts(socket: TLSSocket): TlsFacts {
  const { issuer, valid_to } = socket.getPeerCertificate() as Certificate;
  const until = Date.parse(valid_to ?? '');
  return {
    protocol: socket.getProtocol(),
    issuer: [issuer?.O, issuer?.CN].flat().find((name) => name !== undefined) ?? null,
    validTo: Number.isNaN(until) ? null : new Date(until).toISOString(),
  };
}
