import { type HostName } from '@app/hosts';
import { HostReport } from '@app/reports';
import { Domain } from '../http/inputs';
import { defineFreeTool } from './free-tool';

export class LookupHostInput {
  @Domain()
  domain!: HostName;
}

export const lookupHost = defineFreeTool({
  name: 'lookup_host',
  title: 'Read the report of a host',
  what: 'What a host publishes for agents (UCP, ACP, AP2, TAP, MCP, A2A, x402, MPP, llms.txt, ai-plugin, OpenAPI), each status with the requests that show it, the ways to pay it, and fixes for what is missing.',
  freshness:
    'the stored report; cache.presenceStale (older than a day) and cache.callabilityStale (older than 15 minutes) tell whether it is out of date. A host that was never probed has no protocols. A lookup of a stale report starts a free probe in the background.',
  errors: ['invalid_domain'],
  instead: 'Use participation_check for a short answer and refresh_host for a fresh one.',
  input: LookupHostInput,
  component: 'HostReport',
  answer: HostReport,
  run: async ({ domain }, { reports }, { ip, waitMs }) => {
    const { body, sha256 } = await reports.lookup(domain, ip, waitMs);
    return { body: body.toString(), ...(sha256 !== undefined && { subject: { domain: domain.ascii, sha256 } }) };
  },
});
