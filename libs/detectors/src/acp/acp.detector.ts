import { ACP_RELEASE, readAcpDiscovery } from './discovery-response';
import { defineDetector } from '../judgement/detector';
import type { HostEvidence } from '../evidence/host-evidence';
import type { Reading } from '../evidence/reading';
import type { JsonObject } from '../formats/json';
import type { Judgement } from '../judgement/judgement';
import { blockDetails, exchangeOf } from '../judgement/nothing-found';

const PATH = '/.well-known/acp.json';
const SPEC = 'https://github.com/agentic-commerce-protocol/agentic-commerce-protocol';

/**
 * By behaviour 5.2, ACP is always `undiscoverable`: its checkout API requires bearer tokens, and many merchants publish
 * nothing on their own domain. The discovery document of release 2026-04-17 is reported in addition.
 */
function judge(seen: HostEvidence): Judgement {
  const reading = seen.read(PATH);
  const observed = observe(reading, seen);
  const exchange = exchangeOf(reading);
  return {
    status: 'undiscoverable',
    version: typeof observed?.['version'] === 'string' ? observed['version'] : null,
    details: { reason: 'acp_has_no_public_well_known', spec: SPEC, observed },
    decidedBy: exchange ? [exchange] : [],
  };
}

/** The document at the discovery path; undefined if there is none. */
function observe(reading: Reading, seen: HostEvidence): JsonObject | undefined {
  switch (reading.kind) {
    case 'json': {
      const { status, version, apiBaseUrl, transports, services, faults, findings } = readAcpDiscovery(reading.value);
      return {
        url: reading.answer.finalUrl,
        verdict: status,
        version: status === 'present' ? version : null,
        note: findings[0]?.id,
        endpoint: apiBaseUrl,
        ...{ transports, services, faults },
        findings: findings.length === 0 ? undefined : findings.map((finding) => ({ ...finding })),
      };
    }
    case 'broken_json':
      return { url: reading.answer.finalUrl, verdict: 'partial', note: 'not_json' };
    case 'html':
      return reading.catchAll
        ? undefined
        : { url: reading.answer.finalUrl, verdict: 'partial', note: 'html_not_machine_document' };
    case 'blocked':
    case 'refused':
    case 'redirect':
      return { url: seen.resolve(PATH), ...blockDetails(reading) };
    default:
      return undefined;
  }
}

/**
 * ACP, the Agentic Commerce Protocol. It never has a fix, because a missing document is not a fault (behaviour 5.2).
 */
export const acp = defineDetector({
  id: 'acp',
  name: { short: 'ACP', long: 'Agentic Commerce Protocol' },
  spec: SPEC,
  rules: { release: ACP_RELEASE, checked: '2026-11-22' },
  gain: {
    priority: 3,
    effort: 'days',
    why: 'Merchants agree on it with each platform; nothing a host publishes changes that.',
  },
  probes: [{ method: 'GET', url: PATH, maxBytes: 262_144, optional: true }],
  judge,
  advise: () => [],
});
