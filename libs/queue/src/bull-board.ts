import type { FastifyPluginCallback } from 'fastify';
import { openQueue, closeWithin, type QueueConnection } from './open';
import { PROBE_QUEUES } from './probe-jobs';
import { SCHEDULE_QUEUE } from './schedule';

interface QueueBoardOptions {
  /** The path it is mounted at, without a trailing slash. */
  readonly path: string;
  /** Whether jobs may be retried, removed or added; otherwise the board is read-only. */
  readonly actions: boolean;
}

/** All queues on one page (Bull Board). Callers must check who may see it. */
export interface QueueBoard {
  /** Register it under the board's path. */
  readonly plugin: FastifyPluginCallback<{ readonly prefix: string }>;
  close(): Promise<void>;
}

/**
 * Resolves when the queues can be read; the board works with Redis and Postgres. Its library is loaded here only,
 * because most processes show no board.
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
  for (const queue of queues) queue.on('error', () => undefined); // an unreadable page shows its own error
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
