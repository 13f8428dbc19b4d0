/**
 * RFC 7638 thumbprints of keys whose private keys are printed in specifications. Anybody can sign with them, so
 * verifiers reject them (draft-ietf-webbotauth-httpsig-protocol, "Test keys").
 */
export const TEST_KEYS: ReadonlySet<string> = new Set([
  // RFC 9421 appendix B.1: RSA, RSA-PSS, P-256, Ed25519; the drafts of Web Bot Auth use the second and the last.
  'BHj8s0GPnMEQtkaULIM-PLgEhLBbuGUQ1vMxmBWZzEo',
  'oD0HwocPBSfpNy5W3bpJeyFGY_IQ_YpqxSjQ3Yd-CLA',
  'ydQXMtvbsOsZyFir-Y7A8t7fKEM1gbKPvyFkdpu4fvI',
  'poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U',
  // RFC 8032 section 7.1; the first is that of RFC 8037 appendix A as well.
  'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  'FtIu-VbGrfe_KB6CH7GNwODB72MNxj_ml11dEvO-7kk',
  'FVV5umTuau890q59V-4Ga_R6qWb7ON_ivJc4EjvCwTM',
  'lZI1vM7tnlYapaF5-cy86ptx0tT_8Av721hhiNB5ti4',
  'iiDHHfFVNG6ICMUTsicgrWf1igtFYZEK73xlobt1ah4',
  // RFC 7515 appendix A.3, RFC 7517 appendix A (P-256, RSA), the latter in RFC 7638 as well.
  'oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U',
  'cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s',
  'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs',
  // The Ed25519 key whose seed is zero.
  '9ZP03Nu8GrXPAUkbKNxHOKBzxPX83SShgFkRNK-f2lw',
]);
