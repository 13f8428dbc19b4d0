import type { Prober } from '@app/probing';
import { hostName, testProber } from '../support/probing';
import { watchSockets, type WatchedSockets } from '../support/sockets';
import { ADDRESS_CASES } from './address-cases';
import { countOf } from './guard-case';

describe('an address the resolver hands over', () => {
  let answer: readonly string[] = [];
  let prober: Prober;
  let sockets: WatchedSockets;
  beforeAll(async () => {
    prober = await testProber({ resolver: { resolve: () => Promise.resolve(answer) } });
  });
  beforeEach(() => (sockets = watchSockets()));
  afterEach(() => {
    sockets.restore();
  });

  const probeAt = (address: string) => {
    answer = [address];
    return prober.collect(hostName('target.example.com'), { detectors: [], phases: ['presence'] });
  };

  it('is tried with 109 to refuse and 29 to dial', () => {
    expect(countOf(ADDRESS_CASES)).toBe('109/29');
    expect(new Set(ADDRESS_CASES.map(({ input }) => input)).size).toBe(138);
  });

  it.each(ADDRESS_CASES.filter(({ expected }) => expected === 'block'))(
    'is refused and no socket is opened: $input ($why)',
    async ({ input }) => {
      const seen = await probeAt(input);
      expect(seen.stoppedBy).toBe('address_refused');
      expect(sockets.opened()).toBe(0);
    },
  );

  it.each(ADDRESS_CASES.filter(({ expected }) => expected === 'allow'))(
    'is dialled, and no other: $input ($why)',
    async ({ input }) => {
      await probeAt(input);
      expect(sockets.opened()).toBeGreaterThan(0);
      expect(new Set(sockets.dialled)).toEqual(new Set([input]));
    },
  );
});
