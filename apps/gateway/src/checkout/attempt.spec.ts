import type { Attempt, ReadPayload } from '@app/payments';
import { sameRequest } from './attempt';

const attempt = { fingerprint: 'GET /a ', payloadDigest: 'aa' } as Attempt;
const payload = (digest: string): ReadPayload => ({ digest }) as ReadPayload;

describe('sameRequest', () => {
  it('accepts a repeated payment only for the same request and the same signature', () => {
    expect(sameRequest(attempt, 'GET /a ', payload('aa'))).toBe(attempt);
    expect(() => sameRequest(attempt, 'GET /b ', payload('aa'))).toThrow('payment_used_for_another_request');
    expect(() => sameRequest(attempt, 'GET /a ', payload('bb'))).toThrow('payment_used_for_another_request');
  });
});
