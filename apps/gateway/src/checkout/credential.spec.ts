import { credentialOf } from './credential';

describe('credentialOf', () => {
  it.each([
    [{ authorization: 'Bearer hps_1' }, { kind: 'key', key: 'hps_1' }],
    [{ authorization: 'bearer  hps_1 ' }, { kind: 'key', key: 'hps_1' }],
    [{ authorization: 'Bearer' }, { kind: 'key', key: '' }],
    [{ 'sign-in-with-x': 'e30=' }, { kind: 'wallet', header: 'e30=' }],
    [
      { authorization: 'Bearer hps_1', 'sign-in-with-x': 'e30=' },
      { kind: 'key', key: 'hps_1' },
    ],
    [{ authorization: 'Basic dTpw' }, undefined],
    [{ authorization: 'Bearers hps_1' }, undefined],
    [{}, undefined],
  ])('reads %j as %j', (headers, credential) => {
    expect(credentialOf(headers)).toEqual(credential);
  });
});
