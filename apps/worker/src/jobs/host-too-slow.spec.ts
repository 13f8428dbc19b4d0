import { PROBE_LIMITS } from '@app/probing';
import { HostTooSlowError, OutOfTimeError, requireReached } from './host-too-slow';

describe('a result that misses what a report rests on', () => {
  it('is not sold: the host was too slow', () => {
    expect(() => {
      requireReached({ tooSlow: true }, PROBE_LIMITS.hostMs);
    }).toThrow(HostTooSlowError);
  });

  it('says nothing about a host that had less than the time of a probe', () => {
    expect(() => {
      requireReached({ tooSlow: true }, PROBE_LIMITS.hostMs - 1);
    }).toThrow(OutOfTimeError);
  });

  it('is not thrown for a complete probe', () => {
    expect(() => {
      requireReached({ tooSlow: false }, PROBE_LIMITS.hostMs);
    }).not.toThrow();
  });
});
