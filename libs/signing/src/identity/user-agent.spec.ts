import { userAgentOf } from './user-agent';

describe('the user agent', () => {
  it('names the prober and the page that explains it', () => {
    expect(userAgentOf('0.1.9', 'https://probe.example.org/')).toBe(
      'hostprobe/0.1.9 (+https://probe.example.org/prober)',
    );
  });
});
