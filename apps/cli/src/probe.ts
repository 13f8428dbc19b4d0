import { loadConfig, VERSION, type Config, type Variables } from '@app/config';
import { DETECTORS, dnsQuestions, HOST_INQUIRIES, HostEvidence, judgeHost } from '@app/detectors';
import { userAgentOf } from '@app/signing';
import { defined } from '@app/platform';
import { createProber } from '@app/probing';
import { type HostName } from '@app/hosts';
import { assembleFacts, originFrom, paymentRails, reachableFrom, type HostFacts } from '@app/reports';
import { harmless } from './terminal/paint';
import { withDemoHosts } from './terminal/running-service';
import type { Terminal } from './terminal/terminal';

/** Placeholders for settings that a service requires; a command serves, stores and encrypts nothing. */
const NO_SERVICE = {
  DATABASE_URL: 'postgresql://unused.invalid/none',
  SECRETS_KEY: 'unused: one probe seals nothing that stays',
  PROBER_CONTACT: 'mailto:unused@unused.invalid',
};

/**
 * The configuration of a probe from the environment variables, including those that the image sets.
 * @throws {ConfigError} for invalid variables
 */
export function probeConfig(env: Variables): Config {
  return loadConfig({ ...NO_SERVICE, ...env, HOST: '127.0.0.1' });
}

/** How to connect to a preview of a host. */
interface Preview {
  readonly connectTo: string;
  /** The preview uses plain HTTP, although the detectors treat it as served over HTTPS. */
  readonly isPlain: boolean;
}

/**
 * Reads the list of `--connect-to`. If it has only port 80 of the host, the preview has no TLS, and its https
 * requests go to that port too: port 443 of the deployed host says nothing about the preview.
 */
export function previewOf({ ascii }: HostName, list: string): Preview {
  const entries = list.split(',').map((entry) => entry.trim().toLowerCase());
  const targetOf = (port: number) => entries.find((entry) => entry.startsWith(`${ascii}:${port}=`))?.split('=')[1];
  const [https, http] = [targetOf(443), targetOf(80)];
  if (https !== undefined || http === undefined) {
    return { connectTo: list, isPlain: https?.startsWith('http://') === true };
  }
  return { connectTo: `${list},${ascii}:443=http://${http.replace('http://', '')}`, isPlain: true };
}

/**
 * A full probe of a host, like that of a worker but without the service: nothing is stored, sold or queued.
 * @throws {ConfigError} for invalid variables, Error if the certificate file or the connect-to list cannot be read
 */
export async function probeAt(
  host: HostName,
  { env, complain }: Pick<Terminal, 'env' | 'complain'>,
): Promise<HostFacts> {
  const { http, probing } = probeConfig(withDemoHosts(host, env));
  const prober = createProber({
    userAgent: userAgentOf(VERSION, http.publicBaseUrl),
    connectTo: probing.connectTo,
    ...defined({ caFile: probing.caFile ?? undefined }),
  });
  try {
    const collected = await prober.collect(host, {
      detectors: HOST_INQUIRIES,
      phases: ['presence', 'callability'],
      signals: dnsQuestions(host.ascii),
    });
    const seen = new HostEvidence(collected);
    const { failures, ...judgement } = judgeHost(DETECTORS, seen);
    for (const { detector, stack } of failures) complain(`the detector ${detector} failed: ${harmless(stack)}\n`);
    const at = new Date().toISOString();
    return assembleFacts({
      host,
      origin: originFrom(host, collected.exchanges),
      reachable: reachableFrom(collected.exchanges),
      ...judgement,
      rails: paymentRails(seen),
      clocks: { probedAt: at, callabilityProbedAt: at },
    });
  } finally {
    await prober.close();
  }
}
