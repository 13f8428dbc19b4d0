// HTTP load from a separate process, made by autocannon.
import { fileURLToPath } from 'node:url';
import { LOAD_CORE, processorMs, startNode, stopNode } from './cores.mjs';

const LOADER = fileURLToPath(new URL('./load-process.mjs', import.meta.url));

/**
 * Puts load on a server for a while. `target` is `{ url, pid, headers?, paths?, method?, bodies? }`: the requests go to
 * `paths` in turn (across all connections) or to the URL itself.
 * @returns requests per second, latencies in milliseconds and the server's processor time per request in microseconds
 */
export async function load(target, { connections = 64, seconds, expect = 200, perSecond, amount }) {
  const { child } = await startNode(LOADER, { core: LOAD_CORE });
  const { pid, ...request } = target;
  const before = processorMs(pid);
  const result = new Promise((resolve, reject) => {
    child.once('message', resolve).once('exit', () => reject(new Error('the load process ended early')));
  });
  child.send({ ...request, connections, seconds, expect, perSecond, amount });
  try {
    const { requests, elapsedMs, latencies, unexpected } = await result;
    if (unexpected > 0) throw new Error(`${unexpected} of ${requests} answers of ${target.url} were not ${expect}`);
    return {
      perSecond: (requests / elapsedMs) * 1_000,
      processorUs: ((processorMs(pid) - before) / requests) * 1_000,
      latencies,
    };
  } finally {
    child.removeAllListeners('exit');
    await stopNode(child);
  }
}
