// Gateways and workers, the very programs that a deployment starts, in the environment its image gives them.
import { built, program } from './built.mjs';
import { SERVER_CORE, startNode, stopNode } from '../measuring/cores.mjs';

const { freePort } = built('apps/standalone/src/embedded/free-port');
const { MEMORY_SETTINGS } = built('apps/standalone/src/service-process');

/**
 * A gateway on the server's core; resolves when it listens and has answered something that has a handler: from then on
 * Node.js 20 tracks contexts for every request, also for those that enter none, as in every gateway that is in use.
 */
export async function putGateway(stage, env, options = {}) {
  const port = await freePort();
  const { child } = await startNode(program('gateway'), {
    core: SERVER_CORE,
    ...options,
    env: { ...MEMORY_SETTINGS, PORT: String(port), LOG_LEVEL: 'error', ...env },
  });
  stage.later(() => stopNode(child));
  const url = `http://127.0.0.1:${port}`;
  await (await fetch(`${url}/health/live`)).text();
  return { url, pid: child.pid, child };
}

/** A worker; resolves when it consumes. */
export async function putWorker(stage, env, options = {}) {
  const { child } = await startNode(program('worker'), {
    ...options,
    env: { ...MEMORY_SETTINGS, LOG_LEVEL: 'error', ...env },
  });
  stage.later(() => stopNode(child));
  return { pid: child.pid, child };
}
