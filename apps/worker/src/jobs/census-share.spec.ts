import { CensusShare } from './census-share';

/** Work that ends on demand. */
function held() {
  const ends: (() => void)[] = [];
  const share = new CensusShare(8);
  const begin = () => share.with(() => new Promise<void>((resolve) => ends.push(resolve)));
  return { share, ends, begin };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('the slots of a census', () => {
  it('are all used while no buyer is waiting', async () => {
    const { ends, begin } = held();
    for (let i = 0; i < 20; i += 1) void begin();
    await settled();
    expect(ends).toHaveLength(8);
    ends.shift()?.();
    await settled();
    expect(ends).toHaveLength(8);
  });

  it('are limited to a quarter while a buyer is waiting', async () => {
    const { share, ends, begin } = held();
    const answered = share.besideBuyer();
    for (let i = 0; i < 20; i += 1) void begin();
    await settled();
    expect(ends).toHaveLength(2);
    answered();
    ends.shift()?.();
    await settled();
    expect(ends).toHaveLength(8);
  });

  it('only let a probe that somebody waits for go first', async () => {
    const { share } = held();
    const passed: string[] = [];
    const turn = (name: string) => share.giveWay().then(() => passed.push(name));
    void turn('alone');
    await settled();
    expect(passed).toEqual(['alone']);
    share.besideBuyer();
    const beside = turn('beside a buyer');
    await settled();
    expect(passed).toEqual(['alone']);
    await beside;
    expect(passed).toEqual(['alone', 'beside a buyer']);
  });

  it('are released after failed work', async () => {
    const share = new CensusShare(1);
    await expect(share.with(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(share.with(() => Promise.resolve(1))).resolves.toBe(1);
  });
});
