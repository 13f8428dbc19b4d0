import { parentPort } from 'node:worker_threads';
import { offlineSignatures } from '@app/signatures';
import { KnownLook } from './known-look';
import type { FromThread, ToThread } from './task';

/** Entry of a judging thread: reads and judges what looks brought back, so that no document holds up the worker's sockets. */
const looks = new Map<number, KnownLook>();
const say = (message: FromThread): void => parentPort?.postMessage(message);

parentPort?.on('message', (message: ToThread) => {
  if (message.kind === 'close') {
    looks.delete(message.look);
    return;
  }
  const { id, update, task } = message;
  const look = looks.get(update.look) ?? new KnownLook(offlineSignatures);
  looks.set(update.look, look);
  look.answer(update, task).then(
    (answer) => {
      say({ id, answer });
    },
    (error: unknown) => {
      say({ id, failed: String(error) });
    },
  );
});
say({ ready: true });
