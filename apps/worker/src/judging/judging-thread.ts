import { parentPort } from 'node:worker_threads';
import { offlineSignatures } from '@app/signing';
import { ProbeSessionHost } from './probe-session-host';
import type { FromThread, ToThread } from './task';

/** Entry of a detector thread. It parses and evaluates documents, so that they do not block the worker's sockets. */
const probes = new Map<number, ProbeSessionHost>();
const say = (message: FromThread): void => parentPort?.postMessage(message);

parentPort?.on('message', (message: ToThread) => {
  if (message.kind === 'close') {
    probes.delete(message.probe);
    return;
  }
  if (message.kind === 'warm') {
    // A failed warm-up only makes the first probes slower.
    import('./warm-up.js').then(({ warmUp }) => warmUp()).catch(() => undefined);
    return;
  }
  const { id, update, task } = message;
  const probe = probes.get(update.probe) ?? new ProbeSessionHost(offlineSignatures);
  probes.set(update.probe, probe);
  probe.answer(update, task).then(
    (answer) => {
      say({ id, answer });
    },
    (error: unknown) => {
      say({ id, failed: error instanceof Error ? error : new Error(String(error)) });
    },
  );
});
say({ ready: true });
