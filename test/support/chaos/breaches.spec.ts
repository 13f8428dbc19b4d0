import type { Answer } from './buyer';
import { breachesOf, tally, type Outcome } from './breaches';

const bought: Answer = { status: 200, code: null, body: '{"a":1}' };
const refused: Answer = { status: 402, code: 'insufficient_funds', body: '{}' };
const later: Answer = { status: 503, code: 'settlement_unknown', body: '{}' };

/** A paid purchase whose answer can be fetched again. */
function outcome(answers: readonly Answer[], change: Partial<Outcome> = {}): Outcome {
  const purchase = { path: '/', header: '', nonce: '0x1', answers: [...answers], lost: 0 };
  return { purchase, paid: true, vanished: false, again: bought, ...change };
}
const brokenBy = (it: Outcome): readonly string[] => breachesOf(it).map(({ promise }) => promise);

describe('a breach in the chaos test', () => {
  it('is not reported for correct sales and error responses', () => {
    expect(brokenBy(outcome([later, bought, bought]))).toEqual([]);
    expect(brokenBy(outcome([]))).toEqual([]);
    expect(brokenBy(outcome([later, refused], { paid: false, again: undefined }))).toEqual([]);
  });

  it.each([
    ['a response that is lost', outcome([bought], { again: undefined }), 'can be fetched again'],
    ['a response that is refused later', outcome([bought], { again: later }), 'can be fetched again'],
    ['other bytes later', outcome([bought], { again: { ...bought, body: '{"a":2}' } }), 'the same bytes'],
    ['two answers', outcome([bought, { ...bought, body: '{"a":2}' }]), 'the same bytes'],
    ['a challenge although the payment was settled', outcome([later, refused]), 'asked to pay again'],
    ['an unpaid response', outcome([bought], { paid: false, again: undefined }), 'released unpaid'],
    ['a conflict', outcome([{ ...later, status: 409 }]), 'another request'],
    ['an internal error', outcome([{ ...later, status: 500 }]), 'unexpected error'],
  ])('include that %s', (_, it, promise) => {
    expect(brokenBy(it)).toEqual([expect.stringContaining(promise)]);
  });

  it('are counted with answers by status and code, and requests without an answer', () => {
    const purchases = [outcome([later, bought]).purchase, { ...outcome([bought]).purchase, lost: 2 }];
    expect(tally(purchases)).toEqual({ '200': 2, '503 settlement_unknown': 1, 'no answer': 2 });
  });
});
