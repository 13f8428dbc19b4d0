import { BaseError, ExecutionRevertedError, HttpRequestError } from 'viem';
import { NodeWatch } from './node-watch';

const AWAY = new HttpRequestError({ url: 'http://127.0.0.1:1' });
const REVERTED = new BaseError('call failed', { cause: new ExecutionRevertedError({}) });
const isYes = (answer: string): boolean => answer === 'yes';

/** A facilitator call with a single read that ends with `end`; the SDK turns a failed read into a refusal. */
function judge(watch: NodeWatch, end: Error | undefined, answer: string): Promise<string> {
  const reading = end ? Promise.reject<string>(end) : Promise.resolve('0x');
  return watch.judge(
    () =>
      watch.read(reading).then(
        () => answer,
        () => answer,
      ),
    isYes,
  );
}

describe("a node's response about a payment", () => {
  const watch = new NodeWatch();

  it('counts if the node answered, whether yes or no', async () => {
    expect(await judge(watch, undefined, 'yes')).toBe('yes');
    expect(await judge(watch, undefined, 'no')).toBe('no');
  });

  it('is no if the contract reverted', async () => {
    expect(await judge(watch, REVERTED, 'no')).toBe('no');
  });

  it('does not count if the node did not respond', async () => {
    await expect(judge(watch, AWAY, 'no')).rejects.toThrow('the node did not respond');
    await expect(judge(watch, new Error('rate limited'), 'no')).rejects.toThrow('the node did not respond');
  });

  it('is yes even if another read failed', async () => {
    expect(await judge(watch, AWAY, 'yes')).toBe('yes');
  });

  it('is not affected by reads of a concurrent call', async () => {
    const both = await Promise.allSettled([judge(watch, AWAY, 'no'), judge(watch, undefined, 'no')]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  });
});
