import { PaymentConflictError, type PayloadReading } from '@app/payments';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Answer } from '../checkout/release';
import { ERROR_CODES, errorEntry, type ErrorCode } from '../http/error-codes';
import { RequestError } from '../http/request-error';
import type { Product } from './define-product';
import { Sales, type Buyer, type SalesDeps } from './sales';

/**
 * Sales whose paywall gives everybody the same answer, with a log of what happened; `fails` is the step that throws.
 */
function sales(answer: Partial<Answer>, fails?: string, error = new Error(fails)) {
  const done: string[] = [];
  const note =
    <T>(what: string, result: T) =>
    (): T => {
      done.push(what);
      if (what === fails) throw error;
      return result;
    };
  const order = note('order', { origin: 'shop.example.com', deliver: undefined });
  const product = { method: 'GET', order, check: {} } as unknown as Product;
  const all = new Sales({
    paywall: { answer: note('sell', Promise.resolve(answer as Answer)) },
    rateLimits: {
      countCheck: note('check', Promise.resolve()),
      admitPayment: note('admit', undefined),
      countRefusedPayment: note('refused', Promise.resolve()),
    },
    errors: { send: note('error', undefined), leaveToSale: note('answers itself', undefined) },
    statements: { stated: <S>(sale: S) => Promise.resolve(sale) },
    challengeCache: { note: note('ready', undefined) },
  } as unknown as SalesDeps);
  return { all, done, product };
}

const paid = { ok: true } as PayloadReading;
const buyer: Buyer = { ip: '192.0.2.1', payload: paid, credentialFor: () => undefined };

describe('sales', () => {
  it('sell nothing to HEAD, even with a payment', async () => {
    const { all, done, product } = sales({ body: '{}' });
    await all.serve(product, { method: 'HEAD' } as FastifyRequest, {} as FastifyReply);
    expect(done).toEqual(['error']);
  });

  it('count a payment that bought nothing against its caller, after admitting it', async () => {
    const { all, done, product } = sales({ error: 'no' } as unknown as Partial<Answer>);
    await all.sell(product, {}, buyer, { header: () => undefined });
    expect(done).toEqual(['order', 'admit', 'answers itself', 'check', 'sell', 'refused']);
  });

  it('do not count a payment that bought something', async () => {
    const { all, done, product } = sales({ body: '{}' });
    await all.sell(product, {}, buyer, { header: () => undefined });
    expect(done).toEqual(['order', 'admit', 'answers itself', 'check', 'sell']);
  });

  const otherHeader = { ok: false, code: 'payment_malformed', error: 'no' } as PayloadReading;
  it.each([
    ['its header', otherHeader, undefined],
    ['another purchase', paid, new PaymentConflictError('payment_used_for_another_request')],
    ['another payment of its name', paid, new PaymentConflictError('payment_identifier_used')],
    ['an empty wallet', paid, new RequestError('payer_must_wait')],
  ])('count a payment refused by an exception: %s', async (_, payload, error) => {
    const { all, done, product } = sales({ body: '{}' }, error && 'sell', error);
    await expect(all.sell(product, {}, { ...buyer, payload }, { header: () => undefined })).rejects.toThrow();
    expect(done.at(-1)).toBe('refused');
  });

  const faults = (Object.keys(ERROR_CODES) as ErrorCode[])
    .filter((code) => ![400, 402, 409].includes(errorEntry(code).status) && code !== 'payer_must_wait')
    .map((code) => [code, new RequestError(code)] as const);
  it.each([...faults, ['a bug', new Error('no')] as const])(
    'do not count a payment that failed because of this service, a limit or the host: %s',
    async (_, error) => {
      for (const step of ['check', 'sell']) {
        const { all, done, product } = sales({ body: '{}' }, step, error);
        await expect(all.sell(product, {}, buyer, { header: () => undefined })).rejects.toThrow(error);
        expect(done).not.toContain('refused');
      }
    },
  );

  it.each([
    ['without a payment', 'sell', undefined],
    ['of a caller who must wait', 'admit', paid],
    ['with wrong arguments', 'order', paid],
  ])('do not count a request %s', async (_, fails, payload) => {
    const { all, done, product } = sales({ body: '{}' }, fails);
    await expect(all.sell(product, {}, { ...buyer, payload }, { header: () => undefined })).rejects.toThrow();
    expect(done).not.toContain('refused');
  });
});
