import 'reflect-metadata';
import { NETWORKS } from '@app/networks';
import { EvmAddress, OneOf, Optional, ReadNetwork } from './inputs';
import type { RequestError } from './request-error';
import { validated } from './validated';

class Input {
  @Optional()
  @OneOf(['checkout', 'api', 'any'])
  intent?: string;
}

class Payment {
  @EvmAddress('Payee.')
  payTo!: string;

  @ReadNetwork(['eip155:8453'])
  network!: string;
}

function errorOf(raw: unknown, dto: new () => object = Input): RequestError {
  try {
    validated(dto, raw);
  } catch (error) {
    return error as RequestError;
  }
  throw new Error('it was not refused');
}

describe('validated', () => {
  it('names the field, the rule and the allowed values', () => {
    const { status, code, message, extra } = errorOf({ intent: 'steal' });
    expect({ status, code, message, extra }).toEqual({
      status: 400,
      code: 'invalid_intent',
      message: 'intent must be one of checkout, api, any',
      extra: { allowed: ['checkout', 'api', 'any'] },
    });
  });

  it.each([{}, { intent: '' }, { intent: null }, null, undefined, 'text', ['api']])(
    'accepts %j as arguments without the optional field',
    (raw) => {
      expect(validated(Input, raw).intent).toBeUndefined();
    },
  );

  it('refuses an unknown field, and shortens its name in the error', () => {
    const name = 'x'.repeat(200);
    const { status, code, message } = errorOf({ intent: 'api', [name]: 1 });
    expect([status, code, message]).toEqual([400, 'unknown_member', `unknown field \`${name.slice(0, 100)}\``]);
  });

  it('ignores names that would change the prototype', () => {
    const raw = JSON.parse('{"intent":"api","__proto__":{"intent":"steal"}}') as unknown;
    expect(Object.entries(validated(Input, raw))).toEqual([['intent', 'api']]);
  });

  it('says that a missing field is required', () => {
    expect(errorOf({ network: 'eip155:8453' }, Payment).message).toBe('payTo is required');
  });

  it('reports a known but unsupported network before errors about its accounts', () => {
    const others = NETWORKS.filter(({ caip2 }) => !caip2.startsWith('eip155:'));
    const stated = others.flatMap(({ caip2, v1Name }) => [caip2, ...(v1Name === undefined ? [] : [v1Name])]);
    expect(stated).toEqual(expect.arrayContaining(['solana', 'stellar:pubnet', 'hedera:mainnet', 'aptos:1']));
    for (const network of stated) {
      for (const payTo of ['0.0.123', `0x${'12'.repeat(20)}`]) {
        const { code, extra, message } = errorOf({ payTo, network }, Payment);
        expect([code, extra]).toEqual(['unsupported_network', { allowed: ['eip155:8453'] }]);
        expect(message).toMatch(/^network must be eip155:8453: we cannot check payments on .+$/);
      }
    }
    expect(errorOf({ payTo: '0.0.123', network: 'eip155:8453' }, Payment).code).toBe('invalid_pay_to');
    for (const network of ['eip155:1', 'moon', 7, 'near:mainnet']) {
      expect(errorOf({ payTo: `0x${'12'.repeat(20)}`, network }, Payment).code).toBe('invalid_network');
    }
  });
});
