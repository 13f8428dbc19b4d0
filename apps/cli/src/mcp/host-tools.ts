import { z } from 'zod';
import type { HostName } from '@app/hosts';
import type { HostFacts } from '@app/reports';
import { hostOf } from '../terminal/exit-codes';
import { DOMAIN, type LocalTool } from './local-tool';

const INPUT = z.strictObject({ domain: DOMAIN });

/** The members of a report that an agent reads first. */
const ANSWER = z.looseObject({
  domain: z.string(),
  origin: z.string(),
  probedAt: z.string().optional(),
  reachable: z.boolean().optional(),
  protocols: z.array(z.looseObject({ id: z.string(), status: z.string(), version: z.string().nullable() })),
  fixes: z.array(z.looseObject({ id: z.string(), protocol: z.string(), problem: z.string(), fix: z.string() })),
  paymentRails: z.looseObject({ payable: z.boolean(), rails: z.array(z.looseObject({ resource: z.string() })) }),
});

/** The tool that probes a host from this machine. @param onProbed called after each new probe of a host */
export function probeHost(
  probe: (host: HostName) => Promise<HostFacts>,
  onProbed: (facts: HostFacts) => void,
): LocalTool<typeof INPUT> {
  return {
    name: 'probe_host',
    title: 'Probe a host from this machine',
    description:
      'Checks which agent protocols a host supports (UCP, ACP, AP2, TAP, MCP, A2A, x402, MPP, llms.txt, ai-plugin, OpenAPI), with the requests behind each result, the ways to pay the host, and fixes for what is missing. Price: free; no service is contacted. Freshness: probed now, with at most 40 requests. Failures: invalid_domain; if the host is down, the report has `reachable: false`. Use lookup_host to read an earlier report from a service.',
    input: INPUT,
    answer: ANSWER,
    asksHosts: true,
    run: async ({ domain }) => {
      const facts = await probe(hostOf(domain));
      onProbed(facts);
      return facts;
    },
  };
}

/** The tool that reads the latest report on a host from a service. */
export function lookupHost(read: (host: HostName) => Promise<object>): LocalTool<typeof INPUT> {
  return {
    name: 'lookup_host',
    title: 'Read the latest report on a host from a service',
    description:
      'Returns the latest report on a host from the configured hostprobe service. Price: free. Freshness: `cache.presenceStale` (older than a day) and `cache.callabilityStale` (older than 15 minutes) say whether it is out of date; for a host that was never probed, `protocols` is empty; if a probe was skipped, `skipped` gives the reason. Failures: invalid_domain, service_unavailable, or invalid_arguments when no service is configured. Use probe_host for a fresh probe from this machine.',
    input: INPUT,
    answer: ANSWER,
    asksHosts: false,
    run: ({ domain }) => read(hostOf(domain)),
  };
}
