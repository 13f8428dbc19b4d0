import { userAgentOf } from './user-agent';

describe('the user agent', () => {
  it('contains the name of the prober and its page', () => {
    expect(userAgentOf('0.1.9', 'https://probe.example.org/')).toBe(
      'hostprobe/0.1.9 (+https://probe.example.org/prober)',
    );
  });
});
