// A program of the bench in a process of its own, on the core of what is measured.
import { fileURLToPath } from 'node:url';
import { SERVER_CORE, startNode, stopNode } from '../measuring/cores.mjs';

/** Starts bench/<path>.mjs with what it is given; resolves to what it says first. */
export async function putProgram(stage, path, input, options = {}) {
  const script = fileURLToPath(new URL(`../${path}.mjs`, import.meta.url));
  const { child, message } = await startNode(script, { core: SERVER_CORE, ...options, input });
  stage.later(() => stopNode(child));
  return { ...message, pid: child.pid, child };
}

/** The headers a server put on an answer itself, apart from those every Node.js server adds. */
export function ownHeaders(response) {
  const added = ['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding'];
  return Object.fromEntries([...response.headers].filter(([name]) => !added.includes(name)));
}
