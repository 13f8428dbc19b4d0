import { onceEach } from './once-each';

describe('onceEach', () => {
  it('reads an object once, even if the result is undefined', () => {
    const asked: object[] = [];
    const read = onceEach((key: object): string | undefined => {
      asked.push(key);
      return undefined;
    });
    const answer = {};
    expect(read(answer)).toBeUndefined();
    expect(read(answer)).toBeUndefined();
    expect(asked).toEqual([answer]);
  });

  it('reads equal objects separately', () => {
    const read = onceEach(({ status }: { status: number }) => status);
    expect([read({ status: 402 }), read({ status: 402 }), read({ status: 200 })]).toEqual([402, 402, 200]);
  });
});
