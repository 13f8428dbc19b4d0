import { OptOuts } from './opt-outs';

const ignore = (): void => undefined;

describe('the list of hosts that opted out', () => {
  it.each([
    ['example.com', true],
    ['shop.example.com', true],
    ['a.b.example.com', true],
    ['notexample.com', false],
    ['com', false],
    ['listed.example.org', true],
    ['example.org', false],
    ['example.net', true],
    ['www.example.net', true],
    ['shop.example.net', false],
  ])('covers %s: %s', async (host, covered) => {
    const list = new OptOuts(['example.com'], () => Promise.resolve(['listed.example.org', 'www.example.net']), ignore);
    await list.start();
    list.stop();
    expect(list.covers(host)).toBe(covered);
  });

  it('tells since when it covers a host', async () => {
    const list = new OptOuts(['example.com'], () => Promise.resolve([]), ignore);
    const before = new Date().toISOString();
    await list.start();
    list.stop();
    expect(list.since('shop.example.com')! >= before).toBe(true);
    expect(list.since('example.net')).toBeUndefined();
  });

  it('stops a process from starting if it cannot be read', async () => {
    const list = new OptOuts([], () => Promise.reject(new Error('database away')), ignore);
    await expect(list.start()).rejects.toThrow('database away');
  });
});
