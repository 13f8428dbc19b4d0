import type { PaymentFault, PayloadFault } from '@app/payments';
import { PAY_INTENTS } from '@app/reports';
import { ERROR_CODES, isErrorCode, type ErrorCode } from './error-codes';

/** Compiles only while every payment fault has an entry. */
const codeOf = (fault: PaymentFault['code'] | PayloadFault): ErrorCode => fault;

describe('the catalog of error codes', () => {
  it.each(Object.entries(ERROR_CODES))('%s says what happened and what to do', (code, { status, sentence, remedy }) => {
    expect(code).toMatch(/^[a-z][a-z0-9_]*$/);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(sentence).toMatch(/^[A-Z].*\.$/);
    expect(remedy).toMatch(/^[A-Z].*\.$/);
  });

  it('says when to retry wherever the fault is ours', () => {
    const ours = Object.values(ERROR_CODES).filter(({ status }) => status > 500);
    expect(ours.every(({ retryAfterSec = 0 }) => retryAfterSec > 0)).toBe(true);
  });

  it('answers 402 to every invalid payment', () => {
    expect(ERROR_CODES[codeOf('amount_mismatch')].status).toBe(402);
  });

  it('lists the known intents in the error about an unknown one', () => {
    expect(PAY_INTENTS.filter((intent) => !ERROR_CODES.invalid_intent.remedy.includes(intent))).toEqual([]);
  });

  it('does not find inherited property names', () => {
    expect(isErrorCode('constructor')).toBe(false);
  });
});
