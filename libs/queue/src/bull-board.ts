import type { FastifyPluginCallback } from 'fastify';
import { openQueue, closeWithin, type QueueConnection } from './open';
import { PROBE_QUEUES } from './probe-jobs';
import { SCHEDULE_QUEUE } from './schedule';

interface QueueBoardOptions {
  /** Where it is mounted, without a slash at the end. */
  readonly path: string;
  /** Whether jobs may be retried, removed or added; otherwise the board only shows. */
  readonly actions: boolean;
}

/** All queues on one page (Bull Board). Its caller checks who may see it. */
export interface QueueBoard {
  /** To be registered under the board's path. */
  readonly plugin: FastifyPluginCallback<{ readonly prefix: string }>;
  close(): Promise<void>;
}

/**
 * Resolves when the queues can be read: the board is the same over Redis and over Postgres. Its library is read here and not
 * before: most processes with queues show no board.
 */
export async function openQueueBoard(
  connection: QueueConnection,
  { path, actions }: QueueBoardOptions,
): Promise<QueueBoard> {
  const [{ createBullBoard }, { BullMQAdapter }, { FastifyAdapter }] = await Promise.all([
    import('@bull-board/api'),
    import('@bull-board/api/bullMQAdapter'),
    import('@bull-board/fastify'),
  ]);
  const queues = [...PROBE_QUEUES, SCHEDULE_QUEUE].map((name) => openQueue<object>(connection, name));
  for (const queue of queues) queue.on('error', () => undefined); // a page that cannot be read says so itself
  await Promise.all(queues.map((queue) => queue.waitUntilReady()));
  const serverAdapter = new FastifyAdapter();
  serverAdapter.setBasePath(path);
  const mode = { readOnlyMode: !actions, allowRetries: actions };
  createBullBoard({
    queues: queues.map((queue) => new BullMQAdapter(queue, mode)),
    serverAdapter,
    options: { uiConfig: { boardTitle: 'hostprobe queues' } },
  });
  return {
    plugin: serverAdapter.registerPlugin() as unknown as QueueBoard['plugin'],
    close: async () => {
      await Promise.all(queues.map((queue) => closeWithin(queue.close())));
    },
  };
}
