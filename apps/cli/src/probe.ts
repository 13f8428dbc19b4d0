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

/** What a probe reads of the variables, those that the image sets among them. @throws {ConfigError} for wrong ones */
export function probeConfig(env: Variables): Config {
  return loadConfig({ ...NO_SERVICE, ...env, HOST: '127.0.0.1' });
}

/** How a preview of a host is reached. */
interface Preview {
  readonly connectTo: string;
  /** Without TLS, although it is judged as a host that has it. */
  readonly isPlain: boolean;
}

/**
 * The list of `--connect-to`. A host of which it has port 80 alone is a preview without TLS: its https goes there too,
 * since the port 443 of the deployed host says nothing about the preview.
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
 * A full probe of a host, as the worker makes one, without the service: nothing is stored, sold or queued.
 * @throws {ConfigError} for wrong variables, Error when the certificate file or the connect-to list cannot be read
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
