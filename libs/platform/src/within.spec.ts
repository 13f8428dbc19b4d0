import { setTimeout as sleep } from 'node:timers/promises';
import { within } from './within';

const never = new Promise<never>(() => undefined);

describe('within', () => {
  it('returns the result or failure of work that ends in time', async () => {
    await expect(within(60_000, Promise.resolve('done'), () => 'late')).resolves.toBe('done');
    await expect(within(60_000, Promise.reject(new Error('failed')), () => 'late')).rejects.toThrow('failed');
  });

  it('returns the given value or error after the timeout', async () => {
    await expect(within(10, never, () => 'late')).resolves.toBe('late');
    const throws = (): never => {
      throw new Error('too late');
    };
    await expect(within(10, never, throws)).rejects.toThrow('too late');
  });

  it('ignores failures after the timeout', async () => {
    const fails = sleep(30).then(() => {
      throw new Error('afterwards');
    });
    await expect(within(10, fails, () => 'late')).resolves.toBe('late');
    await sleep(40);
  });

  it('does not time out if the work ends in time', async () => {
    const late = jest.fn();
    await within(10, Promise.resolve(), late);
    await sleep(30);
    expect(late).not.toHaveBeenCalled();
  });
});
