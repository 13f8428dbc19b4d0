import dns from 'node:dns';
import { rememberNames } from './remember-names';

describe('rememberNames', () => {
  const own = dns.lookup;
  afterEach(() => {
    dns.lookup = own;
  });

  it('resolves a name once for concurrent callers, again later, and not during shutdown', async () => {
    const asked: string[] = [];
    let silent = false;
    const answers = (name: string, _options: object, done: (...said: readonly unknown[]) => void): void => {
      asked.push(name);
      const error = name === 'none' ? new Error('no') : null;
      if (!silent) setImmediate(done, error, `${name} ${asked.length}`, 4);
    };
    dns.lookup = Object.assign(answers, { __promisify__: own.__promisify__ }) as unknown as typeof own;
    const end = rememberNames();
    const ask = (name: string): Promise<string> =>
      new Promise((resolve, reject) => {
        dns.lookup(name, { family: 4 }, (error, address) => {
          if (error) reject(error);
          else resolve(address);
        });
      });
    const both = ['store', 'store', 'other', 'store'].map(ask);
    expect(await Promise.all(both)).toEqual(['store 1', 'store 1', 'other 2', 'store 1']);
    expect(await ask('store')).toBe('store 3');
    await expect(ask('none')).rejects.toThrow('no');
    silent = true;
    end();
    expect(await Promise.all([ask('store'), ask('other')])).toEqual(['store 3', 'other 2']);
    void ask('none');
    expect(asked).toEqual(['store', 'other', 'store', 'none', 'none']);
  });
});
