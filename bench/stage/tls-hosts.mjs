// Healthy TLS hosts in a process of their own: each has its name and port and publishes what the demo's full store does.
import { writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startNode, stopNode } from '../measuring/cores.mjs';

const PROCESS = fileURLToPath(new URL('./tls-hosts-process.mjs', import.meta.url));

/** @param delayMs how long each request waits for its answer */
export async function putTlsHosts(stage, { count, delayMs = 0 }, options = {}) {
  const { child, message } = await startNode(PROCESS, { args: [String(count), String(delayMs)], ...options });
  stage.later(() => stopNode(child));
  const caFile = join(stage.dir, 'hosts-ca.pem');
  writeFileSync(caFile, message.ca);
  return {
    names: message.hosts.map(({ name }) => name),
    hosts: message.hosts,
    /** Names of the same hosts under which every path is redirected to the first ones. */
    movedNames: message.hosts.map(({ name }) => `moved-${name}`),
    connectTo: message.hosts
      .flatMap(({ name, port }) => [name, `moved-${name}`].map((one) => `${one}:443=127.0.0.1:${port}`))
      .join(','),
    caFile,
    pid: child.pid,
    /** `METHOD URL` of every request since the last call. */
    async requests() {
      child.send('requests');
      return (await once(child, 'message'))[0];
    },
  };
}

/** What a gateway and a worker need to probe them as often as a bench likes: budgets have tests of their own. */
export const probingAt = ({ connectTo, caFile }) => ({
  PROBE_CONNECT_TO: connectTo,
  PROBE_CA_FILE: caFile,
  TARGET_PROBES_PER_15_MIN: '10000',
  TARGET_REQUESTS_PER_MIN: '1000000',
});
