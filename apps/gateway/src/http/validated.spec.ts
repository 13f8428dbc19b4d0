import 'reflect-metadata';
import { PayPreflightDto } from '../checks/dto/pay-preflight.dto';
import type { RequestError } from './request-error';
import { validated } from './validated';

function refusal(raw: unknown): RequestError {
  try {
    validated(PayPreflightDto, raw);
  } catch (error) {
    return error as RequestError;
  }
  throw new Error('it was not refused');
}

describe('validated', () => {
  it('names the member, the rule and what is allowed', () => {
    const { status, code, message, extra } = refusal({ intent: 'steal' });
    expect({ status, code, message, extra }).toEqual({
      status: 400,
      code: 'invalid_intent',
      message: 'intent must be one of checkout, api, any',
      extra: { allowed: ['checkout', 'api', 'any'] },
    });
  });

  it.each([{}, { intent: '' }, { intent: null }, null, undefined, 'text', ['api']])(
    'takes %j for arguments without the optional member',
    (raw) => {
      expect(validated(PayPreflightDto, raw).intent).toBeUndefined();
    },
  );

  it('leaves out what the route does not know, also what would change the object itself', () => {
    const raw = JSON.parse('{"intent":"api","other":1,"__proto__":{"intent":"steal"}}') as unknown;
    expect(Object.entries(validated(PayPreflightDto, raw))).toEqual([['intent', 'api']]);
  });
});
