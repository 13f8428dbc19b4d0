import type { Notices, RunRepository } from '@app/storage';
import { MAX_READERS, MAX_READERS_PER_CALLER, MAX_READERS_PER_NETWORK, RunEvents } from './run-events';

const ID = '00000000-0000-4000-8000-000000000000';

describe('the readers of progress', () => {
  const run = { status: 'running', deadlineAt: new Date(Date.now() + 60_000), outcome: null };
  const events = () =>
    new RunEvents(
      { find: () => Promise.resolve(run) } as unknown as RunRepository,
      { on: () => () => undefined } as unknown as Notices,
    );
  const admitted = async (all: RunEvents, callers: readonly string[]): Promise<number> => {
    const asked = await Promise.allSettled(callers.map((caller) => all.follow(ID, caller)));
    return asked.filter(({ status }) => status === 'fulfilled').length;
  };

  it.each([
    ['one caller', MAX_READERS_PER_CALLER, () => '192.0.2.1'],
    ['one network', MAX_READERS_PER_NETWORK, (n: number) => `192.0.2.${n}`],
    ['one IPv6 /48', MAX_READERS_PER_NETWORK, (n: number) => `2001:db8:0:${n.toString(16)}::1`],
  ])('are limited for %s', async (_, most, callerAt) => {
    const all = events();
    expect(
      await admitted(
        all,
        Array.from({ length: 100 }, (_one, n) => callerAt(n)),
      ),
    ).toBe(most);
    all.close();
  });

  it('make room for newcomers when a crowd has taken all places', async () => {
    const all = events();
    const crowd = Array.from({ length: 30 * MAX_READERS_PER_CALLER }, (_, n) => `10.${n % 30}.0.1`);
    expect(await admitted(all, crowd)).toBe(MAX_READERS);
    const buyers = Array.from({ length: 50 }, (_, n) => `203.${n}.113.7`);
    expect(await admitted(all, buyers)).toBe(50);
    all.close();
  });
});
