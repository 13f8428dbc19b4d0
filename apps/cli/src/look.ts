import { loadConfig, VERSION, type Variables } from '@app/config';
import { DETECTORS, HostEvidence, judgeHost } from '@app/detectors';
import { userAgentOf } from '@app/identity';
import { createProber } from '@app/probing';
import { assembleFacts, originFrom, paymentRails, reachableFrom, type HostFacts, type HostName } from '@app/reports';

/** The one look of a command needs no storage, and the configuration of the service demands an address of one. */
const NO_DATABASE = 'postgresql://unused.invalid/none';

/**
 * A full look at a host, as the worker makes one, without the service: nothing is stored, sold or queued.
 * @throws {ConfigError} for wrong variables, Error when the certificate file or the connect-to list cannot be read
 */
export async function lookAt(host: HostName, env: Variables): Promise<HostFacts> {
  const { http, probing } = loadConfig({ DATABASE_URL: NO_DATABASE, ...env });
  const prober = createProber({
    userAgent: userAgentOf(VERSION, http.publicBaseUrl),
    connectTo: probing.connectTo,
    ...(probing.caFile === null ? {} : { caFile: probing.caFile }),
  });
  try {
    const collected = await prober.collect(host, { detectors: DETECTORS, phases: ['presence', 'callability'] });
    const seen = new HostEvidence(collected);
    const at = new Date().toISOString();
    return assembleFacts({
      host,
      origin: originFrom(host, collected.exchanges),
      reachable: reachableFrom(collected.exchanges),
      ...judgeHost(DETECTORS, seen),
      rails: paymentRails(seen),
      clocks: { probedAt: at, callabilityProbedAt: at },
    });
  } finally {
    await prober.close();
  }
}
