import { isNativeError } from 'node:util/types';
import type { FailureReason, RefusedCertificate, TlsFault } from '@app/detectors';

/**
 * The only error of this library: why there was no answer, from a closed list. It has no message, address or cause of
 * the original error, so that nothing about our network can leak through it.
 */
export class ProbeFault extends Error {
  override readonly name = 'ProbeFault';

  constructor(
    readonly reason: FailureReason,
    readonly detail?: TlsFault,
    readonly certificate?: RefusedCertificate,
  ) {
    super(reason);
  }
}

/** Error codes of Node and undici. Certificate codes are those of OpenSSL's X509_verify_cert_error_string. */
const REASONS: Readonly<Record<string, FailureReason>> = {
  ECONNREFUSED: 'connect_refused',
  EHOSTUNREACH: 'connect_refused',
  EHOSTDOWN: 'connect_refused',
  ENETUNREACH: 'connect_refused',
  ENETDOWN: 'connect_refused',
  EAFNOSUPPORT: 'connect_refused', // this machine has no address of this family
  EADDRNOTAVAIL: 'connect_refused',
  EACCES: 'connect_refused',
  EPERM: 'connect_refused',
  ETIMEDOUT: 'connect_timeout',
  UND_ERR_CONNECT_TIMEOUT: 'connect_timeout',
  ECONNRESET: 'connection_reset',
  ECONNABORTED: 'connection_reset',
  EPIPE: 'connection_reset',
  UND_ERR_SOCKET: 'connection_reset',
  ERR_STREAM_PREMATURE_CLOSE: 'connection_reset',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_OVERFLOW: 'headers_too_large',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'protocol_error',
  UND_ERR_INVALID_ARG: 'protocol_error',
  UND_ERR_INFO: 'protocol_error',
  UND_ERR_DESTROYED: 'budget_spent',
  UND_ERR_CLOSED: 'budget_spent',
  UND_ERR_ABORTED: 'budget_spent',
};

const TLS_FAULTS: Readonly<Record<string, TlsFault>> = {
  CERT_HAS_EXPIRED: 'expired',
  CERT_NOT_YET_VALID: 'not_yet_valid',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'self_signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'untrusted_issuer',
  UNABLE_TO_GET_ISSUER_CERT: 'untrusted_issuer',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'untrusted_issuer',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'untrusted_issuer',
  CERT_UNTRUSTED: 'untrusted_issuer',
  ERR_TLS_CERT_ALTNAME_INVALID: 'name_mismatch',
  HOSTNAME_MISMATCH: 'name_mismatch',
  EPROTO: 'handshake',
};

/** The fault for an error of node:net, node:tls, node:zlib or undici; undefined for any other error, which is a bug. */
export function faultIn(error: unknown): ProbeFault | undefined {
  if (error instanceof ProbeFault) return error;
  if (!isNativeError(error)) return undefined;
  // With happy eyeballs there is one error per address; the first one is used.
  if ('errors' in error && Array.isArray(error.errors)) return faultIn(error.errors[0]);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const reason = REASONS[code];
  if (reason) return new ProbeFault(reason);
  const tls = TLS_FAULTS[code];
  if (tls) return new ProbeFault('tls_error', tls);
  const alert = code.split('_ALERT_', 2)[1];
  // These errors only occur when the host requires a client certificate, which a probe does not have.
  if (alert?.includes('CERTIFICATE')) return new ProbeFault('tls_error', 'client_certificate');
  if (alert === 'HANDSHAKE_FAILURE') return new ProbeFault('tls_error', 'handshake_refused');
  if (/^(ERR_SSL_|ERR_TLS_)/.test(code)) return new ProbeFault('tls_error', 'handshake');
  // The other X509_V_ERR_* codes: CERT_REVOKED, INVALID_CA, CERT_SIGNATURE_FAILURE and rarer ones.
  if (/^(CERT_|CRL_|INVALID_|PATH_LENGTH_|UNABLE_TO_)/.test(code)) return new ProbeFault('tls_error', 'invalid');
  if (/^(Z_|ERR_BROTLI|ERR_+ERROR|ERR_PADDING)/.test(code)) return new ProbeFault('bad_encoding');
  if (code.startsWith('HPE_') || error.name === 'HTTPParserError') return new ProbeFault('protocol_error');
  return undefined;
}
