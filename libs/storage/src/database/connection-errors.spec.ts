import { isConnectionError } from './connection-errors';

const coded = (code: string) => Object.assign(new Error('no'), { code });

describe('isConnectionError', () => {
  it.each(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', '08006', '53100', '53300', '57014', '57P01', '57P03', '25006'])(
    'is true of %s',
    (code) => {
      expect(isConnectionError(coded(code))).toBe(true);
    },
  );

  it.each([
    'Connection terminated unexpectedly',
    'Connection terminated due to connection timeout',
    'timeout exceeded when trying to connect',
    'Query read timeout',
    'Client has encountered a connection error and is not queryable',
    'Client was closed and is not queryable',
  ])('is true of: %s', (message) => {
    expect(isConnectionError(new Error(message))).toBe(true);
  });

  it.each(['23505', '42P01', '57000', 'ERR_INVALID_ARG_TYPE'])('is false of %s', (code) => {
    expect(isConnectionError(coded(code))).toBe(false);
  });

  it.each([undefined, null, 'ECONNREFUSED', { code: 8006 }])('is false of %j', (thrown) => {
    expect(isConnectionError(thrown)).toBe(false);
  });
});
