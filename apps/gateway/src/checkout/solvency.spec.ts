import type { Attempt } from '@app/payments';
import type { RequestError } from '../http/request-error';
import { Solvency, type SolvencyDeps } from './solvency';

const STANDING = { open: 5n, settling: false, failures: 0, lastFailureAt: null };
const FAILED = { ...STANDING, failures: 1, lastFailureAt: new Date(0) };
const attempt = { amount: 5n, payer: '0xb' } as Attempt;

/** Whether an attempt is refused, or with which code, and the reasons for its withdrawal. */
async function refused(standing: typeof STANDING | typeof FAILED, locked: boolean, balance?: bigint) {
  const reasons: string[] = [];
  const exclusively: SolvencyDeps['payers']['exclusively'] = async (_, work) => {
    if (!locked) await work();
    return !locked;
  };
  const solvency = new Solvency({
    payers: { standing: () => Promise.resolve(standing), exclusively },
    chain: { balanceOf: () => Promise.resolve(balance) },
    pause: () => Promise.resolve(),
    now: () => new Date(),
  });
  const withdraw = (reason: string) => Promise.resolve(void reasons.push(reason));
  const end = await solvency.refuses(attempt, withdraw).catch((error: unknown) => (error as RequestError).code);
  return [end, reasons];
}

describe('a payment while its payer has others in progress', () => {
  it.each([
    ['is taken when both are covered', STANDING, false, 10n, [false, []]],
    ['is refused when they are not', STANDING, false, 9n, [true, ['insufficient_funds']]],
    ['waits when the payer pays in turn', FAILED, false, 10n, ['payer_must_wait', ['payer_must_wait']]],
  ] as const)('%s', async (_, standing, locked, balance, end) => {
    expect(await refused(standing, locked, balance)).toEqual(end);
  });

  it.each([
    ['the lock of its payer cannot be had', STANDING, true, 10n],
    ['the lock of a payer in turn cannot be had', FAILED, true, 10n],
    ['the balance cannot be read', STANDING, false, undefined],
  ] as const)('is refused uncharged while %s, and may be sent again', async (_, standing, locked, balance) => {
    const closed = 'facilitator_unavailable';
    expect(await refused(standing, locked, balance)).toEqual([closed, [closed]]);
  });
});
