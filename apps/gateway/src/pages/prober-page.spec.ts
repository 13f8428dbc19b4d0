import { DETECTORS, REQUEST_BUDGET } from '@app/detectors';
import { PROBE_LIMITS } from '@app/probing';
import type { PageDeps } from './page-definition';
import { proberPage } from './prober-page';

const CONFIG: PageDeps['config'] = {
  http: { publicBaseUrl: 'https://probe.example.org' },
  targets: { probesPer15Min: 6, requestsPerMin: 240, concurrency: 4 },
  identity: { egress: ['192.0.2.0/24', '2001:db8::/48'], contact: 'mailto:prober@example.org' },
};

const bodyOf = (config: PageDeps['config']): string => proberPage(config).body.markup;
const oneLine = (text: string): string => text.replace(/\s+/g, ' ');

describe('the page about the prober', () => {
  it('lists every request a probe starts with', () => {
    const html = bodyOf(CONFIG);
    for (const { id, probes } of DETECTORS) {
      expect(html).toContain(`<td>${id}</td>`);
      for (const { method, url } of probes) expect(html).toContain(`<code>${method} ${url}</code>`);
    }
  });

  it('states the actual request budget of one probe', () => {
    const html = oneLine(bodyOf(CONFIG));
    expect(html).toContain(`at most ${REQUEST_BUDGET.presence} for published files`);
    expect(html).toContain(`at most ${REQUEST_BUDGET.callability} to the endpoints that these files declare`);
    expect(html).toContain(`at most ${REQUEST_BUDGET.signals} for related files`);
    expect(html).toContain('also sends 2 DNS queries');
    expect(html).toContain(`never sends more than ${PROBE_LIMITS.requests} requests`);
  });

  it.each([
    '6 full probes of one host in 15 minutes',
    '240 requests per minute',
    '960 to all hosts',
    '4 requests at the same time',
    '192.0.2.0/24',
    'href="mailto:prober@example.org"',
    'User-agent: hostprobe\nDisallow: /',
    'otherwise the group for <code>*</code>',
  ])('says %j', (text) => {
    expect(oneLine(bodyOf(CONFIG))).toContain(oneLine(text));
  });

  it('works without egress ranges and contact', () => {
    const html = bodyOf({ ...CONFIG, identity: { egress: [], contact: null } });
    expect(html).toContain('does not publish its IP addresses');
    expect(html).toContain('ask the operator');
  });

  it('quotes the configuration as text', () => {
    const html = bodyOf({
      ...CONFIG,
      identity: { egress: [], contact: 'https://example.org/"><script>alert(1)</script>' },
    });
    expect(html).not.toContain('<script>');
  });
});
