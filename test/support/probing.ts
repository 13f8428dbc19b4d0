import { defineDetector, HostEvidence, type Detector, type Exchange, type ProbeRequest } from '@app/detectors';
import { createProber, type CollectedEvidence, type Prober, type ProberConfig } from '@app/probing';
import { testCaFile } from './test-host';

export { hostName } from './report';

/** A prober that trusts the test authority and resolves no names. */
export async function testProber(config: Partial<ProberConfig> = {}): Promise<Prober> {
  return createProber({
    userAgent: 'hostprobe/test (+https://probe.example.org/prober)',
    caFile: await testCaFile(),
    resolver: { resolve: () => Promise.resolve([]) },
    ...config,
  });
}

/** A detector that only makes requests. */
export function asking(probes: readonly ProbeRequest[], more: Partial<Detector> = {}): Detector {
  return defineDetector({
    id: 'asking',
    name: { short: 'asking', long: 'asks and never judges' },
    spec: 'https://example.com/spec',
    rules: { release: '1', checked: '2026-11-22' },
    gain: { priority: 3, effort: 'hours', why: 'It changes nothing.' },
    probes,
    judge: () => ({ status: 'absent', decidedBy: [] }),
    advise: () => [],
    ...more,
  });
}

export const get = (url: string, more: Partial<ProbeRequest> = {}): ProbeRequest => ({ method: 'GET', url, ...more });

/** The exchange for a path; fails the test if it was not requested. */
export function exchangeAt(collected: CollectedEvidence, url: string): Exchange {
  const exchange = new HostEvidence(collected).at(url);
  if (!exchange) throw new Error(`${url} was not asked`);
  return exchange;
}
