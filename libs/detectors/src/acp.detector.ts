import { readAcpDiscovery } from './acp/discovery-response';
import { defineDetector, type Judgement } from './detector';
import type { HostEvidence } from './host-evidence';
import type { JsonObject } from './json';
import type { Reading } from './reading';
import { blockDetails, exchangeOf } from './verdict';

const PATH = '/.well-known/acp.json';
const SPEC = 'https://github.com/agentic-commerce-protocol/agentic-commerce-protocol';

/**
 * Spec 2.6 keeps ACP `undiscoverable`: its checkout API answers to bearer tokens only, and many merchants publish
 * nothing on their own domain. What the discovery document of release 2026-04-17 says is reported beside that.
 */
function judge(seen: HostEvidence): Judgement {
  const reading = seen.read(PATH);
  const observed = observe(reading);
  const exchange = exchangeOf(reading);
  return {
    status: 'undiscoverable',
    version: typeof observed?.['version'] === 'string' ? observed['version'] : null,
    details: { reason: 'acp_has_no_public_well_known', spec: SPEC, ...(observed ? { observed } : {}) },
    decidedBy: exchange ? [exchange] : [],
  };
}

/** What is at the discovery path, or undefined when nothing is. */
function observe(reading: Reading): JsonObject | undefined {
  switch (reading.kind) {
    case 'json': {
      const { verdict, version, apiBaseUrl, transports, services, faults } = readAcpDiscovery(reading.value);
      return {
        url: reading.answer.finalUrl,
        verdict,
        version: verdict === 'present' ? version : null,
        endpoint: apiBaseUrl,
        ...{ transports, services, faults },
      };
    }
    case 'broken_json':
      return { url: reading.answer.finalUrl, verdict: 'partial', note: 'not_json' };
    case 'html':
      return reading.habitual
        ? undefined
        : { url: reading.answer.finalUrl, verdict: 'partial', note: 'html_not_machine_document' };
    case 'blocked':
      return { url: reading.exchange.url, ...blockDetails(reading) };
    default:
      return undefined;
  }
}

/** ACP, the Agentic Commerce Protocol. No fix is ever given: absence of the document is not a fault (spec 2.6). */
export const acp = defineDetector({
  id: 'acp',
  name: { short: 'ACP', long: 'Agentic Commerce Protocol' },
  spec: SPEC,
  probes: [{ method: 'GET', url: PATH, maxBytes: 262_144 }],
  judge,
  advise: () => [],
});
