import 'reflect-metadata';
import { validated } from '../../http/validated';
import { VerifyReceiptDto } from './verify-receipt.dto';

const tx = `0x${'ab'.repeat(32)}`;
const read = (members: object) => () => validated(VerifyReceiptDto, { tx, ...members });

describe('the amount of a receipt', () => {
  it.each([{ amount: '1' }, { amount: '9'.repeat(30) }, { amountUsd: '0.000001' }, { amountUsd: '999999999999.5' }])(
    'reads %j',
    (members) => {
      expect(read(members)).not.toThrow();
    },
  );

  it.each([
    [{}, 'give exactly one of amount and amountUsd'],
    [{ amount: '', amountUsd: '' }, 'give exactly one of amount and amountUsd'],
    [{ amount: '1', amountUsd: '1' }, 'give exactly one of amount and amountUsd'],
    [{ amount: '0' }, 'amount must be 1 to 30 digits'],
    [{ amount: '007' }, 'amount must be 1 to 30 digits'],
    [{ amount: '1e6' }, 'amount must be 1 to 30 digits'],
    [{ amount: '9'.repeat(31) }, 'amount must be 1 to 30 digits'],
    [{ amount: 20_000 }, 'amount must be 1 to 30 digits'],
    [{ amount: ['1', '2'] }, 'amount must be 1 to 30 digits'],
    [{ amountUsd: '.5' }, 'amountUsd must be a decimal'],
    [{ amountUsd: '1.' }, 'amountUsd must be a decimal'],
    [{ amountUsd: '-1' }, 'amountUsd must be a decimal'],
    [{ amountUsd: '1,5' }, 'amountUsd must be a decimal'],
    [{ amountUsd: '1234567890123' }, 'amountUsd must be a decimal'],
  ])('refuses %j', (members, sentence) => {
    expect(read(members)).toThrow(sentence);
  });
});
