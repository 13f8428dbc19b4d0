import { PROBE_LIMITS } from '@app/probing';
import { HostTooSlowError, OutOfTimeError, requireReached } from './host-too-slow';

describe('an incomplete result', () => {
  it('is not sold if the host was too slow', () => {
    expect(() => {
      requireReached({ tooSlow: true }, PROBE_LIMITS.hostMs);
    }).toThrow(HostTooSlowError);
  });

  it('does not blame the host if the run was shorter than a probe', () => {
    expect(() => {
      requireReached({ tooSlow: true }, PROBE_LIMITS.hostMs - 1);
    }).toThrow(OutOfTimeError);
  });

  it('throws nothing for a complete probe', () => {
    expect(() => {
      requireReached({ tooSlow: false }, PROBE_LIMITS.hostMs);
    }).not.toThrow();
  });
});
