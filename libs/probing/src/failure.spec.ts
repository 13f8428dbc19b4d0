import { faultIn, ProbeFault } from './failure';

const coded = (code: string, message = 'connect to 10.0.0.5:443 failed') => Object.assign(new Error(message), { code });

describe('faults', () => {
  it.each([
    ['ECONNREFUSED', 'connect_refused', undefined],
    ['ENETUNREACH', 'connect_refused', undefined],
    ['EAFNOSUPPORT', 'connect_refused', undefined],
    ['ETIMEDOUT', 'connect_timeout', undefined],
    ['ECONNRESET', 'connection_reset', undefined],
    ['UND_ERR_SOCKET', 'connection_reset', undefined],
    ['UND_ERR_HEADERS_TIMEOUT', 'timeout', undefined],
    ['UND_ERR_HEADERS_OVERFLOW', 'headers_too_large', undefined],
    ['HPE_INVALID_CONSTANT', 'protocol_error', undefined],
    ['Z_DATA_ERROR', 'bad_encoding', undefined],
    ['ERR__ERROR_FORMAT_PADDING_1', 'bad_encoding', undefined],
    ['CERT_HAS_EXPIRED', 'tls_error', 'expired'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls_error', 'self_signed'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'tls_error', 'untrusted_issuer'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls_error', 'name_mismatch'],
    ['CERT_REVOKED', 'tls_error', 'invalid'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls_error', 'handshake'],
    ['EPROTO', 'tls_error', 'handshake'],
    ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'tls_error', 'handshake'],
    ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'tls_error', 'handshake_refused'],
    ['ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE', 'tls_error', 'handshake_refused'],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'tls_error', 'client_certificate'],
    ['ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE', 'tls_error', 'client_certificate'],
    ['ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE', 'tls_error', 'client_certificate'],
    ['ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN', 'tls_error', 'client_certificate'],
  ])('with code %s are reported as %s', (code, reason, detail) => {
    const fault = faultIn(coded(code));
    expect([fault?.reason, fault?.detail]).toEqual([reason, detail]);
  });

  it('do not expose the underlying error', () => {
    const fault = faultIn(coded('ECONNREFUSED'));
    expect(`${fault!.message} ${JSON.stringify(fault)}`).not.toContain('10.0.0.5');
    expect(fault!.cause).toBeUndefined();
  });

  it('of several addresses have the reason of the first', () => {
    expect(faultIn(new AggregateError([coded('ECONNREFUSED'), coded('ETIMEDOUT')]))?.reason).toBe('connect_refused');
  });

  it('pass through, but our own bugs are rethrown', () => {
    const fault = new ProbeFault('budget_spent');
    expect(faultIn(fault)).toBe(fault);
    expect(faultIn(new TypeError('x is not a function'))).toBeUndefined();
    expect(faultIn('x')).toBeUndefined();
  });
});
