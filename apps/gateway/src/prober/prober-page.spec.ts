import { DETECTORS } from '@app/detectors';
import { proberPage, type ProberFacts } from './prober-page';

const FACTS: ProberFacts = {
  userAgent: 'hostprobe/0.1.9 (+https://probe.example.org/prober)',
  productToken: 'hostprobe',
  targets: { probesPer15Min: 6, requestsPerMin: 240, concurrency: 4 },
  egress: ['192.0.2.0/24', '2001:db8::/48'],
  contact: 'mailto:prober@example.org',
  directoryUrl: 'https://probe.example.org/.well-known/http-message-signatures-directory',
  egressUrl: 'https://probe.example.org/prober/egress.json',
};

const oneLine = (text: string): string => text.replace(/\s+/g, ' ');

describe('the page about the prober', () => {
  it('lists every request a look starts with', () => {
    const html = proberPage(FACTS);
    for (const { id, probes } of DETECTORS) {
      expect(html).toContain(`<td>${id}</td>`);
      for (const { method, url } of probes) expect(html).toContain(`<code>${method} ${url}</code>`);
    }
  });

  it.each([
    '6 looks at one host in 15 minutes',
    '240 requests a minute',
    '960 to all hosts',
    '4 requests at the same time',
    '192.0.2.0/24',
    'href="mailto:prober@example.org"',
    'User-agent: hostprobe\nDisallow: /',
  ])('says %j', (text) => {
    expect(oneLine(proberPage(FACTS))).toContain(oneLine(text));
  });

  it('stands without egress ranges and contact', () => {
    const html = proberPage({ ...FACTS, egress: [], contact: null });
    expect(html).toContain('does not publish the addresses');
    expect(html).toContain('ask the operator');
  });

  it('quotes the configuration as text', () => {
    const html = proberPage({ ...FACTS, contact: 'https://example.org/"><script>alert(1)</script>' });
    expect(html).not.toContain('<script>');
  });
});
