import type { HostEvidence } from '../evidence/host-evidence';
import { ABSENT, type SignalDefinition } from './signal';

/** DNS for AI discovery: service records of the agents of a domain (draft-mozleywilliams-dnsop-dnsaid). */
export const dnsAid: SignalDefinition = {
  id: 'dns-aid',
  draft: true,
  question: (domain) => ({ name: `_index._agents.${domain}`, type: 'SVCB' }),
  judge(seen) {
    const hosts = agentHosts(seen);
    if (!hosts) return undefined;
    return hosts.length > 0 ? { status: 'valid', at: `_index._agents.${seen.domain} SVCB` } : ABSENT;
  },
};

/** Hosts that the service records name, those that say "not available" left out; undefined when that was not seen. */
export function agentHosts(seen: HostEvidence): readonly string[] | undefined {
  const records = seen.recordsOf(`_index._agents.${seen.domain}`, 'SVCB');
  return records?.map((record) => record.slice(record.indexOf(' ') + 1)).filter((host) => host !== '' && host !== '.');
}
