import type { Socket } from 'node:net';
import { TLSSocket, type DetailedPeerCertificate } from 'node:tls';
import { faultIn, ProbeFault } from './failure';

export interface TlsFacts {
  /** For example `TLSv1.3`. */
  readonly protocol: string | null;
  /** Organization of the issuer, or else its common name. */
  readonly issuer: string | null;
  /** ISO 8601. */
  readonly validTo: string | null;
}

type Certificate = Partial<ReturnType<TLSSocket['getPeerCertificate']>>;

/**
 * Returns a function for the certificate of a host whose connection fails, because afterwards it can no longer be read
 * from the socket. We read it at `secure`, before verification; otherwise the error would have no dates. Reading the
 * X509 form would make the name check fail (Node 20).
 */
export function shownCertificate(socket: Socket): () => Certificate | undefined {
  let certificate: Certificate | undefined;
  socket.prependOnceListener('secure', () => {
    if (!(socket instanceof TLSSocket)) return;
    const leaf = socket.getPeerCertificate() as DetailedPeerCertificate;
    certificate = leaf;
    // Node.js would parse the whole chain again to check the name, although that only needs the leaf.
    socket.getPeerCertificate = () => leaf;
  });
  return () => certificate;
}

/** Adds the certificate to the fault of a connection. */
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
