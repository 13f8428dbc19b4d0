import type { QueueBoard, QueueBoardOptions } from './bull-board';
import type { QueueConnection } from './open';

/** All queues on one page. Its library is read here and not before: most processes with queues show no board. */
export async function openQueueBoard(connection: QueueConnection, options: QueueBoardOptions): Promise<QueueBoard> {
  const { openBullBoard } = await import('./bull-board.js');
  return openBullBoard(connection, options);
}
