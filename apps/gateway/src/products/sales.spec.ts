import type { PayloadReading } from '@app/payments';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Answer } from '../checkout/release';
import type { Product } from './define-product';
import type { ProductDeps } from './product-deps';
import { Sales, type Buyer } from './sales';

/** Sales whose checkout gives one answer to all, and what was done beside it. */
function sales(answer: Partial<Answer>) {
  const done: string[] = [];
  const note =
    <T>(what: string, result: T) =>
    (): T => {
      done.push(what);
      return result;
    };
  const product = { method: 'GET', order: note('order', {}) } as unknown as Product;
  const all = new Sales(
    { sell: note('sell', Promise.resolve(answer as Answer)) },
    {
      countCheck: note('check', Promise.resolve()),
      admitPayment: note('admit', undefined),
      countRefusedPayment: note('refused', Promise.resolve()),
    },
    { send: note('error', undefined) },
    { statements: { ofAnswer: () => Promise.resolve(undefined) } } as unknown as ProductDeps,
    { note: note('ready', undefined) },
  );
  return { all, done, product };
}

const buyer: Buyer = {
  ip: '192.0.2.1',
  payload: { ok: true } as unknown as PayloadReading,
  credentialFor: () => undefined,
};

describe('sales', () => {
  it('sell nothing to HEAD, whatever came with it', async () => {
    const { all, done, product } = sales({ body: '{}' });
    await all.serve(product, { method: 'HEAD' } as FastifyRequest, {} as FastifyReply);
    expect(done).toEqual(['error']);
  });

  it('count a payment that bought nothing against its caller, after they asked whether it may come', async () => {
    const { all, done, product } = sales({ error: 'no' } as unknown as Partial<Answer>);
    await all.sell(product, {}, buyer, { header: () => undefined });
    expect(done).toEqual(['order', 'admit', 'sell', 'refused']);
  });

  it('count no payment that bought something', async () => {
    const { all, done, product } = sales({ body: '{}' });
    await all.sell(product, {}, buyer, { header: () => undefined });
    expect(done).toEqual(['order', 'admit', 'sell']);
  });
});
